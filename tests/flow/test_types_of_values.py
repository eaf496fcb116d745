"""A value is the same in whatever type it is stored, from release to release."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import TableError
from tests.daily import daily
from tests.flow import small_feeds
from tests.flow.spellings import with_column

SCHEMA = an.Schema(subject="who", quasi="age", sensitive="ill")
PROMISE = an.MInvariance(m=2)
COUNT = 24

HALVES = [Decimal(i % 6) / 2 for i in range(COUNT)]
LARGE = [10**15 + i % 6 for i in range(COUNT)]
DAYS = [date(2024, 1, 1) + timedelta(i % 6) for i in range(COUNT)]
NOONS = [datetime(2024, 1, 1, 12) + timedelta(i % 6) for i in range(COUNT)]
MIDNIGHTS = [datetime.combine(day, datetime.min.time()) for day in DAYS]

DRIFTS = {
    "fewer decimals": (pa.array(HALVES, pa.decimal128(3, 2)),
                       pa.array(HALVES, pa.decimal128(2, 1))),
    "more decimals": (pa.array(HALVES, pa.decimal128(2, 1)),
                      pa.array(HALVES, pa.decimal128(20, 9))),
    "decimal to float": (pa.array(HALVES, pa.decimal128(3, 2)), pa.array(map(float, HALVES))),
    "float to decimal": (pa.array(map(float, HALVES)), pa.array(HALVES, pa.decimal128(18, 2))),
    "single to double": (pa.array(map(float, HALVES), pa.float32()), pa.array(map(float, HALVES))),
    "whole to float": (pa.array([i % 6 for i in range(COUNT)]),
                       pa.array([float(i % 6) for i in range(COUNT)])),
    "large whole to float": (pa.array(LARGE), pa.array(map(float, LARGE))),
    "large float to whole": (pa.array(map(float, LARGE)), pa.array(LARGE)),
    "date to timestamp": (pa.array(DAYS), pa.array(MIDNIGHTS, pa.timestamp("us"))),
    "timestamp to date": (pa.array(MIDNIGHTS, pa.timestamp("us")), pa.array(DAYS)),
    "seconds to microseconds": (pa.array(NOONS, pa.timestamp("s")),
                                pa.array(NOONS, pa.timestamp("us"))),
    "nanoseconds to milliseconds": (pa.array(NOONS, pa.timestamp("ns")),
                                    pa.array(NOONS, pa.timestamp("ms"))),
    "with a zone": (pa.array(NOONS, pa.timestamp("us")),
                    pa.array([t.replace(tzinfo=UTC) for t in NOONS], pa.timestamp("us", "UTC"))),
    "truth to text": (pa.array([i % 2 == 0 for i in range(COUNT)]),
                      pa.array([str(i % 2 == 0).lower() for i in range(COUNT)])),
    "whole to text": (pa.array([i % 6 for i in range(COUNT)]),
                      pa.array([str(i % 6) for i in range(COUNT)])),
}  # fmt: skip


def register(ills: pa.Array) -> pa.Table:
    ages = [20 + 7 * i % 60 for i in range(COUNT)]
    return pa.table({"who": [f"p{i}" for i in range(COUNT)], "age": ages, "ill": ills})


def published(table: pa.Table, root: Path) -> an.Release:
    return an.publish(table, SCHEMA, PROMISE, ledger=root / "ledger", to=root / "releases")


@pytest.mark.parametrize(
    "drift", daily(DRIFTS, "fewer decimals", "date to timestamp", "whole to text", "with a zone")
)
def test_a_register_knows_values_of_another_type(drift: str, tmp_path: Path) -> None:
    """I4: everybody counted as changed, and the audit stopped it as a mistake of Anachron."""
    before, after = DRIFTS[drift]
    published(register(before), tmp_path)
    later = register(after).slice(1)
    release = published(later, tmp_path)
    told = release.explanation or {}
    assert (told["known"], told["changed"]) == (COUNT - 1, 0)
    assert an.audit(release, table=later, ledger=tmp_path / "ledger").holds
    # And back again.
    release = published(register(before).slice(2), tmp_path)
    assert (release.explanation or {})["changed"] == 0


@pytest.mark.parametrize("drift", daily(DRIFTS, "large float to whole", "truth to text"))
def test_the_same_register_in_another_type_is_the_same_release(drift: str, tmp_path: Path) -> None:
    before, after = DRIFTS[drift]
    first = published(register(before), tmp_path)
    again = published(register(after), tmp_path)
    assert again.path == first.path


UNLIKE = {
    "fractions for whole numbers": (pa.array(HALVES, pa.decimal128(3, 2)),
                                    pa.array([i % 6 for i in range(COUNT)])),
    "dates for moments": (pa.array(NOONS, pa.timestamp("us")), pa.array(DAYS)),
    "numbers for words": (pa.array(["a", "b", "c", "d"] * 6), pa.array([1, 2, 3, 4] * 6)),
    "truth for words": (pa.array(["a", "b", "c", "d"] * 6), pa.array([True, False] * 12)),
}  # fmt: skip


@pytest.mark.parametrize("drift", UNLIKE)
def test_what_cannot_be_written_in_the_new_type_is_refused(drift: str, tmp_path: Path) -> None:
    before, after = UNLIKE[drift]
    published(register(before), tmp_path)
    with pytest.raises(TableError, match="values of earlier releases") as error:
        published(register(after), tmp_path)
    [problem] = error.value.problems
    assert problem.column == "ill"
    assert "format of before" in str(problem)
    assert len(list(tmp_path.glob("releases/*"))) == 1


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="bytes that are no text") as error:
        published(register(pa.array([b"\xff", b"\xfe"] * 12)), tmp_path)
    assert error.value.problems[0].column == "ill"


FEED = an.Reposition(l=2, window=2)
OF_FEEDS = [d for d in DRIFTS if "text" not in d and "truth" not in d]


def day(number: int, values: pa.Array, ages: pa.Array | None = None) -> pa.Table:
    rows = small_feeds.table(small_feeds.day(number, "x" * 12))
    rows = with_column(rows, "value", values.slice(0, 12))
    return rows if ages is None else with_column(rows, "age", ages.slice(0, 12))


@pytest.mark.parametrize("drift", daily(OF_FEEDS, "float to decimal", "timestamp to date"))
def test_a_feed_knows_values_and_quasi_values_of_another_type(drift: str, tmp_path: Path) -> None:
    before, after = DRIFTS[drift]
    plan = small_feeds.plan(tmp_path, FEED)
    an.open(plan).push(day(1, before, before))
    an.open(plan).push(day(2, after, after))
    third = an.open(plan).push(day(3, before, before))
    assert all(an.audit(release, ledger=tmp_path / "ledger").holds for release in third)
    last = an.open(plan).flush()
    everything = pa.concat_tables([day(n, before, before) for n in (1, 2, 3)])
    releases = small_feeds.entries(tmp_path)
    assert sum(release.table().num_rows for release in releases) == 36
    assert {release.table().schema for release in releases} == {releases[0].table().schema}
    assert an.audit(last[-1], table=everything, ledger=tmp_path / "ledger").holds


@pytest.mark.parametrize("drift", daily(OF_FEEDS, "decimal to float", "with a zone"))
def test_a_push_is_recognised_in_another_type(drift: str, tmp_path: Path) -> None:
    before, after = DRIFTS[drift]
    plan = small_feeds.plan(tmp_path, FEED)
    an.open(plan).push(day(1, before, before))
    ledger = an.Ledger.open(tmp_path / "ledger")
    waiting = ledger.feed()
    assert an.open(plan).push(day(1, after, after)) == []
    assert waiting is not None
    assert waiting.equals(ledger.feed())


@pytest.mark.parametrize("column", ["value", "age"])
def test_a_push_whose_types_cannot_be_those_of_before_is_refused(
    column: str, tmp_path: Path
) -> None:
    plan = small_feeds.plan(tmp_path, FEED)
    whole, words = pa.array(list(range(12))), pa.array([f"w{i}" for i in range(12)])
    an.open(plan).push(day(1, whole, whole))
    parts = (words, whole) if column == "value" else (whole, words)
    with pytest.raises(TableError, match="another type than in the snapshots before") as error:
        an.open(plan).push(day(2, *parts))
    assert error.value.problems[0].column == column
