"""People in groups, against dictionaries of sets."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anachron.engines.local.rows import LocalRows
from anachron.kernels import people as kernel
from anachron.kernels.people import Pairs, events, pairs

OUTSIDE = -1
HUGE = 2**40

Rows = list[tuple[int, int, int]]
ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6), st.integers(0, 9)), max_size=60)


def columns(rows: Rows) -> list[np.ndarray]:
    return [np.array([row[i] for row in rows], dtype=np.int64) for i in range(3)]


def granule(time: int, width: int, gap: int) -> int:
    """A monotone map from times to granules, with a gap in the middle."""
    return OUTSIDE if time == gap else time // width


def expected(rows: Rows, width: int, gap: int) -> dict[tuple[int, int], Counter[int]]:
    found: dict[tuple[int, int], Counter[int]] = {}
    for q, u, t in rows:
        h = granule(t, width, gap)
        if h != OUTSIDE:
            found.setdefault((q, h), Counter())[u] += 1
    return dict(sorted(found.items()))


def counted(rows: Rows, width: int, gap: int) -> Pairs:
    of = events(*columns(rows))
    held = [granule(int(t), width, gap) for t in of.T]
    return pairs(of, np.array(held, dtype=np.int64), OUTSIDE)


def check(rows: Rows, width: int, gap: int) -> None:
    """People in groups by this kernel, and groups as the engine gathers them."""
    found, right = counted(rows, width, gap), expected(rows, width, gap)
    told = zip(*(part.tolist() for part in (found.Q, found.H, found.U, found.rows)), strict=True)
    assert sorted(told) == [(*g, u, n) for g, c in right.items() for u, n in sorted(c.items())]
    of = LocalRows.of(vars(found))
    groups = of.counts(("Q", "H"), {"all": ("sum", "rows"), "most": ("most", "rows")})
    held = {name: column.tolist() for name, column in groups.collect(*groups.later).items()}
    assert list(zip(held["Q"], held["H"], strict=True)) == list(right)
    assert held["count"] == [len(c) for c in right.values()]
    assert held["all"] == [c.total() for c in right.values()]
    assert held["most"] == [max(c.values()) for c in right.values()]
    assert len(rows) - sum(held["all"]) == sum(granule(t, width, gap) == OUTSIDE for *_, t in rows)
    few = of.join(groups.map(lambda batch: {"few": batch["count"] < 2}), ("Q", "H")).where("few")
    assert len(few.counts(("U",))) == len({u for c in right.values() if len(c) < 2 for u in c})


@settings(max_examples=300, deadline=None, derandomize=True)
@given(ROWS)
def test_events_are_the_different_rows_in_order(rows: Rows) -> None:
    of = events(*columns(rows))
    found = zip(of.Q.tolist(), of.U.tolist(), of.T.tolist(), strict=True)
    assert dict(zip(found, of.rows.tolist(), strict=True)) == dict(sorted(Counter(rows).items()))
    assert list(zip(of.Q, of.U, of.T, strict=True)) == sorted(set(rows))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(ROWS, st.integers(1, 5), st.integers(0, 12))
def test_groups_are_counted_in_a_table_of_all(rows: Rows, width: int, gap: int) -> None:
    check(rows, width, gap)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(ROWS, st.integers(1, 5), st.integers(0, 12))
def test_groups_are_counted_by_sorting(rows: Rows, width: int, gap: int) -> None:
    # Quasi numbers so large that a table of all possible groups would be too large.
    check([(q * 10_000_000, u, t) for q, u, t in rows], width, gap)


@pytest.mark.parametrize("factors", [(1, 1, HUGE), (HUGE, 1, HUGE), (HUGE, HUGE, HUGE)])
@settings(max_examples=150, deadline=None, derandomize=True)
@given(rows=ROWS)
def test_codes_too_large_for_one_key_are_sorted_too(factors: Rows, rows: Rows) -> None:
    large = [tuple(a * b for a, b in zip(row, factors, strict=True)) for row in rows]
    of = events(*columns(large))
    assert list(zip(of.Q.tolist(), of.U.tolist(), of.T.tolist(), strict=True)) == sorted(set(large))
    assert of.rows.tolist() == [n for _, n in sorted(Counter(large).items())]


def test_the_paths_under_test_are_the_ones_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []

    def spy(name: str) -> None:
        before = getattr(kernel, name)
        monkeypatch.setattr(kernel, name, lambda *a: taken.append(name) or before(*a))

    for name in ("_ranks", "_gathered", "_gathered_by_key"):
        spy(name)
    rows = [(4, 6, 9), (1, 2, 3)]
    events(*columns(rows))
    events(*columns([(q, u * HUGE, t * HUGE) for q, u, t in rows]))
    events(*columns([(q * HUGE, u * HUGE, t * HUGE) for q, u, t in rows]))
    assert taken == ["_gathered_by_key", "_ranks", "_gathered_by_key", "_ranks", "_gathered"]


def test_an_empty_table_and_a_table_outside_have_no_groups() -> None:
    for rows in ([], [(1, 2, 3), (1, 2, 3), (0, 0, 3)]):
        found = counted(rows, 1, 3)
        assert len(found.Q) == len(found.U) == len(found.H) == len(found.rows) == 0
        assert len(LocalRows.of(vars(found)).counts(("Q", "H"))) == 0


def test_subjects_as_narrow_codes_are_welcome() -> None:
    q, u, t = columns([(3, 2, 1), (3, 2, 1), (0, 1, 5)])
    of = events(q.astype(np.int32), u.astype(np.int32), t)
    assert of.rows.tolist() == [1, 2]
    assert of.U.tolist() == [1, 2]
