"""Catalogues and records to ask about, made by hand, and conditions judged on exact records."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa

from anachron.asking.catalogue import Catalogue, Column
from anachron.asking.question import All, Among, Any, Begins, Condition, Ranges
from anachron.calendar.definitions import BUILT_IN, Granularity
from anachron.published import ways


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
    way = ways.AsItIs(name) if role == "quasi" else ways.Content(name)
    found = Column(way, storage, () if example is None else (example,))
    assert found.kind == kind
    return found


def time(name: str = "seen", granularity: str | Granularity = "day") -> Column:
    given = Granularity.named(granularity) if isinstance(granularity, str) else granularity
    start, end = datetime(2014, 5, 5, tzinfo=UTC), datetime(2014, 5, 12, tzinfo=UTC)
    return Column(ways.Granules(name, given), pa.string(), ("2014-W19", start, end))


WHOLE = exact("n", "whole", pa.int64(), 3)
NUMBER = exact("x", "number", pa.float64(), 0.5)
MONEY = exact("money", "number", pa.decimal128(9, 2), Decimal("1.50"))
TEXT = exact("t", "text", pa.string(), "ab", "sensitive")
YES = exact("b", "boolean", pa.bool_(), True)
BORN = exact("born", "date", pa.date32(), datetime(2001, 2, 3).date())
EVERYTHING_ELSE = exact("blob", "other", pa.binary(), b"x")
BINS = Column(ways.Bins("age", Decimal(10), Decimal(0)), pa.int64(), (20, 29))
ORDERED = Column(
    ways.Ordered("district", ("harbour", "market", "hill")), pa.string(), ("harbour", "market")
)
PREFIX = Column(ways.Prefix("zip", 3), pa.string(), ("SW1*",))
JOBS = {"hands": ("smith", "cook"), "books": ("clerk", "judge")}
PARENTS = Column(ways.Parents("job", JOBS), pa.string(), ("hands",))
ROOMS = {"few": ("1", "2"), "many": ("3", "10")}
COUNTED = Column(ways.Parents("rooms", ROOMS), pa.string(), ("few",))
GONE = Column(ways.LeftOut("salary"))

RECORDS = catalogue(WHOLE, NUMBER, MONEY, TEXT, YES, BORN, EVERYTHING_ELSE, time())
CELLS = catalogue(BINS, ORDERED, PREFIX, PARENTS, COUNTED, GONE, TEXT, time(granularity="week"))
TIMES = ("2004", "2005", "2006")
SERIES = catalogue(
    *(Column(ways.Envelope(t, True, True), pa.float64(), (1.0, 2.5)) for t in TIMES),
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
