"""Small releases for the tests of this folder."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from anachron.calendar.definitions import Granularity
from anachron.guarantees import TimeGranularity
from anachron.ladders import Ladder
from anachron.published import ways
from anachron.release.write import write

FACTS: dict[str, Any] = {
    "number": 3,
    "previous": "ab" * 32,
    "guarantee": {"method": "granularity", "k": 5, "granularities": ["week"]},
    "columns": {
        "admitted": ways.Granules("admitted", Granularity.named("week")),
        "age": ways.Bins("age", Decimal(10), Decimal(0)),
        "ward": ways.AsItIs("ward"),
        "zip": ways.LeftOut("zip"),
    },
    "time_zone": "Europe/Rome",
    "suppressed_rows": 2,
}


def every_type() -> pa.Table:
    instant = dt.datetime(2006, 1, 2, 12, 30, tzinfo=dt.UTC)
    return pa.table(
        {
            "ward": ["plain", "=1+1", None],
            "age_low": pa.array([20, 30, None], pa.int16()),
            "cost": [0.1, 1e300, None],
            "price": pa.array([Decimal("1.50"), Decimal("-2.00"), None]),
            "alive": [True, False, None],
            "born": [dt.date(1980, 2, 29), dt.date(2000, 1, 1), None],
            "admitted_start": pa.array(
                [instant, instant.replace(microsecond=5), None], pa.timestamp("us", "UTC")
            ),
            "group": pa.array(["a", "b", None]).dictionary_encode(),
        }
    )


def release_of(
    table: pa.Table,
    folder: Path,
    *,
    csv: bool = False,
    batch: int = 1000,
    facts: dict[str, Any] = FACTS,
) -> Path:
    folder.mkdir()
    batches = iter(table.to_batches(max_chunksize=batch))
    write(folder, {"data": (table.schema, batches)}, facts, csv)
    return folder


LADDERS = {"age": Ladder.bins(10), "zip": Ladder.drop()}
SENSITIVE = ("cost", "price", "alive", "born")
WHOLE: dict[str, Any] = {
    **FACTS,
    "guarantee": TimeGranularity(k=5, granularities=["week"], ladders=LADDERS).to_dict(),
    "columns": {
        **FACTS["columns"],
        **{name: ways.Content(name) for name in SENSITIVE},
    },
}
"""What is said of a release that can be read."""


def whole() -> pa.Table:
    """A table with all columns that are described, of many types."""
    table = every_type()
    start = pc.fill_null(table["admitted_start"], table["admitted_start"][0])
    columns = {
        "group": pa.array([1, 2, 3]),
        "ward": table["ward"],
        "age_low": table["age_low"],
        "age_high": table["age_low"],
        "admitted": ["2006-W01", "2006-W02", "2006-W03"],
        "admitted_start": start,
        "admitted_end": pc.add(start, dt.timedelta(days=7)),
    }
    return pa.table({**columns, **{name: table[name] for name in SENSITIVE}})
