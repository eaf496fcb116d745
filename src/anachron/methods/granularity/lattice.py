"""The product of the quasi ladders and the order of granularities, as a partial order."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from anachron.calendar.order import Order
from anachron.engines.base import View
from anachron.errors import PlanError
from anachron.methods.granularity.recode import Rung

__all__ = ["Lattice"]

Mask = npt.NDArray[np.bool_]
_MOST_NODES = 2_000_000


@dataclass(frozen=True, eq=False)
class Lattice:
    """All views on offer. A node is numbered; it has a granularity and a step per ladder."""

    order: Order
    ladders: tuple[tuple[Rung, ...], ...]

    def __post_init__(self) -> None:
        size = len(self.order.granules) * int(np.prod([len(r) for r in self.ladders], dtype=float))
        if size > _MOST_NODES:
            raise PlanError(
                f"the ladders and granularities span {size:,} views, more than {_MOST_NODES:,}. "
                "Shorten the ladders."
            )

    @cached_property
    def time(self) -> npt.NDArray[np.int64]:
        """The granularity of each node."""
        return self._nodes[:, 0]

    @cached_property
    def steps(self) -> npt.NDArray[np.int64]:
        """The step on each ladder, for each node."""
        return self._nodes[:, 1:]

    @cached_property
    def _nodes(self) -> npt.NDArray[np.int64]:
        axes = [range(len(self.order.granules)), *(range(len(rungs)) for rungs in self.ladders)]
        return np.array(list(itertools.product(*axes)), dtype=np.int64)

    def __len__(self) -> int:
        return len(self._nodes)

    def view(self, node: int) -> View:
        """How to look at the table from this node."""
        chosen = zip(self.ladders, self.steps[node], strict=True)
        quasi = tuple(rungs[step].recoding for rungs, step in chosen)
        return View(self.order.granules[self.time[node]], quasi)

    def loss(self, node: int) -> Fraction:
        """What the quasi columns lose at this node: 0 as they are, 1 for each left out."""
        chosen = zip(self.ladders, self.steps[node], strict=True)
        return sum((rungs[step].loss for rungs, step in chosen), Fraction(0))

    def coarser(self, node: int) -> Mask:
        """All nodes that generalise this one, itself included."""
        steps = np.all(self.steps >= self.steps[node], axis=1)
        nodes: Mask = self.order.finer[self.time[node], self.time] & steps
        return nodes

    def finer(self, node: int) -> Mask:
        """All nodes that this one generalises, itself included."""
        steps = np.all(self.steps <= self.steps[node], axis=1)
        nodes: Mask = self.order.finer[self.time, self.time[node]] & steps
        return nodes

    @cached_property
    def _above(self) -> list[list[int]]:
        above: list[list[int]] = [[] for _ in self.order.granules]
        for fine, coarse in self.order.directly_coarser():
            above[fine].append(coarse)
        return above

    @cached_property
    def _strides(self) -> list[int]:
        sizes = [len(self.order.granules), *(len(rungs) for rungs in self.ladders)]
        return [int(np.prod(sizes[i + 1 :], dtype=np.int64)) for i in range(len(sizes))]

    def directly_coarser(self, node: int) -> list[int]:
        """The nodes one step up: a directly coarser granularity, or one step of one ladder."""
        time = int(self.time[node])
        up = [node + (coarse - time) * self._strides[0] for coarse in self._above[time]]
        for ladder, rungs in enumerate(self.ladders):
            if self.steps[node, ladder] + 1 < len(rungs):
                up.append(node + self._strides[ladder + 1])
        return up

    def directly_finer(self, node: int) -> list[int]:
        """The nodes one step down."""
        time = int(self.time[node])
        below = [fine for fine, above in enumerate(self._above) if time in above]
        down = [node + (fine - time) * self._strides[0] for fine in below]
        for ladder in range(len(self.ladders)):
            if self.steps[node, ladder] > 0:
                down.append(node - self._strides[ladder + 1])
        return down

    @cached_property
    def rank(self) -> npt.NDArray[np.int64]:
        """A number that grows with every step up."""
        height: npt.NDArray[np.int64] = self.order.finer.sum(axis=0)[self.time]
        rank: npt.NDArray[np.int64] = height + self.steps.sum(axis=1)
        return rank
