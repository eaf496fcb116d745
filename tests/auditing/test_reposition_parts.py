"""Small parts of the audit of a feed, against slow and obvious ones."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from anachron.auditing.evidence.boxes import Boxes, holders, planted
from anachron.auditing.evidence.compared import strange_rows
from anachron.auditing.evidence.digests import ascends, find, repeated, words_of
from anachron.auditing.evidence.matching import Ways, matched
from anachron.auditing.reading.columns import tally
from anachron.auditing.reading.succession import succession
from anachron.calendar.definitions import BUILT_IN, Granularity
from anachron.calendar.realise import realise, span

DAY = 86_400_000_000


# Who can stand behind which row


def perfect(need: list[int], room: list[int], ways: set[tuple[int, int]]) -> bool:
    """Whether all needs can be met and all rooms filled, by trying."""
    if not need:
        return not any(room)
    options = [range(min(need[0], r) + 1 if (len(need), at) in ways else 1)
               for at, r in enumerate(room)]  # fmt: skip
    return any(
        perfect(need[1:], [r - p for r, p in zip(room, part, strict=True)], ways)
        for part in product(*options)
        if sum(part) == need[0]
    )


@pytest.mark.parametrize("seed", range(6))
def test_matching_is_exact(seed: int) -> None:
    draws = np.random.default_rng(seed)
    outcomes = set()
    for _ in range(150):
        classes, cells = draws.integers(1, 5, size=2).tolist()
        need = draws.integers(1, 4, size=classes)
        room = np.bincount(draws.integers(0, cells, int(need.sum())), minlength=cells)
        there = draws.random((classes, cells)) < draws.choice([0.4, 0.6, 0.8])
        of, to = np.nonzero(there)
        left, open_ = matched(Ways(need, room, of, to))
        ways = {(classes - int(k), int(c)) for k, c in zip(of, to, strict=True)}
        expected = perfect(need.tolist(), room.tolist(), ways)
        assert (left == 0 and not open_.any()) is expected
        outcomes.add(expected)
    assert outcomes == {True, False}


def test_others_make_room() -> None:
    """Greedy from the first fails: the second and the third must go elsewhere."""
    of, to = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 1, 2, 2, 0])
    left, open_ = matched(Ways(np.array([2, 2, 2]), np.array([1, 3, 2]), of, to))
    assert left == 0
    assert not open_.any()


# Who lies in which box


@pytest.mark.parametrize("axes", [1, 2, 4])
@pytest.mark.parametrize("boxes", [0, 1, 7, 300])
def test_boxes_hold_what_they_hold(axes: int, boxes: int) -> None:
    draws = np.random.default_rng(axes * 1000 + boxes)
    snapshot = draws.integers(0, 5, boxes) * 2
    first = [draws.integers(-20, 20, boxes) for _ in range(axes)]
    last = [low + draws.integers(-1, 12, boxes) for low in first]
    where = draws.integers(0, 11, 500)
    points = [draws.integers(-25, 35, 500) for _ in range(axes)]
    found = list(holders(planted(Boxes(snapshot, first, last)), where, points))
    pairs = {(int(a), int(b)) for some in found for a, b in zip(*some, strict=True)}
    held = where[:, None] == snapshot[None, :]
    for low, high, point in zip(first, last, points, strict=True):
        held &= (low <= point[:, None]) & (point[:, None] <= high)
    assert pairs == {(int(a), int(b)) for a, b in zip(*np.nonzero(held), strict=True)}
    assert sum(len(some) for some, _ in found) == len(pairs)


# Records by their hashes


def test_hashes_are_found_by_both_words() -> None:
    draws = np.random.default_rng(5)
    words = draws.integers(0, 2**63, (400, 2), dtype=np.uint64)
    words[100:130, 0] = words[0, 0]  # the same first half
    words[200:210] = words[50]
    listed = words[np.lexsort((words[:, 1], words[:, 0]))]
    assert ascends(listed)
    assert not ascends(listed[::-1])
    assert repeated(listed) == 10
    place = find(words, listed)
    assert (listed[place] == words).all()
    assert (find(words + np.uint64(1), listed) == -1).all()
    assert (find(words, listed[:0]) == -1).all()
    texts = [int(a).to_bytes(8, "big") + int(b).to_bytes(8, "big") for a, b in words.tolist()]
    column = pa.array([b"x" * 16, *texts], pa.binary(16))[1:]
    assert (words_of(column) == words).all()
    assert len(words_of(pa.array([], pa.binary(16)))) == 0


def test_numbers_are_counted_alike_with_and_without_sorting() -> None:
    key, count = np.array([3, 1, 3, 9], dtype=np.int64), np.array([2, 5, 1, 4], dtype=np.int64)
    for size in (10, 2**40):
        numbers, many = tally(key, count, size)
        assert (numbers.tolist(), many.tolist()) == ([1, 3, 9], [5, 3, 4])
        assert tally(key, None, size)[1].tolist() == [1, 2, 1]


# Rows without a ledger


def unserved(homes: list[int], rows: list[int], window: int) -> int:
    """The fewest rows that find no record, by augmenting paths."""
    taken: dict[int, int] = {}

    def serve(row: int, seen: set[int]) -> bool:
        for at, home in enumerate(homes):
            if at in seen or not home <= rows[row] < home + window:
                continue
            seen.add(at)
            if at not in taken or serve(taken[at], seen):
                taken[at] = row
                return True
        return False

    return sum(not serve(row, set()) for row in range(len(rows)))


@pytest.mark.parametrize("seed", range(4))
def test_rows_take_the_oldest_records(seed: int) -> None:
    draws = np.random.default_rng(seed)
    for _ in range(100):
        kinds, window = int(draws.integers(1, 4)), int(draws.integers(1, 4))
        ours, home = draws.integers(-1, kinds, 12), draws.integers(0, 6, 12)
        theirs, there = draws.integers(0, kinds, 8), draws.integers(-1, 7, 8)
        expected = sum(
            unserved(home[ours == k].tolist(), there[(theirs == k) & (there >= 0)].tolist(), window)
            for k in range(kinds)
        )
        one = np.ones(8, dtype=np.int64)
        assert strange_rows(ours, home, theirs, there, one, window) == expected


# Calendars


BUSINESS = Granularity.business_days(holidays=["2020-12-25"])
OWN = [
    BUSINESS,
    Granularity.every("fortnight", 2, "week", anchor="2025-01-06"),
    Granularity.every("fortnight_before", 2, "week", anchor="1999-01-04"),
    Granularity.group("periods", "week", sizes=[4, 4, 5], anchor="2020-12-28"),
    Granularity.within("business_week", BUSINESS, "week"),
    Granularity.within("all_month", "day", "month"),
    Granularity.every("three_days", 3, BUSINESS, anchor="2021-01-04"),
    Granularity.every("five_hours", 5, "hour", anchor="2020-01-01"),
    Granularity.boundaries("term", ["2019-09-15", "2020-09-20", "2021-01-12", "2021-05-04"]),
]
ZONES = ["UTC", "Europe/Rome", "Asia/Kathmandu", "Australia/Lord_Howe"]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    "granularity",
    [Granularity(name) for name in BUILT_IN if name not in ("second", "minute")] + OWN,
    ids=lambda granularity: granularity.name,
)
def test_granules_are_told_off_as_the_calendar_has_them(
    granularity: Granularity, zone: str
) -> None:
    low = 1_600_000_000_000_000  # 2020-09-13T12:26:40Z
    check(granularity, zone, low, low + 400 * DAY)


@pytest.mark.parametrize("name", ["day", "hour", "part_of_day", "week_part", "minute"])
def test_a_zone_that_skipped_a_day(name: str) -> None:
    low = 1_324_000_000_000_000
    check(Granularity(name), "Pacific/Apia", low, low + 30 * DAY)


def check(granularity: Granularity, zone: str, low: int, high: int) -> None:
    found = succession(granularity, zone, low, high)
    granules = realise(granularity, span(zone, low, high))
    start, end = granules.bounds(np.arange(granules.size))
    here = (end > low) & (start < high)
    assert found is not None
    assert found[0].tolist() == start[here].tolist()
    assert found[1].tolist() == end[here].tolist()


def test_what_is_too_fine_is_not_told_off() -> None:
    assert succession(Granularity("second"), "UTC", 0, 4000 * DAY) is None
    tens = Granularity.every("tens", 10, "second", anchor="1990-01-01")
    assert succession(tens, "UTC", 20_000 * DAY, 20_001 * DAY) is None
    nowhere = Granularity.every("odd", 2, BUSINESS, anchor="2021-01-02")
    assert succession(nowhere, "UTC", 20_000 * DAY, 20_001 * DAY) is None
