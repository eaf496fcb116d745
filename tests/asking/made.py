"""Published rows made by hand, without a release on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

from anachron.asking.catalogue import Catalogue, Column
from anachron.asking.layout import CellLayout, laid_out
from anachron.asking.question import Among, Ranges, Span
from anachron.calendar.definitions import Granularity
from anachron.published import ways
from anachron.published.form import Form
from anachron.published.groups import groups_of
from anachron.published.layouts import COUNTERFEITS, DATA, GROUP, OF_FEEDS, REGISTER

ZONE = "Europe/Rome"
DAYS = Granularity.named("day")


STORED = {"whole": pa.int64(), "number": pa.float64(), "text": pa.string()}
BOXES = replace(
    REGISTER,
    tables={DATA: (GROUP, "<quasi>", "<time>", "<sensitive>"), COUNTERFEITS: (GROUP, COUNTERFEITS)},
)


def whole(name: str, form: str = "interval") -> Column:
    """Whole numbers as intervals, as bins, or as they are."""
    return Column(_numbers(name, form), pa.int64())


def number(name: str, form: str = "interval") -> Column:
    return Column(_numbers(name, form), pa.float64())


def _numbers(name: str, form: str) -> ways.Way:
    if form == "bins":
        return ways.Bins(name, Decimal(10), Decimal(0))
    return ways.AsItIs(name) if form == "exact" else ways.Interval(name, Decimal(1))


def text(name: str, form: str = "exact", **more: Any) -> Column:
    kinds = {"exact": ways.AsItIs, "ordered": ways.Ordered, "parents": ways.Parents,
             "prefix": ways.Prefix}  # fmt: skip
    return Column(kinds[form](name, **more), pa.string())


def sensitive(name: str, kind: str = "text") -> Column:
    return Column(ways.Content(name), STORED[kind])


def time(name: str, form: str = "granules", granularity: Granularity = DAYS) -> Column:
    kind = ways.Snapshots if form == "snapshots" else ways.Granules
    return Column(kind(name, granularity), pa.string())


def made(
    columns: Sequence[Column],
    rows: Mapping[str, Sequence[Any]],
    fakes: Sequence[int] | None = None,
    values: Mapping[str, Sequence[Any]] | None = None,
    window: int = 1,
    candidates: Sequence[int] | None = None,
) -> CellLayout:
    """Lay out rows; ``group`` numbers their groups from 0. With ``values`` it is anatomy."""
    names = {g.name: g for g in map(Granularity.named, ("hour", "day", "week", "month"))}
    catalogue = Catalogue(
        "made", {c.name: c for c in columns}, ZONE, 0, window=window, granularities=names
    )
    groups = int(max(rows["group"])) + 1
    none = {"group": range(groups), COUNTERFEITS: fakes or [0] * groups}
    beside = {COUNTERFEITS: none} if values is None else {"sensitive": values}
    tables = {name: pa.table(dict(t)) for name, t in {DATA: rows, **beside}.items()}
    layout = BOXES if values is None else OF_FEEDS["anatomy"]
    form = Form(layout, {c.name: c.way for c in columns}, {})
    loose = np.array(candidates or [0] * groups, dtype=np.int64)
    return laid_out(groups_of(form, tables.__getitem__), catalogue, loose)


def days(name: str, shown: Sequence[date]) -> dict[str, list[Any]]:
    """Civil days as they are published."""
    bounds = [(instant(day), instant(day + timedelta(1))) for day in shown]
    return {
        name: [day.isoformat() for day in shown],
        f"{name}_start": [start for start, _ in bounds],
        f"{name}_end": [end for _, end in bounds],
    }


def instant(day: date) -> datetime:
    """When a civil day begins."""
    return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(ZONE)).astimezone(UTC)


def between(name: str, low: Any, high: Any, **more: Any) -> Ranges:
    return Ranges(name, (Span(low, high),), **more)


def window_of(name: str, first: date, last: date) -> Ranges:
    """All days from the first to the last."""
    start, end = (micros(instant(day)) for day in (first, last + timedelta(1)))
    return Ranges(name, (Span(start, end, high_closed=False),))


def micros(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def one_of(name: str, *values: Any, inside: bool = True, nulls: bool = False) -> Among:
    return Among(name, frozenset(values), inside, nulls)
