"""Buckets that are too large are halved before they are split, and every promise is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from anachron.arrays import Array
from anachron.engines.base import Rows
from anachron.engines.local.rows import LocalRows
from anachron.methods.invariance import halve
from anachron.methods.invariance.buckets import NEW, Buckets
from anachron.methods.invariance.halve import Filled, halved
from anachron.methods.invariance.rule import Rule
from tests.engines.pieces import Pieces
from tests.oracle import invariance as oracle
from tests.oracle.invariance_cases import bucket
from tests.oracle.invariance_histories import run

Lists = Sequence[Sequence[oracle.Member]]


def slowly(lists: Lists, most: int, low: Any, high: Any) -> list[Lists]:
    """The rule, a bucket at a time, in lists."""
    height = len(lists[0])
    if height == 1 or height * len(lists) <= most:
        return [lists]
    real = [x for members in lists for _, x, _ in members if x is not None]

    def spread(i: int) -> float:
        values = [x[i] for x in real]
        return (max(values) - low[i]) / (high[i] - low[i]) - (min(values) - low[i]) / (
            high[i] - low[i]
        )

    by = max(range(len(real[0])), key=lambda i: (spread(i), -i))
    ordered = [sorted(members, key=lambda t: oracle._before(t, by)) for members in lists]
    cut = height // 2
    return [
        part
        for half in ([o[:cut] for o in ordered], [o[cut:] for o in ordered])
        for part in slowly(half, most, low, high)
    ]


def pseudonym(lot: int) -> list[int]:
    return [0] * 6 + [lot // 256, lot % 256] + [lot * 7 % 256] * 24


def filled_with(buckets: Sequence[Lists], rng: np.random.Generator, pieces: bool) -> Filled:
    """Lists as the method holds them: rows in any order, and counts."""
    width = next(len(x) for lists in buckets for row in lists for _, x, _ in row if x is not None)
    rows = [
        (b, value, x, pseudonym(lot * len(buckets) + b), b * 1000 + name)
        for b, lists in enumerate(buckets)
        for value, members in enumerate(lists)
        for name, x, lot in members
        if x is not None
    ]
    rows += [(NEW, 0, (0.0,) * width, pseudonym(60000 + i), -1) for i in range(3)]
    rows = [rows[i] for i in rng.permutation(len(rows))]
    columns = {
        "bucket": np.array([row[0] for row in rows]),
        "value": np.array([row[1] for row in rows]),
        "quasi": np.array([row[2] for row in rows], dtype=float),
        "who": np.array([row[3] for row in rows], dtype=np.uint8),
        "name": np.array([row[4] for row in rows]),
    }
    counts = [sum(x is not None for _, x, _ in row) for lists in buckets for row in lists]
    signatures = tuple(tuple(range(len(lists))) for lists in buckets)
    held: Rows = Pieces.of(columns) if pieces else LocalRows.of(columns)
    return Filled(held, Buckets(signatures), np.array(counts))


def members(found: Filled) -> list[list[set[int]]]:
    """The people of each list of each bucket."""
    told = found.rows.collect("bucket", "value", "name")
    lists: list[list[set[int]]] = [[set() for _ in s] for s in found.buckets.signatures]
    for b, value, name in zip(
        *(told[c].tolist() for c in ("bucket", "value", "name")), strict=True
    ):
        if b != NEW:
            lists[b][value].add(name)
    return lists


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_halves_are_those_of_the_rule(seed: int, pieces: bool) -> None:
    rng = np.random.default_rng(seed)
    drawn = [bucket(rng, exact=True) for _ in range(12)]
    width = next(len(x) for row in drawn[0] for _, x, _ in row if x is not None)
    same = [
        lists
        for lists in drawn
        if width == next(len(x) for row in lists for _, x, _ in row if x is not None)
    ]
    domain = np.zeros(width) - 1, np.arange(width) + 1.0
    most = int(rng.integers(1, 14))
    with patch.object(halve, "MOST", most):
        found = halved(filled_with(same, rng, pieces), *domain)
    expected = [
        (b, [{b * 1000 + name for name, x, _ in row if x is not None} for row in part])
        for b, lists in enumerate(same)
        for part in slowly(lists, most, *domain)
    ]
    assert members(found) == [part for _, part in expected]
    assert found.counts.tolist() == [len(row) for _, part in expected for row in part]
    assert (found.buckets.sizes * found.heights <= np.maximum(most, found.buckets.sizes)).all()
    assert found.rows.collect("bucket")["bucket"].tolist().count(NEW) == 3


def test_up_to_the_most_nothing_happens() -> None:
    rng = np.random.default_rng(1)
    filled = filled_with([bucket(rng, exact=True)], rng, pieces=False)
    assert halved(filled, np.zeros(9), np.ones(9)) is filled


def test_without_quasi_columns_lots_decide() -> None:
    who = np.array([pseudonym(lot) for lot in (5, 1, 4, 2, 3, 0)], dtype=np.uint8)
    rows = LocalRows.of({
        "bucket": np.zeros(6, dtype=np.int64), "value": np.array([0, 0, 0, 1, 1, 1]),
        "quasi": np.zeros((6, 0)), "who": who, "name": np.array([5, 1, 4, 2, 3, 0]),
    })  # fmt: skip
    with patch.object(halve, "MOST", 4):
        found = halved(Filled(rows, Buckets(((0, 1),)), np.array([3, 3])), np.zeros(0), np.zeros(0))
    assert members(found) == [[{1}, {0}], [{4, 5}, {2, 3}]]


def test_exchanging_two_values_throughout_leaves_the_halves() -> None:
    rng = np.random.default_rng(2)
    who = np.array([pseudonym(int(lot)) for lot in rng.permutation(120)], dtype=np.uint8)
    value, quasi = np.repeat(np.arange(3), 40), rng.integers(-3, 3, (120, 2)).astype(float)

    def halves(of: Array) -> Array:
        rows = {"bucket": np.zeros(120, dtype=np.int64), "value": of, "quasi": quasi, "who": who}
        filled = Filled(LocalRows.of(rows), Buckets(((0, 1, 2),)), np.array([40, 40, 40]))
        found = halved(filled, np.array([-3.0, -3.0]), np.array([2.0, 2.0]))
        return np.asarray(found.rows.collect("bucket")["bucket"])

    with patch.object(halve, "MOST", 20):
        assert (halves(value) == halves(np.array([1, 0, 2])[value])).all()
        assert halves(value).max() == 7


@pytest.mark.parametrize("seed", range(12))
def test_histories_of_halved_buckets_keep_every_promise(seed: int) -> None:
    mode = ("paper", "transparent", "sticky")[seed % 3]
    balance = "pooled" if mode == "transparent" and seed % 2 else "exact"
    m = 2 + seed % 2
    rule = Rule(m, 3 * m, mode=mode, balance=balance, when_ineligible="hold")
    with patch.object(halve, "MOST", 4 + seed):
        run(seed, rule, releases=8, people=150)
