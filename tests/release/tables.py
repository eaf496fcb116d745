"""Small releases for the tests of this folder."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.release.write import write

FACTS: dict[str, Any] = {
    "number": 3,
    "previous": "ab" * 32,
    "guarantee": {"method": "granularity", "k": 5, "granularities": ["week"]},
    "columns": {
        "admitted": {
            "role": "time",
            "granularity": "week",
            "published": ["admitted", "admitted_start", "admitted_end"],
        },
        "age": {"role": "quasi", "step": "bins", "width": "10", "published": ["age_low"]},
        "ward": {"role": "quasi", "step": "as it is", "published": ["ward"]},
        "zip": {"role": "quasi", "step": "left out", "published": []},
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


def release_of(table: pa.Table, folder: Path, *, csv: bool = False, batch: int = 1000) -> Path:
    folder.mkdir()
    batches = iter(table.to_batches(max_chunksize=batch))
    write(folder, {"data": (table.schema, batches)}, FACTS, csv)
    return folder
