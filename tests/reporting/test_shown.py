"""A release in numbers, compared with counting by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

from anachron.reporting.granularity.shown import MOST_BARS, EventsShown
from tests.reporting.stand_ins import MONDAY, WEEK, release, table

HOUR = 3_600_000_000
Reader = Callable[[pa.Table, str], EventsShown]


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    return lambda data, zone: EventsShown(release(tmp_path, data, time_zone=zone))


def granules(starts: list[int], length: int) -> pa.Table:
    moments = pa.timestamp("us", "UTC")
    return pa.table(
        {
            "group": list(range(len(starts))),
            "t": [f"{start:020d}" for start in starts],
            "t_start": pa.array(starts).cast(moments),
            "t_end": pa.array([start + length for start in starts]).cast(moments),
        }
    )


def test_counts_agree_with_counting_by_hand(read: Reader) -> None:
    data = table(20, 3)
    found = read(data, "UTC")
    assert found.rows == data.num_rows
    by_granule = Counter(data["admitted"].to_pylist())
    assert {bar.first: bar.rows for bar in found.bars} == by_granule
    by_group = Counter(Counter(data["group"].to_pylist()).values())
    assert {s.low: s.groups for s in found.sizes if s.groups} == by_group
    assert sum(s.rows for s in found.sizes) == found.rows
    assert (found.bars[0].first, found.bars[-1].last) == ("week 0000", "week 0019")


def test_columns_are_told_apart_by_what_the_release_says(read: Reader) -> None:
    found = read(table(3, sensitive="x_low"), "UTC")
    assert (found.time.column, found.quasi, found.sensitive) == (
        "admitted", ("age", "sex"), ("x_low",),
    )  # fmt: skip


@pytest.mark.parametrize("many", [MOST_BARS, MOST_BARS + 1, 1000, 12_345])
def test_bars_are_few_and_lose_nothing(read: Reader, many: int) -> None:
    found = read(granules([MONDAY + i * WEEK for i in range(many)], WEEK), "UTC")
    assert len(found.bars) <= MOST_BARS
    assert sum(bar.rows for bar in found.bars) == many
    assert sum(bar.granules for bar in found.bars) == found.granules == many
    # All bars but the last hold the same number of granules, so none looks tall by accident.
    assert len({bar.granules for bar in found.bars[:-1]}) == 1


def test_days_of_23_and_25_hours_do_not_make_a_comb(read: Reader) -> None:
    starts = [MONDAY + i * 24 * HOUR - (HOUR if 80 <= i % 365 < 300 else 0) for i in range(1000)]
    found = read(granules(starts, 24 * HOUR), "Europe/Rome")
    assert len({bar.granules for bar in found.bars[:-1]}) == 1


def test_bars_stand_on_the_clock_of_the_zone(read: Reader) -> None:
    midnight_in_rome = MONDAY - HOUR
    found = read(granules([midnight_in_rome], 24 * HOUR), "Europe/Rome")
    assert found.bars[0].since == MONDAY // 1000


def test_group_sizes_of_a_wide_range_are_joined(read: Reader) -> None:
    sizes = [3] * 10 + [500] * 2 + [12_000]
    group = [number for number, size in enumerate(sizes) for _ in range(size)]
    data = pa.table(
        {
            "group": group,
            "t": ["x"] * len(group),
            "t_start": pa.array([0] * len(group)).cast(pa.timestamp("us", "UTC")),
            "t_end": pa.array([HOUR] * len(group)).cast(pa.timestamp("us", "UTC")),
        }
    )
    found = read(data, "UTC").sizes
    assert len(found) <= 40
    assert sum(size.groups for size in found) == len(sizes)
    assert sum(size.rows for size in found) == len(group)
    assert found[0].low == 3
    assert found[-1].low <= 12_000 <= found[-1].high
    assert all(a.high + 1 == b.low for a, b in pairwise(found))


@pytest.mark.parametrize("moment", [-62_135_596_800_000_000, 253_402_214_400_000_000])
def test_the_ends_of_the_calendar_are_shown(read: Reader, moment: int) -> None:
    for zone in ("Pacific/Kiritimati", "Etc/GMT+12"):
        assert len(read(granules([moment], HOUR), zone).bars) == 1
