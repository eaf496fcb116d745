"""Catalogues and records to ask about, made by hand, and conditions judged on exact records."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa

from anachron.asking.catalogue import Catalogue, Column
from anachron.asking.question import All, Among, Any, Begins, Condition, Ranges
from anachron.calendar.definitions import BUILT_IN, Granularity


def instant(text: str) -> int:
    moment = datetime.fromisoformat(text)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(moment.timestamp()) * 1_000_000 + moment.microsecond


def catalogue(
    *columns: Column, method: str = "granularity", zone: str = "UTC", **more: object
) -> Catalogue:
    """Columns of a release that nobody has to publish."""
    granularities = {name: Granularity.named(name) for name in BUILT_IN}
    for column in columns:
        if column.granularity is not None:
            granularities[column.granularity.name] = column.granularity
    facts: dict[str, object] = {"granularities": granularities, "rows": 10, "withheld": 0, **more}
    return Catalogue(method, {c.name: c for c in columns}, zone, **facts)  # type: ignore[arg-type]


def exact(
    name: str, kind: str, storage: pa.DataType, example: object, role: str = "quasi"
) -> Column:
    return Column(
        name, role, "exact", kind, (name,), storage, example=() if example is None else (example,)
    )  # type: ignore[arg-type]


def time(name: str = "seen", granularity: str | Granularity = "day") -> Column:
    given = Granularity.named(granularity) if isinstance(granularity, str) else granularity
    start, end = datetime(2014, 5, 5, tzinfo=UTC), datetime(2014, 5, 12, tzinfo=UTC)
    return Column(
        name, "time", "granules", "instant", (name, f"{name}_start", f"{name}_end"), pa.string(),
        granularity=given, example=("2014-W19", start, end),
    )  # fmt: skip


WHOLE = exact("n", "whole", pa.int64(), 3)
NUMBER = exact("x", "number", pa.float64(), 0.5)
MONEY = exact("money", "number", pa.decimal128(9, 2), Decimal("1.50"))
TEXT = exact("t", "text", pa.string(), "ab", "sensitive")
YES = exact("b", "boolean", pa.bool_(), True)
BORN = exact("born", "date", pa.date32(), datetime(2001, 2, 3).date())
EVERYTHING_ELSE = exact("blob", "other", pa.binary(), b"x")
BINS = Column("age", "quasi", "bins", "whole", ("age_low", "age_high"), pa.int64(),
              width=Decimal(10), origin=Decimal(0), example=(20, 29))  # fmt: skip
ORDERED = Column("district", "quasi", "ordered", "text", ("district_low", "district_high"),
                 pa.string(), order=("harbour", "market", "hill"),
                 example=("harbour", "market"))  # fmt: skip
PREFIX = Column("zip", "quasi", "prefix", "text", ("zip",), pa.string(), length=3,
                example=("SW1*",))  # fmt: skip
PARENTS = Column("job", "quasi", "parents", "text", ("job",), pa.string(),
                 covers={"hands": ("smith", "cook"), "books": ("clerk", "judge")},
                 example=("hands",))  # fmt: skip
COUNTED = Column("rooms", "quasi", "parents", "text", ("rooms",), pa.string(),
                 covers={"few": ("1", "2"), "many": ("3", "10")}, example=("few",))  # fmt: skip
GONE = Column("salary", "quasi", "left out", "other")

RECORDS = catalogue(WHOLE, NUMBER, MONEY, TEXT, YES, BORN, EVERYTHING_ELSE, time())
CELLS = catalogue(BINS, ORDERED, PREFIX, PARENTS, COUNTED, GONE, TEXT, time(granularity="week"))
TIMES = ("2004", "2005", "2006")
SERIES = catalogue(
    *(
        Column(t, "series", "series", "series", (f"{t}_low", f"{t}_high"), pa.float64(),
               example=(1.0, 2.5))
        for t in TIMES
    ),
    exact("job", "text", pa.string(), "cook", "sensitive"),
    method="patterns", times=TIMES, patterns=TIMES,
)  # fmt: skip


def holds(condition: Condition, record: Mapping[str, object]) -> bool:
    """Judge a condition on one record: what a question means, spelled out."""
    if isinstance(condition, All):
        return all(holds(part, record) for part in condition.parts)
    if isinstance(condition, Any):
        return any(holds(part, record) for part in condition.parts)
    assert isinstance(condition, Ranges | Among | Begins)
    value = record[condition.column]
    if value is None:
        return condition.nulls
    if isinstance(condition, Ranges):
        return any(span.holds(value) for span in condition.spans)  # type: ignore[arg-type]
    if isinstance(condition, Among):
        return (value in condition.values) is condition.inside
    return str(value).startswith(condition.prefixes) is condition.inside
