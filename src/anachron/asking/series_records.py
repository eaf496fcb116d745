"""A release of series, read for asking: classes of rows that show the same series.

Rows with the same group, level and pattern tell the same of their series: they are a *class*.
Conditions on series are judged on classes, those on other columns on *cells*, the rows of a class
with the same values in these columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Bytes, Floats, Numbers
from anachron.asking.catalogue import Catalogue
from anachron.asking.series_columns import Listed, noise_of
from anachron.asking.series_shapes import Words, boxes
from anachron.asking.series_spread import moments_of
from anachron.asking.series_values import Bounds
from anachron.asking.series_whole import inwards
from anachron.errors import ReleaseError
from anachron.methods.patterns.estimate import (
    Customized,
    all_value_bounds,
    case_of,
    letter_of,
    refined_bounds,
)
from anachron.published.coded import same_codes
from anachron.published.groups import groups_of
from anachron.published.strict import Misfit
from anachron.release.read import Release

__all__ = ["SeriesRecords", "records_of"]


HIGHEST_LEVEL = 26
LARGEST_TABLE = 1 << 22
"""Of rows counted by kind and class."""
OUTSIDE_SLACK = 1e-8
"""Of times that are no part of a pattern, z is less exact than of those that are."""


@dataclass(frozen=True, eq=False)
class SeriesRecords:
    """What was published of every series."""

    value_times: tuple[str, ...]
    pattern_times: tuple[str, ...]
    low: Floats
    """The envelope of each class at the value times."""
    high: Floats
    words: Words
    """The different patterns."""
    word: Array
    """Which of them each class has."""
    cell_class: Array
    """The class of each cell, ascending."""
    cell_rows: Array
    """How many rows each cell has."""
    cell_code: Mapping[str, Array]
    """For each sensitive column, the place of each cell's value among the different ones."""
    class_code: Mapping[str, Array]
    """The same of ``level`` and ``pattern``, for each class."""
    columns: Mapping[str, Listed]
    whole: bool
    """Whether all values are whole numbers."""
    group: float
    """How many rows share an envelope, on average."""

    @cached_property
    def times(self) -> tuple[str, ...]:
        """All times with anything published."""
        return tuple(dict.fromkeys((*self.value_times, *self.pattern_times)))

    @cached_property
    def letter(self) -> Mapping[str, int]:
        """Which letter of a pattern is that of each of its times."""
        at = np.repeat(np.arange(len(self.words.lengths)), self.words.lengths)
        return dict(zip(self.pattern_times, at.tolist(), strict=True))

    @cached_property
    def linked(self) -> bool:
        """Whether a time has both, so that values tell of patterns and the other way round."""
        return case_of(self.value_times, self.pattern_times) != "Disjoint"

    @cached_property
    def class_rows(self) -> Array:
        """How many rows each class has."""
        return np.bincount(self.cell_class, self.cell_rows).astype(np.int64)

    @cached_property
    def values(self) -> Bounds:
        """Bound the values of each class at all ``times``, by its pattern too; ±∞ if unbounded."""
        shape = len(self.word), len(self.times)
        low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
        low[:, : len(self.value_times)] = self.low
        high[:, : len(self.value_times)] = self.high
        if self.linked:
            shown = self._shown
            for time, bounds in (refined_bounds(shown) | all_value_bounds(shown)).items():
                at = self.times.index(time)
                low[:, at], high[:, at] = bounds
        return inwards(low, high) if self.whole else (low, high)

    @cached_property
    def likely(self) -> Bounds:
        """The same for estimates: no bound is beyond all published ones."""
        low, high = self.values
        least, most = float(self.low.min(initial=np.inf)), float(self.high.max(initial=-np.inf))
        open_low, open_high = ~np.isfinite(low), ~np.isfinite(high)
        if not (open_low.any() or open_high.any()):
            return low, high
        low = np.where(open_low, np.minimum(least, np.where(open_high, least, high)), low)
        return low, np.where(open_high, np.maximum(most, low), high)

    @cached_property
    def kinds(self) -> tuple[Array, Array]:
        """Number the combinations of sensitive values: that of each cell, and a cell of each."""
        if not self.cell_code:
            return np.zeros(len(self.cell_class), dtype=np.int64), np.zeros(1, dtype=np.int64)
        number, _ = _distinct(list(self.cell_code.values()))
        return number, np.unique(number, return_index=True)[1]

    @cached_property
    def kind_rows(self) -> Floats | None:
        """How many rows of each kind each class has; None where that is too large a table."""
        number, one = self.kinds
        shape = len(one), len(self.word)
        if shape[0] * shape[1] > LARGEST_TABLE:
            return None
        found = np.zeros(shape)
        found[number, self.cell_class] = self.cell_rows
        return found

    def outside(self, time: str) -> tuple[Floats, Floats, Floats, Floats]:
        """Bound z of each class at a time without letters; give its mean and its variance."""
        found = letter_of(self._shown, time)
        level = self.words.level[self.word]
        low, high = boxes(level, found.first, found.last, np.inf)
        mean, square, _, _ = moments_of(level, found.letter)
        return low - OUTSIDE_SLACK, high + OUTSIDE_SLACK, mean, square - mean**2

    @property
    def _shown(self) -> Customized:
        letters, level = self.words.letters[self.word], self.words.level[self.word]
        return Customized(
            self.low, self.high, letters, level, self.value_times, self.pattern_times,
            tuple(self.words.lengths.tolist()),
        )  # fmt: skip


