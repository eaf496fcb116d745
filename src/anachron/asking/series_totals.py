"""From chances of rows to answers: counts, sums and means with hard bounds.

Arrays have a row for each question and a column for each class or cell of a release.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.asking.figures import Estimates, without_groups

__all__ = ["Amounts", "Chances", "counted", "everything", "means", "sums"]


@dataclass(eq=False)
class Chances:
    """Whether rows must meet a condition, whether they may, and how likely they do."""

    must: Flags
    may: Flags
    share: Floats

    def meet(self, rows: Array, other: Chances) -> None:
        """Demand another condition of some of the questions as well."""
        # All of them are changed in place, without a copy.
        these = slice(None) if len(rows) == len(self.must) else rows
        self.must[these] &= other.must
        self.may[these] &= other.may
        self.share[these] *= other.share

    def chance(self, rows: Floats) -> Floats:
        """The share, where it is neither 0 nor 1 although the rows may count or not.

        The range meets their bounds at an end. An end is there because somebody is at it, or near:
        one of the n rows, by Laplace's rule of succession 1 of n + 2.
        """
        share = np.clip(self.share, 0.0, 1.0)
        few = 1.0 / (rows + 2.0)
        touched = self.may & ~self.must & ((share <= 0.0) | (share >= 1.0))
        return np.where(touched, np.where(share >= 1.0, 1.0 - few, few), share)

    def at(self, columns: Array) -> Chances:
        """The chances of what belongs to these columns."""
        return Chances(self.must[:, columns], self.may[:, columns], self.share[:, columns])


@dataclass(frozen=True, eq=False)
class Amounts:
    """What each cell adds to a sum: at least, at most, on average, and with which variance.

    One row for each question, or one for all.
    """

    low: Floats
    high: Floats
    mean: Floats
    variance: Floats
    uneven: float = 0.0
    """How unevenly amounts are spread between their bounds."""


def everything(questions: int, columns: int) -> Chances:
    """The chances of conditions that every row meets."""
    shape = questions, columns
    return Chances(np.ones(shape, np.bool_), np.ones(shape, np.bool_), np.ones(shape))


def counted(chances: Chances, rows: tuple[Floats, Floats, Floats], uneven: Floats) -> Estimates:
    """Count rows: of each column, so many must be counted, may be, and probably are."""
    must, may, likely = rows
    low = _weighed(chances.must, must)
    high = _weighed(chances.may, may)
    estimate = _weighed(chances.share, likely)
    chance = chances.chance(likely)
    variance = _weighed(chance * (1.0 - chance), likely)
    lean = _weighed(_off(chance, uneven), likely)
    return without_groups(estimate, low, high, variance, high - low, lean)


def _weighed(chances: Flags | Floats, rows: Floats) -> Floats:
    if rows.ndim == 1:
        total: Floats = chances.astype(np.float64) @ rows
        return total
    each: Floats = np.einsum("ij,ij->i", chances.astype(np.float64), rows)
    return each


def sums(chances: Chances, rows: Floats, amounts: Amounts, uneven: Floats) -> Estimates:
    """Add up what the rows of each cell have."""
    must, may, share = chances.must, chances.may, chances.share
    open_low = np.where(may, np.minimum(amounts.low, 0.0), 0.0)
    open_high = np.where(may, np.maximum(amounts.high, 0.0), 0.0)
    low = np.where(must, amounts.low, open_low) @ rows
    high = np.where(must, amounts.high, open_high) @ rows
    estimate = (share * amounts.mean) @ rows
    chance = chances.chance(rows)
    spread = chance * amounts.variance + chance * (1 - chance) * amounts.mean**2
    lean = _lean(chance, amounts, amounts.mean, uneven) @ rows
    return without_groups(estimate, low, high, spread @ rows, (may & ~must) @ rows, lean)


def _lean(chance: Floats, amounts: Amounts, off: Floats, uneven: Floats) -> Floats:
    """How far what each row adds may be off: whether it counts, and how much it adds."""
    within = np.sqrt(amounts.uneven * amounts.variance)
    found: Floats = _off(chance, uneven) * np.abs(off) + chance * within
    return found


def _off(chance: Floats, uneven: Floats) -> Floats:
    """How far a chance may be off, by one standard deviation; not at all if it is certain."""
    spread = chance * (1.0 - chance)
    found: Floats = np.sqrt(np.where(spread > 0, uneven[:, None], 0.0) * spread)
    return found


def means(chances: Chances, rows: Floats, amounts: Amounts, uneven: Floats) -> Estimates:
    """Average what the rows of each cell have; NaN where no row may be counted.

    The lowest mean is that of all rows that must count, and of those that may as long as they are
    below it.
    """
    share = chances.share
    likely = share @ rows
    count = np.where(likely > 0, likely, np.nan)
    estimate = ((share * amounts.mean) @ rows) / count
    off = amounts.mean - np.nan_to_num(estimate)[:, None]
    chance = chances.chance(rows)
    variance = ((chance * amounts.variance + chance * (1 - chance) * off**2) @ rows) / count**2
    lean = (_lean(chance, amounts, off, uneven) @ rows) / count
    low = _lowest_means(chances, rows, np.broadcast_to(amounts.low, share.shape))
    high = -_lowest_means(chances, rows, np.broadcast_to(-amounts.high, share.shape))
    # Where nothing is likely, all that is known are the bounds.
    with np.errstate(invalid="ignore"):
        middle = (low + high) / 2
    estimate = np.where(np.isnan(estimate), middle, np.clip(estimate, low, high))
    cut = (chances.may & ~chances.must) @ rows
    return without_groups(estimate, low, high, np.nan_to_num(variance), cut, lean)


def _lowest_means(chances: Chances, rows: Floats, amounts: Floats) -> Floats:
    order = np.argsort(amounts, axis=1, kind="stable")
    sorted_amounts = np.take_along_axis(amounts, order, axis=1)
    added = np.take_along_axis((chances.may & ~chances.must) * rows, order, axis=1)
    sure = chances.must * rows
    start = np.where(chances.must, amounts, 0.0) * sure
    some = np.where(added > 0, sorted_amounts, 0.0) * added
    count = sure.sum(axis=1, keepdims=True) + np.cumsum(added, axis=1)
    total = start.sum(axis=1, keepdims=True) + np.cumsum(some, axis=1)
    count = np.concatenate([sure.sum(axis=1, keepdims=True), count], axis=1)
    total = np.concatenate([start.sum(axis=1, keepdims=True), total], axis=1)
    mean = np.where(count > 0, total / np.maximum(count, 1.0), np.inf)
    least: Floats = mean.min(axis=1)
    return np.where(count[:, -1] > 0, least, np.nan)
