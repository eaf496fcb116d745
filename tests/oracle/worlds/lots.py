"""All draws of lots that a run of the publisher can make, one after the other.

A run asks for lots when it needs them: an order of some people, of some values. Here the answer
comes from a script. What lies beyond the script is answered with the first possibility, and
noted; so all runs can be gone through like the leaves of a tree, each with its probability.

Notes
-----
Two orders that the publisher cannot tell apart need not both be played. ``play.matters`` says, for
each purpose for which lots are drawn, among whom the order matters. What is not listed there is
drawn in full, so that a new purpose is never overlooked. Whether the list is true is tested: lots
in every order there is lead to the same releases, equally often.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import factorial, prod
from typing import TypeVar

import numpy as np

from anachron.kernels import hashing
from anachron.methods.invariance import lots as drawing

__all__ = ["Lots", "TooMany", "answering", "every_run"]

Result = TypeVar("Result")


class TooMany(Exception):
    """There are more draws than anybody wants to go through."""


class Lots:
    """Answers of one run: those of the script, then the first possible ones, or random ones."""

    def __init__(self, script: Sequence[int] = (), rng: random.Random | None = None) -> None:
        self.script, self.rng = script, rng
        self.taken: list[int] = []
        self.sizes: list[int] = []

    def pick(self, size: int) -> int:
        """Draw one of so many possibilities."""
        if size == 1:
            return 0
        at = len(self.taken)
        if self.rng is not None:
            chosen = self.rng.randrange(size)
        else:
            chosen = self.script[at] if at < len(self.script) else 0
        self.taken.append(chosen)
        self.sizes.append(size)
        return chosen

    def order(self, classes: Sequence[Hashable]) -> list[int]:
        """Draw a place for each member; only the order among those of one class is drawn."""
        members: dict[Hashable, list[int]] = {}
        for member, of in enumerate(classes):
            members.setdefault(of, []).append(member)
        place = [0] * len(classes)
        begin = 0
        for here in members.values():
            drawn = _orders(len(here))[self.pick(factorial(len(here)))]
            for member, at in zip(here, drawn, strict=True):
                place[member] = begin + at
            begin += len(here)
        return place

    def aside(self, size: int) -> list[int]:
        """Draw who comes first, and who of the first two others: more is not asked for."""
        first, swapped = self.pick(size), self.pick(2)
        others = [member for member in range(size) if member != first]
        if swapped:
            others[:2] = others[1::-1]
        place = [0] * size
        for at, member in enumerate(others):
            place[member] = at + 1
        return place

    @property
    def chance(self) -> Fraction:
        return Fraction(1, prod(self.sizes))


@cache
def _orders(size: int) -> list[tuple[int, ...]]:
    return list(permutations(range(size)))


def every_run(
    run: Callable[[Lots], Result], most: int = 3_000
) -> Iterator[tuple[Result, Fraction]]:
    """Go through all draws of a run: its results, and the probability of each."""
    waiting: list[tuple[int, ...]] = [()]
    count = 0
    while waiting:
        script = waiting.pop()
        lots = Lots(script)
        result = run(lots)
        count += 1
        if count > most:
            raise TooMany
        for at in range(len(script), len(lots.sizes)):
            before = tuple(lots.taken[:at])
            waiting.extend((*before, other) for other in range(1, lots.sizes[at]))
        yield result, lots.chance


Answer = Callable[[str, np.ndarray, Sequence[bytes] | None], list[int]]
"""Purpose, members and rows: the place of each."""


@contextmanager
def answering(
    answer: Answer, lots: Lots, idle: Callable[[str, int], bool] = lambda _purpose, _n: False
) -> Iterator[None]:
    """Let all lots that are drawn by keyed hash be drawn here.

    ``idle`` says of values that are drawn for somebody one after the other, for what purpose and
    of how many, that it makes no difference in which order.
    """
    real, really = hashing.rank_keys, drawing.shuffled

    def scripted(
        key: bytes, release: int, purpose: str, subjects: np.ndarray,
        rows: Sequence[bytes] | None = None,
    ) -> np.ndarray:  # fmt: skip
        place = np.array(answer(purpose, subjects, rows), dtype=np.uint64)
        return np.stack((place, place), axis=1).reshape(-1, 2)

    def one_by_one(
        key: bytes, release: int, purpose: str, subject: bytes, n: int
    ) -> Iterator[int]:  # fmt: skip
        left = list(range(n))
        while left:
            yield left.pop(0 if idle(purpose, n) else lots.pick(len(left)))

    hashing.rank_keys, drawing.shuffled = scripted, one_by_one
    try:
        yield
    finally:
        hashing.rank_keys, drawing.shuffled = real, really
