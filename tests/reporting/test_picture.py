"""Nodes of the picture stand apart, coarser ones below, and no edge runs through one."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from anachron.reporting.granularity.picture import ranked
from tests.reporting.stand_ins import BUILT_IN, CHAIN

WEEKS_AND_MONTHS = ranked(BUILT_IN, CHAIN)


def test_branches_stand_side_by_side() -> None:
    at = WEEKS_AND_MONTHS.at
    assert at["week"][1] == at["month"][1]
    assert abs(at["week"][0] - at["month"][0]) == 1
    assert at["day"][0] == (at["week"][0] + at["month"][0]) / 2


def test_a_chain_hangs_straight() -> None:
    at = WEEKS_AND_MONTHS.at
    assert len({at[name][0] for name in ("half_month", "month", "quarter", "year", "decade")}) == 1


def test_one_node_is_a_picture() -> None:
    alone = ranked(["day"], [])
    assert alone.at == {"day": (0.0, 0)}
    assert (alone.width, alone.ranks) == (1.0, 1)


@pytest.mark.parametrize("seed", range(60))
def test_any_order_is_drawn_without_overlap(seed: int) -> None:
    dice = random.Random(seed)
    names = [f"g{i}" for i in range(dice.randint(1, 14))]
    less = {pair for pair in combinations(names, 2) if dice.random() < 0.25}
    for _ in names:
        less |= {(a, d) for a, b in less for c, d in less if b == c}
    edges = sorted(
        (a, b) for a, b in less if not any((a, c) in less and (c, b) in less for c in names)
    )
    drawn = ranked(names, edges)
    for a, b in combinations(names, 2):
        (x, y), (u, v) = drawn.at[a], drawn.at[b]
        assert y != v or abs(x - u) > 1 - 1e-9
        assert (a, b) not in less or y < v
    for points in drawn.edges:
        for x, y in points[1:-1]:
            assert all(v != y or abs(u - x) > 0.75 - 1e-9 for u, v in drawn.at.values())
    assert all(-1e-9 <= x <= drawn.width - 1 + 1e-9 for x, _ in drawn.at.values())
