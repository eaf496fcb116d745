"""Published rows stand in time order; so do labels, but for parts of a day and repeated hours."""

from __future__ import annotations

import pyarrow as pa
import pytest

from anachron.engines.local.load import load
from anachron.guarantees import TimeGranularity
from anachron.methods.granularity.choose import plan
from anachron.schema import Schema

ROME = Schema("uid", "at", time_zone="Europe/Rome")
# The hour from two to three came twice on 29 October 2006.
TIMES = [f"2006-10-{day}T{hour:02d}:00:00Z" for day in (28, 29) for hour in (0, 1, 10, 16, 20)]


@pytest.mark.parametrize(
    ("name", "as_text"),
    [("hour", False), ("part_of_day", False), ("day", True), ("week_part", True), ("month", True)],
)
def test_rows_stand_in_time_order(name: str, as_text: bool) -> None:
    rows = {"uid": ["a", "b"] * len(TIMES), "at": [t for t in TIMES for _ in "ab"]}
    table = load(pa.table(rows), ROME)
    found = plan(table, TimeGranularity(k=2, granularities=[name]))
    schema, batches = found.counting.publish(found.offer.lattice.view(0))
    release = pa.Table.from_batches(batches, schema)
    table.close()
    starts = release.column("at_start").to_pylist()
    assert starts == sorted(starts)
    labels = release.column("at").to_pylist()
    assert schema.field("at").type == pa.string()
    assert (labels == sorted(labels)) == as_text


def test_bounds_are_those_of_the_granule_in_its_zone() -> None:
    table = load(pa.table({"uid": ["a", "b"], "at": ["2006-10-29"] * 2}), ROME)
    found = plan(table, TimeGranularity(k=2, granularities=["day"]))
    schema, batches = found.counting.publish(found.offer.lattice.view(0))
    row = pa.Table.from_batches(batches, schema).to_pylist()[0]
    table.close()
    assert schema.field("at_start").type == pa.timestamp("us", "UTC")
    assert row["at"] == "2006-10-29"
    assert row["at_start"].isoformat() == "2006-10-28T22:00:00+00:00"
    assert row["at_end"].isoformat() == "2006-10-29T23:00:00+00:00"
