"""Diverse subgroups: what their cuts tell, in all ways to deal values and with all lots."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from anachron.methods.patterns import diversity
from anachron.methods.patterns.diversity import Cut, Diversity, cut, lined_up, telling
from tests.oracle.worlds.lots import every_run

Seen = tuple[tuple[tuple[int, ...], tuple[float, ...]], ...]


class Line:
    """People in blocks, lined up as they are numbered, and what they have among them."""

    def __init__(self, blocks: tuple[int, ...], dealt: str, least: int, l: int) -> None:  # noqa: E741
        self.block = np.repeat(np.arange(len(blocks)), blocks)
        self.dealt = [float(ord(letter)) for letter in dealt]
        self.least, self.l = least, l

    def outcomes(self, distance: float = 0.0) -> Iterator[tuple[Seen, tuple[float, ...], Fraction]]:
        """What may be seen, in which world, and how likely both are."""
        worlds = sorted(set(permutations(self.dealt)))
        for world in worlds:
            for seen, chance in every_run(lambda lots: self._seen(world, lots, distance)):  # noqa: B023
                yield seen, world, chance / len(worlds)

    def _seen(self, world: tuple[float, ...], lots: object, distance: float) -> Seen:
        values = np.array(world)
        wanted = Diversity(
            values, self.l, lambda _, rows: np.array(lots.aside(len(rows))), distance
        )
        part = cut(np.arange(len(world)), self.block, self.least, wanted).part
        sets = [np.flatnonzero(part == number) for number in np.unique(part)]
        return tuple(sorted((tuple(s.tolist()), tuple(sorted(values[s]))) for s in sets))

    def most(self, distance: float = 0.0) -> Fraction:
        """The largest chance with which somebody's value, or one near a number, can be guessed."""
        seen: dict[Seen, dict[tuple[float, ...], Fraction]] = defaultdict(dict)
        for what, world, chance in self.outcomes(distance):
            seen[what][world] = seen[what].get(world, Fraction(0)) + chance
        numbers = {x + side * distance for x in self.dealt for side in (-1, 0, 1)}
        return max(
            sum((p for w, p in worlds.items() if abs(w[who] - x) <= distance), Fraction(0))
            / sum(worlds.values())
            for worlds in seen.values()
            for who in range(len(self.dealt))
            for x in numbers
        )


LINES = [
    ((2, 2, 2), "aabcde", 2, 2),
    ((2, 4), "aabcde", 2, 2),
    ((3, 4), "aaabbcd", 3, 2),
    ((2, 3), "aabcd", 2, 2),
    ((5,), "aabbc", 2, 2),
    ((1, 2, 2, 2), "aabbccd", 2, 2),
    ((3, 3), "aabbcd", 3, 3),
    ((2, 2, 3), "aaabbcd", 2, 2),
    ((4, 3), "aabbcde", 3, 3),
    pytest.param(((7,), "aaabcde", 3, 2), marks=pytest.mark.campaign),
]


@pytest.mark.parametrize("line", LINES, ids=str)
def test_nobody_is_more_certain_than_one_in_l(line: tuple[tuple[int, ...], str, int, int]) -> None:
    assert Line(*line).most() <= Fraction(1, line[3])


def test_numbers_that_are_near_count_as_one() -> None:
    for blocks in ((2, 2, 2), (2, 4), (2, 3)):
        line = Line(blocks, "abdfhj"[: sum(blocks)], 2, 2)
        assert line.most(0.5) <= Fraction(1, 2)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(150))
def test_random_lines(seed: int) -> None:
    rng = random.Random(seed)
    while True:
        least, l = rng.choice(((2, 2), (2, 2), (3, 2), (3, 3)))  # noqa: E741
        blocks = tuple(rng.choice((1, 2, 2, 3, 4)) for _ in range(rng.choice((2, 3, 4))))
        dealt = "".join(sorted(rng.choice("aabbcde") for _ in range(sum(blocks))))
        if 2 * least <= len(dealt) <= 8 and l * max(map(dealt.count, dealt)) <= len(dealt):
            break
    assert Line(blocks, dealt, least, l).most() <= Fraction(1, l)


def test_a_cut_that_is_tried_without_counting_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two and four only the two can be crowded: if they are not cut off, they are."""
    monkeypatch.setattr(diversity, "telling", lambda *_: False)
    assert Line((2, 4), "aabcde", 2, 2).most() == 1


def test_who_steps_aside_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.oracle.worlds.lots.Lots.aside", lambda _, size: list(range(size)))
    assert Line((7,), "aaabcde", 3, 2).most() > Fraction(1, 2)


@pytest.mark.parametrize(("s", "t"), [(2, 3), (2, 4), (3, 4), (2, 5), (3, 5)])
@pytest.mark.parametrize("dealt", ["aab", "aabb", "aaab", "aaabb", "aaabbb", "aaaabb"])
@pytest.mark.parametrize("l", [2, 3])
def test_telling_is_a_count_of_all_ways(s: int, t: int, dealt: str, l: int) -> None:  # noqa: E741
    held = (dealt + "uvwxyz")[: s + t]
    ways = sorted(set(permutations(held)))
    crowded = [
        way for way in ways
        if any(l * max(map(side.count, side)) > len(side) for side in (way[:s], way[s:]))
    ]  # fmt: skip
    most = max(
        (sum(way[who] == value for way in crowded) * Fraction(1, len(crowded))
         for who in (0, s) for value in held),
        default=Fraction(0),
    ) if crowded else Fraction(0)  # fmt: skip
    counts = tuple(sorted(map(held.count, set(held)), reverse=True))
    assert telling(s, t, counts, l) == (most > Fraction(1, l))


def test_what_failed_is_not_cut_further() -> None:
    values = np.array([1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    wanted = Diversity(values, 2, lambda _, rows: np.arange(len(rows)))
    block = np.zeros(8, dtype=np.int64)
    begun = Cut(np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    found = cut(np.arange(8), block, 2, wanted, begun)
    assert found.part.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert found.failed.tolist() == [1] * 8


def test_blocks_in_blocks_are_lined_up_by_their_first_members() -> None:
    outer, inner = np.array([1, 0, 1, 0, 1]), np.array([2, 0, 2, 0, 1])
    assert lined_up(np.array([3, 4, 1, 2, 0]), outer, inner).tolist() == [4, 2, 0, 3, 1]
