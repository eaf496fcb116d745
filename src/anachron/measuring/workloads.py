"""Random questions about registers, events and feeds: Section 5.2 of Xiao and Tao.

Each question counts the records that lie in a random range of each quasi column (or of some of
them, drawn by lot), of the sensitive column (one of them, if there are several) and of the time.
The ranges of n columns have the share θ^(1/n) of their domains, so that about a share θ of the
table would answer, were its values spread evenly. A window of a given length takes no part in
this: what Wang et al. ask of feeds, a predicate and a window, is drawn so.

Xiao, Tao: *m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets*, SIGMOD
2007. Wang, Xu, Wong, Fu: *Anonymizing Temporal Data*, ICDM 2010.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array
from anachron.asking.catalogue import Catalogue
from anachron.asking.question import All, Condition
from anachron.measuring.axes import Axis, Times, axis_of
from anachron.measuring.columns import Column

__all__ = ["Drawn", "Workload", "drawn", "workload_of"]


_ROUNDS = 20
"""For questions without an answer others are drawn, so many times at most."""


@dataclass(frozen=True, eq=False)
class Workload:
    """The domains that questions are drawn from."""

    quasi: tuple[Axis, ...]
    sensitive: tuple[Axis, ...]
    time: Times | None
    theta: float
    dimensions: int | None
    """How many quasi columns a question names; all if it is not said."""

    def draw(self, rng: np.random.Generator) -> Condition:
        """Draw one question."""
        axes: list[Axis] = list(self.quasi)
        if self.dimensions is not None and self.dimensions < len(axes):
            chosen = np.sort(rng.permutation(len(axes))[: self.dimensions])
            axes = [axes[i] for i in chosen.tolist()]
        if self.sensitive:
            axes.append(self.sensitive[int(rng.integers(len(self.sensitive)))])
        shared = len(axes) + (self.time is not None and self.time.window is None)
        share = self.theta ** (1 / shared) if shared else 1.0
        if self.time is not None:
            axes.append(self.time)
        return All(tuple(axis.draw(share, rng) for axis in axes))


@dataclass(frozen=True, eq=False)
class Drawn:
    """Questions that have an answer, and the answers."""

    conditions: tuple[Condition, ...]
    truth: Array
    empty: int
    """Questions without one, for which others were drawn."""


def workload_of(
    catalogue: Catalogue,
    columns: Mapping[str, Column],
    time: Times | None,
    theta: float,
    dimensions: int | None,
) -> Workload:
    """Find the domains of all columns that were published."""
    quasi, sensitive = (
        tuple(
            axis
            for column in catalogue.with_role(role)
            if (axis := axis_of(column, columns[column.name])) is not None
        )
        for role in ("quasi", "sensitive")
    )
    return Workload(quasi, sensitive, time, theta, dimensions)


def drawn(
    draw: Callable[[np.random.Generator], Condition],
    count: Callable[[list[Condition]], Array],
    questions: int,
    seed: int,
) -> Drawn:
    """Draw questions until so many have an answer that is not 0.

    The relative error of the others is undefined. After some rounds it is taken that there are
    hardly any, and fewer are given.
    """
    rng = np.random.default_rng(seed)
    kept: list[Condition] = []
    truths: list[Array] = [np.zeros(0, dtype=np.int64)]
    empty = 0
    for _ in range(_ROUNDS):
        some = [draw(rng) for _ in range(questions - len(kept))]
        if not some:
            break
        truth = count(some)
        there = np.flatnonzero(truth)
        kept += [some[i] for i in there.tolist()]
        truths.append(truth[there])
        empty += len(some) - len(there)
    return Drawn(tuple(kept), np.concatenate(truths), empty)
