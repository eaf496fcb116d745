from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from anachron.auditing.evidence.events import behind
from anachron.auditing.reading.events import EventGroups
from anachron.auditing.reading.form import Events
from anachron.behind import read
from anachron.calendar.definitions import Granularity
from anachron.guarantees import TimeGranularity
from anachron.schema import Schema
from tests.auditing.test_granules import instant

DAYS = Granularity.business_days(holidays=["2024-05-01"])
WEEKS = Granularity.within("business_week", DAYS, "week")


def groups(*weeks: tuple[str, str, str]) -> EventGroups:
    return EventGroups(
        number=np.arange(1, len(weeks) + 1),
        rows=np.ones(len(weeks), np.int64),
        alike=np.zeros(len(weeks), bool),
        quasi=(),
        granule=np.arange(len(weeks)),
        published=(),
        label=[label for _, _, label in weeks],
        start=np.array([instant(start) for start, _, _ in weeks], np.int64),
        end=np.array([instant(end) for _, end, _ in weeks], np.int64),
    )


def found(times: list[str], *weeks: tuple[str, str, str]) -> list[int]:
    shape = Events(
        files=(Path("data.parquet"),),
        promise=TimeGranularity(k=2, granularities=[WEEKS]),
        zone="UTC",
        time="at",
        granularity=WEEKS,
        quasi=(),
        sensitive=(),
        rows=0,
        suppressed=0,
        exact=False,
    )
    table = pa.table({"who": [f"p{i}" for i in range(len(times))], "at": times})
    held = read(table, Schema(subject="who", time="at"))
    try:
        return [int(n) for n in behind(shape, groups(*weeks), held).group_of_row]
    finally:
        held.close()


def test_rows_are_found_by_the_published_bounds() -> None:
    times = [
        "2024-04-28T23:59:59",  # before the week
        "2024-04-29T00:00:00",
        "2024-05-01T12:00:00",  # the holiday inside it
        "2024-05-03T23:59:59",
        "2024-05-04T00:00:00",  # its end
        "2024-05-06T00:00:00",
    ]
    weeks = (
        ("2024-04-29T00:00", "2024-05-04T00:00", "2024-W18"),
        ("2024-05-06T00:00", "2024-05-11T00:00", "2024-W19"),
    )
    assert found(times, *weeks) == [0, 1, 0, 1, 0, 2]


def test_nothing_is_found_where_nothing_is_published() -> None:
    assert found(["2024-04-29T00:00:00"]) == [0]
