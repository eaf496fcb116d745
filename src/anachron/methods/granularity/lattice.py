"""The product of the quasi ladders and the order of granularities, as a partial order."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np

from anachron.arrays import Array, Flags
from anachron.calendar.order import Order
from anachron.methods.granularity.recode import Rung
from anachron.methods.granularity.view import View

__all__ = ["Lattice"]


@dataclass(frozen=True, eq=False)
class Lattice:
    """All views on offer. A node is numbered; it has a granularity and a step per ladder."""

    order: Order
    ladders: tuple[tuple[Rung, ...], ...]

    @cached_property
    def time(self) -> Array:
        """The granularity of each node."""
        return self._nodes[:, 0]

    @cached_property
    def steps(self) -> Array:
        """The step on each ladder, for each node."""
        return self._nodes[:, 1:]

    @cached_property
    def _nodes(self) -> Array:
        every = np.arange(len(self), dtype=np.int64)
        places = zip(self._strides, self._sizes, strict=True)
        return np.stack([every // stride % size for stride, size in places], axis=1)

    def __len__(self) -> int:
        return prod(self._sizes)

    def widest(self) -> int:
        """How many nodes there are of one rank, at most: about as many must be tested."""
        ranks = np.bincount(self.order.finer.sum(axis=0)).astype(float)
        for rungs in self.ladders:
            ranks = np.convolve(ranks, np.ones(len(rungs)))
        return int(ranks.max())

    def view(self, node: int) -> View:
        """How to look at the table from this node."""
        chosen = zip(self.ladders, self.steps[node], strict=True)
        quasi = tuple(rungs[step].recoding for rungs, step in chosen)
        return View(self.order.granules[self.time[node]], quasi)

    def loss(self, node: int) -> Fraction:
        """What the quasi columns lose at this node: 0 as they are, 1 for each left out."""
        chosen = zip(self.ladders, self.steps[node], strict=True)
        return sum((rungs[step].loss for rungs, step in chosen), Fraction(0))

    def coarser(self, node: int) -> Flags:
        """All nodes that generalise this one, itself included."""
        time, *steps = self._nodes[node].tolist()
        return self._box(self.order.finer[time], [slice(step, None) for step in steps])

    def finer(self, node: int) -> Flags:
        """All nodes that this one generalises, itself included."""
        time, *steps = self._nodes[node].tolist()
        return self._box(self.order.finer[:, time], [slice(step + 1) for step in steps])

    def _box(self, times: Flags, steps: list[slice]) -> Flags:
        """All nodes with one of some granularities, and on each ladder one of some steps."""
        climbed = [i for i, rungs in enumerate(self.ladders) if len(rungs) > 1]
        box = np.zeros([len(self.ladders[i]) for i in climbed], dtype=np.bool_)
        box[tuple(steps[i] for i in climbed)] = True
        nodes: Flags = times[:, None] & box.reshape(1, -1)
        return nodes.reshape(-1)

    @cached_property
    def _above(self) -> list[list[int]]:
        above: list[list[int]] = [[] for _ in self.order.granules]
        for fine, coarse in self.order.directly_coarser():
            above[fine].append(coarse)
        return above

    @cached_property
    def _sizes(self) -> list[int]:
        return [len(self.order.granules), *(len(rungs) for rungs in self.ladders)]

    @cached_property
    def _strides(self) -> list[int]:
        return [prod(self._sizes[i + 1 :]) for i in range(len(self._sizes))]

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
    def rank(self) -> Array:
        """A number that grows with every step up."""
        height: Array = self.order.finer.sum(axis=0)[self.time]
        rank: Array = height + self.steps.sum(axis=1)
        return rank
