"""Finer-than against sets of cells, and the order that follows from it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anachron.calendar.definitions import BUILT_IN, Granularity
from anachron.calendar.granules import Granules, from_bounds
from anachron.calendar.order import finer_than, order
from anachron.calendar.realise import realise, span
from anachron.errors import CalendarError
from tests.calendar.brute import PLACES, moments

CHAINS = (
    ("second", "minute", "quarter_hour", "hour", "part_of_day", "day", "week_part", "week"),
    ("day", "half_month", "month", "quarter", "half_year", "year", "decade"),
)
EDGES = {pair for chain in CHAINS for pair in itertools.pairwise(chain)}


def realised(names: list[str], zone: str, year: int) -> list[Granules]:
    every = moments(zone, year)
    over = span(zone, every[0].instant, every[-1].instant)
    return [realise(Granularity.named(name), over) for name in names]


@pytest.mark.parametrize(("zone", "year"), PLACES)
def test_the_built_in_order_is_the_same_in_every_zone(zone: str, year: int) -> None:
    every = moments(zone, year)
    names = list(BUILT_IN)[::-1]
    found = order(realised(names, zone, year), every[0].instant, every[-1].instant)
    edges = {(names[i], names[j]) for i, j in found.directly_coarser()}
    # No week of these years crosses into another decade, unless one of them ends a decade.
    crossing = year % 10 == 9
    assert edges - {("week", "decade"), ("week_part", "decade")} == EDGES
    assert (edges == EDGES) == crossing
    at = {name: i for i, name in enumerate(names)}
    assert found.finer[at["second"]].all()
    assert not found.finer[at["week"], at["month"]]
    assert not found.finer[at["month"], at["week"]]


@pytest.mark.parametrize(("zone", "year"), PLACES)
def test_finer_than_is_containment_of_sets_of_instants(zone: str, year: int) -> None:
    every = np.array([m.instant for m in moments(zone, year)])
    names = list(BUILT_IN[3:])
    granules = dict(zip(names, realised(names, zone, year), strict=True))
    index = {name: granules[name].index(every).tolist() for name in names}
    for a, b in itertools.permutations(names, 2):
        if finer_than(granules[a], granules[b], int(every[0]), int(every[-1])):
            assert len(set(zip(index[a], index[b], strict=True))) == len(set(index[a])), (a, b)


def _labels(cells: list[int | None]) -> tuple[Granules, list[int | None]]:
    """Granules of a label per cell: cells are ten units wide, labels ascend, None is a gap."""
    at = [i for i, label in enumerate(cells) if label is not None]
    start = np.array(at, dtype=np.int64) * 10
    index = np.array([cells[i] for i in at], dtype=np.int64)
    # Neighbouring cells of one granule are one piece.
    joins = np.zeros(len(at), dtype=bool)
    joins[1:] = (np.diff(start) == 10) & (np.diff(index) == 0)
    heads = np.flatnonzero(~joins)
    tails = np.append(heads[1:], len(at))
    end = start[tails - 1] + 10 if len(at) else start
    made = from_bounds("made", start[heads], end, index[heads], lambda i: [str(j) for j in i])
    return made, cells


@st.composite
def labelled(draw: st.DrawFn) -> list[int | None]:
    cells: list[int | None] = []
    label = 0
    steps = st.sampled_from(("same", "next", "gap"))
    for step in draw(st.lists(steps, min_size=12, max_size=12)):
        label += step == "next"
        cells.append(None if step == "gap" else label)
    return cells


@settings(max_examples=400, deadline=None, derandomize=True)
@given(labelled())
def test_granules_with_gaps_and_pieces_are_found_again(cells: list[int | None]) -> None:
    granules, _ = _labels(cells)
    used = sorted({label for label in cells if label is not None})
    expected = [-1 if label is None else used.index(label) for label in cells]
    instants = np.arange(len(cells)) * 10 + 5
    assert granules.index(instants).tolist() == expected
    assert granules.size == len(used)
    start, end = granules.bounds(np.arange(len(used)))
    for place in range(len(used)):
        mine = [i for i, found in enumerate(expected) if found == place]
        assert (start[place], end[place]) == (10 * mine[0], 10 * mine[-1] + 10)
        assert granules.label(np.array([place])) == [str(used[place])]
    for i, _ in enumerate(cells):
        following = [found for found in expected[i:] if found >= 0]
        assert granules.next(10 * i + 3) == (following[0] if following else len(used))
    for first, last in itertools.combinations(range(len(cells)), 2):
        whole = -1 not in expected[first : last + 1]
        assert granules.covers(10 * first, 10 * last) == whole


@settings(max_examples=600, deadline=None, derandomize=True)
@given(labelled(), labelled(), st.integers(0, 11), st.integers(0, 11))
def test_finer_than_of_anything_is_containment(
    fine: list[int | None], coarse: list[int | None], one: int, other: int
) -> None:
    first, last = min(one, other), max(one, other)
    holders: dict[int, set[int | None]] = {}
    for a, b in zip(fine, coarse, strict=True):
        if a is not None:
            holders.setdefault(a, set()).add(b)
    inside = all(len(found) == 1 for found in holders.values())
    here = range(first, last + 1)
    covered = all(coarse[i] is not None for i in here if fine[i] is not None)
    a, b = _labels(fine)[0], _labels(coarse)[0]
    assert finer_than(a, b, 10 * first + 4, 10 * last + 4) == (inside and covered)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(labelled(), min_size=2, max_size=5), st.integers(0, 11), st.integers(0, 11))
def test_orders_are_orders_and_edges_their_transitive_reduction(
    several: list[list[int | None]], one: int, other: int
) -> None:
    granules = [_labels(cells)[0] for cells in several]
    first, last = 10 * min(one, other), 10 * max(one, other)
    try:
        found = order(granules, first, last)
    except CalendarError:
        return
    n = len(granules)
    everyone = list(itertools.product(range(n), repeat=3))
    finer = found.finer
    assert all(finer[i, i] for i in range(n))
    assert all(not (finer[i, j] and finer[j, i]) for i, j, _ in everyone if i != j)
    assert all(finer[i, k] for i, j, k in everyone if finer[i, j] and finer[j, k])
    chains = [(i, j, k) for i, j, k in everyone if len({i, j, k}) == 3]
    between = {(i, k) for i, j, k in chains if finer[i, j] and finer[j, k]}
    strict = {(i, j) for i, j, _ in everyone if i != j and finer[i, j]}
    assert set(found.directly_coarser()) == strict - between


def test_three_lists_that_agree_on_the_table_make_no_circle() -> None:
    days = np.array(["2006-03-10", "2006-03-20"], dtype="datetime64[us]").astype(np.int64)
    over = span("UTC", int(days[0]), int(days[1]))
    lists = {
        "a": ["2006-02-01", "2006-03-01", "2006-04-01", "2006-05-01"],
        "b": ["2006-01-01", "2006-02-01", "2006-03-01", "2006-04-01"],
        "c": ["2006-03-01", "2006-04-01", "2006-05-01"],
    }
    found = [realise(Granularity.boundaries(n, at), over) for n, at in lists.items()]
    edges = order(found, int(days[0]), int(days[1])).directly_coarser()
    assert len(edges) == 2


def test_a_granularity_without_granules_holds_nothing() -> None:
    empty, _ = _labels([None] * 12)
    assert empty.size == empty.next(0) == 0
    assert empty.index(np.array([0, 5])).tolist() == [-1, -1]
    assert not empty.covers(0, 5)
    assert finer_than(empty, _labels([0] * 12)[0], 0, 110)
    assert not finer_than(_labels([0] * 12)[0], empty, 0, 110)


def test_months_by_two_names_are_refused() -> None:
    year = span("UTC", 0, 0)
    months = [f"1970-{m:02d}-01" for m in range(1, 13)] + ["1971-01-01"]
    twins = [
        Granularity.boundaries("twin", months),
        Granularity.every("one", 1, "month", anchor="1970-03-05"),
    ]
    for twin in twins:
        with pytest.raises(CalendarError, match=r"'month' and .* shift equivalent"):
            order([realise(Granularity.named("month"), year), realise(twin, year)], 0, 0)


def test_days_off_make_a_finer_granularity() -> None:
    first, last = 1_136_160_000_000_000, 1_137_000_000_000_000  # 2006-01-02 to 2006-01-11
    over = span("UTC", first, last)
    made = {
        g.name: realise(g, over)
        for g in (
            Granularity.business_days(),
            Granularity.named("day"),
            Granularity.named("week"),
            Granularity.within("work_week", Granularity.business_days(), "week"),
        )
    }

    def finer(a: str, b: str) -> bool:
        return finer_than(made[a], made[b], first, last)

    assert finer("business_day", "day")
    assert not finer("day", "business_day")
    assert finer("business_day", "work_week")
    assert finer("work_week", "week")
    assert not finer("day", "work_week")
    assert not finer("week", "work_week")