def records_of(release: Release, catalogue: Catalogue) -> SeriesRecords:
    """Read a release of series."""
    try:
        return _records(release, catalogue)
    except (Misfit, KeyError, TypeError, ValueError, IndexError, pa.ArrowException):
        raise ReleaseError(
            f"{release.place} cannot be asked: its tables are not as Anachron writes them. "
            "Fetch the release again."
        ) from None


def _records(release: Release, catalogue: Catalogue) -> SeriesRecords:
    groups = groups_of(release.form, release.table)
    times = release.form.facts["times"]
    value_times, pattern_times = tuple(times["values"]), tuple(times["patterns"])
    noise = noise_of(release.guarantee)
    columns = {}
    for column in catalogue.with_role("sensitive"):
        off = noise if column.numeric else Decimal(0)
        columns[column.name] = Listed(groups.rows(column.way), catalogue, off)
    # Level and pattern say how a series was published; they can be asked for, too.
    level, pattern = (Listed(groups.rows(way), catalogue) for way in groups.form.layout.shapes)
    kind, (levels, patterns) = _distinct([level.coded.codes, pattern.coded.codes])
    lengths = np.array(release.form.facts.get("segments", [1] * len(pattern_times)))
    words = Words(
        level.coded.low[levels].astype(np.int64),
        _letters(pattern.coded.cells[0].take(pa.array(patterns)), len(lengths)),
        lengths,
    )
    if words.times != len(pattern_times):
        raise ValueError("segments hold every time of the pattern once")
    if (
        not ((words.level >= 1) & (words.level <= HIGHEST_LEVEL)).all()
        or not (words.letters < words.level[:, None]).all()
    ):
        raise ValueError("a letter is not in the alphabet")
    alike, (group, word) = _distinct([groups.row, kind])
    shown = {column.name: column for column in (level, pattern)}
    cell, (cell_class, *codes) = _distinct([alike, *(c.coded.codes for c in columns.values())])
    ends = [groups.ends(release.form.columns[time]) for time in value_times]
    low, high = (np.stack(side, axis=1)[group] for side in zip(*ends, strict=True))
    return SeriesRecords(
        value_times, pattern_times, low.astype(np.float64), high.astype(np.float64), words, word,
        cell_class, np.bincount(cell), dict(zip(columns, codes, strict=True)),
        {"level": levels[word], "pattern": patterns[word]}, columns | shown,
        catalogue.whole_series, len(groups.row) / len(groups),
    )  # fmt: skip


def _distinct(parts: Sequence[Numbers]) -> tuple[Array, list[Array]]:
    """Number the different combinations in order; give each row's number, and what each is of."""
    number = same_codes(parts)
    one = np.empty(int(number.max()) + 1, dtype=np.int64)
    one[number] = np.arange(len(number))
    return number, [part[one] for part in parts]


def _letters(words: pa.Array, many: int) -> Bytes:
    """Read words as letters, ``a`` being 0."""
    texts = np.array(words.to_pylist(), dtype=np.bytes_)
    if texts.dtype.itemsize != many or any(len(word) != many for word in texts.tolist()):
        raise ValueError("a pattern has a letter for each time, or each segment")
    found: Bytes = texts.view(np.uint8).reshape(len(texts), many) - np.uint8(ord("a"))
    return found
