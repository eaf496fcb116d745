"""Releases made by hand, as slowly and plainly as can be, to be right or to be spoilt."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from anachron.behind import Microdata
from anachron.guarantees import TimeGranularity
from anachron.ladders import Ladder
from anachron.release.read import Release
from anachron.schema import Schema
from tests.auditing.drafting import Row, as_csv, shuffled
from tests.auditing.held import held
from tests.release.forging import describe, write_parquet

ROME = ZoneInfo("Europe/Rome")
SCHEMA = Schema(
    subject="patient",
    time="admitted",
    quasi=["age", "zip", "ward", "sex", "insurance"],
    sensitive=["diagnosis", "cost"],
    time_zone="Europe/Rome",
)
WARDS = {"eye": "head", "ear": "head", "heart": "chest", "lung": "chest"}
PROMISE = TimeGranularity(
    k=3,
    granularities=["day", "week", "month"],
    max_suppressed="1/3",
    max_share="1/2",
    ladders={
        "age": Ladder.bins(10, 20),
        "zip": Ladder.prefix(3, 2),
        "ward": Ladder.hierarchy(WARDS),
        "insurance": Ladder.drop(),
    },
)
GROUP = ("age_low", "age_high", "zip", "ward", "sex", "admitted", "admitted_start", "admitted_end")
SENSITIVE = ("diagnosis", "cost")
TYPES = pa.schema(
    [
        ("group", pa.int64()),
        ("age_low", pa.int64()),
        ("age_high", pa.int64()),
        ("zip", pa.string()),
        ("ward", pa.string()),
        ("sex", pa.string()),
        ("admitted", pa.string()),
        ("admitted_start", pa.timestamp("us", "UTC")),
        ("admitted_end", pa.timestamp("us", "UTC")),
        ("diagnosis", pa.string()),
        ("cost", pa.float64()),
    ]
)
COLUMNS: dict[str, dict[str, Any]] = {
    "age": {
        "role": "quasi",
        "step": "bins",
        "width": "10",
        "origin": "0",
        "published": ["age_low", "age_high"],
    },
    "zip": {"role": "quasi", "step": "prefix", "length": 2, "published": ["zip"]},
    "ward": {
        "role": "quasi",
        "step": "parents",
        "covers": {"head": ["ear", "eye"], "chest": ["heart", "lung"]},
        "published": ["ward"],
    },
    "sex": {"role": "quasi", "step": "as it is", "published": ["sex"]},
    "insurance": {"role": "quasi", "step": "left out", "published": []},
    "admitted": {
        "role": "time",
        "granularity": "week",
        "published": ["admitted", "admitted_start", "admitted_end"],
    },
    "diagnosis": {"role": "sensitive", "published": ["diagnosis"]},
    "cost": {"role": "sensitive", "published": ["cost"]},
}

# age, zip, ward, sex and Monday of a group, and how many rows each of its people has
CELLS = (
    ((20, "10", "eye", "f", date(2024, 3, 25)), (1, 1, 2)),  # the clock changes in this week
    ((20, "10", "ear", "f", date(2024, 4, 1)), (1, 1, 1, 2)),
    ((20, "10", "lung", None, date(2024, 4, 1)), (2, 1, 1)),
    ((20, "10", "lung", "f", date(2024, 4, 1)), (1, 1, 1)),
    ((30, "10", "lung", "m", date(2024, 12, 30)), (1, 2, 1, 1, 1)),  # week 1 of 2025
    ((30, "20", "lung", "m", date(2024, 12, 30)), (1, 1, 1)),
    ((None, "20", "heart", "m", date(2025, 1, 6)), (1, 1, 1)),
    ((40, "20", "heart", "m", date(2025, 1, 6)), (2, 2)),  # too few people, rows enough
    ((50, "20", "heart", "m", date(2025, 1, 6)), (1, 1, 4)),  # one of them owns two thirds
    ((20, "10", "ear", "f", date(2024, 4, 8)), (1,)),  # when a published week has just ended
)
LEFT_OUT = (7, 8, 9)


def microdata() -> list[Row]:
    """The rows of all cells, out of order."""
    rows: list[Row] = []
    for cell, ((age, area, ward, sex, monday), people) in enumerate(CELLS):
        for person, times in enumerate(people):
            for nth in range(times):
                # The first comes at the very start of the week.
                minute = 30 if person or nth else 0
                moment = datetime(monday.year, monday.month, monday.day, 0, minute, tzinfo=ROME)
                at = moment + timedelta(days=(2 * person + 3 * nth) % 7)
                rows.append(
                    {
                        "patient": f"P{cell}{person}",
                        "admitted": at.isoformat(),
                        "age": None if age is None else age + (3 * person) % 10,
                        "zip": f"{area}{person}{nth}",
                        "ward": ward,
                        "sex": sex,
                        "insurance": "ab"[person % 2],
                        "diagnosis": ("flu", "gout", None, "=cold")[(person + nth + cell) % 4],
                        "cost": 10.5 * person + nth,
                    }
                )
    return shuffled(rows)


def loaded(rows: list[Row] | None = None, schema: Schema = SCHEMA) -> Microdata:
    """The microdata as the audit gets them."""
    return held(rows or microdata(), schema)


def week(moment: datetime) -> Row:
    """The published columns of the week that holds a time."""
    monday = moment.date() - timedelta(days=moment.weekday())
    bounds = [
        datetime(day.year, day.month, day.day, tzinfo=ROME).astimezone(UTC)
        for day in (monday, monday + timedelta(days=7))
    ]
    year, number, _ = monday.isocalendar()
    return {
        "admitted": f"{year}-W{number:02d}",
        "admitted_start": bounds[0],
        "admitted_end": bounds[1],
    }


def published(row: Row) -> Row:
    """What a row of the microdata is published as."""
    low = None if row["age"] is None else row["age"] // 10 * 10
    return {
        "age_low": low,
        "age_high": None if low is None else low + 9,
        "zip": row["zip"][:2] + "*",
        "ward": WARDS[row["ward"]],
        "sex": row["sex"],
        **week(datetime.fromisoformat(row["admitted"])),
        "diagnosis": row["diagnosis"],
        "cost": row["cost"],
    }


def ascending(row: Row) -> list[tuple[bool, Any]]:
    """Sort by what is published, missing values last."""
    order = (*GROUP[:5], "admitted_start", *SENSITIVE)
    return [(row[name] is None, 0 if row[name] is None else row[name]) for name in order]


@dataclass
class Draft:
    """A release that is not written yet."""

    rows: list[Row]
    promise: dict[str, Any] = field(default_factory=PROMISE.to_dict)
    columns: dict[str, Any] = field(default_factory=lambda: copy.deepcopy(COLUMNS))
    suppressed: int = 11
    types: pa.Schema = TYPES
    stated_rows: int | None = None
    note: str = ""
    commas: Callable[[list[Row]], list[Row]] | None = None
    table: Callable[[pa.Table], pa.Table] = lambda table: table
    after: Callable[[Path], None] = lambda folder: None

    def tidy(self) -> Draft:
        """Sort the rows and number the groups, as a release must."""
        self.rows.sort(key=ascending)
        before, number = None, 0
        for row in self.rows:
            combination = tuple(row[name] for name in GROUP)
            number += combination != before
            before = combination
            row["group"] = number
        return self

    def group(self, number: int) -> list[Row]:
        """The rows of a group."""
        return [row for row in self.rows if row["group"] == number]

    def write(self, folder: Path) -> Release:
        """Write the release with digests that are right."""
        folder.mkdir()
        columns = [[row[name] for row in self.rows] for name in self.types.names]
        arrays = [pa.array(c, f.type) for c, f in zip(columns, self.types, strict=True)]
        table = self.table(pa.Table.from_arrays(arrays, schema=self.types))
        file = folder / "data.parquet"
        write_parquet(file, table, self.note)
        if self.commas is not None:
            text = as_csv(self.commas(copy.deepcopy(self.rows)), self.types.names)
            (folder / "data.csv").write_text(text, encoding="utf-8", newline="")
        describe(
            folder,
            {"data": self.types},
            {"data": len(self.rows) if self.stated_rows is None else self.stated_rows},
            number=1,
            previous=None,
            guarantee=self.promise,
            columns=self.columns,
            time_zone="Europe/Rome",
            suppressed_rows=self.suppressed,
        )
        self.after(folder)
        return Release(folder)


def draft() -> Draft:
    """A release that keeps its promise."""
    rows = [published(row) for row in microdata() if int(row["patient"][1]) not in LEFT_OUT]
    return Draft(rows).tidy()


def cell(number: int) -> list[Row]:
    """What the rows of a cell would be published as."""
    return [published(row) for row in microdata() if int(row["patient"][1]) == number]
