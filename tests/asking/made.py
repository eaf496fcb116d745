"""Published rows made by hand, without a release on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

from anachron.asking.catalogue import Catalogue, Column
from anachron.asking.layout import Layout, laid_out
from anachron.asking.question import Among, Ranges, Span
from anachron.calendar.definitions import Granularity

ZONE = "Europe/Rome"
DAYS = Granularity.named("day")


def whole(name: str, form: str = "interval", **more: Any) -> Column:
    """Whole numbers as intervals, as bins, or as they are."""
    published = (name,) if form == "exact" else (f"{name}_low", f"{name}_high")
    return Column(name, "quasi", form, "whole", published, pa.int64(), **more)  # type: ignore[arg-type]


def number(name: str, form: str = "interval") -> Column:
    return Column(name, "quasi", form, "number", (f"{name}_low", f"{name}_high"), pa.float64())  # type: ignore[arg-type]


def text(name: str, form: str = "exact", **more: Any) -> Column:
    published = (f"{name}_low", f"{name}_high") if form == "ordered" else (name,)
    return Column(name, "quasi", form, "text", published, pa.string(), **more)  # type: ignore[arg-type]


def sensitive(name: str, kind: str = "text") -> Column:
    return Column(name, "sensitive", "exact", kind, (name,))  # type: ignore[arg-type]


def time(name: str, form: str = "granules", granularity: Granularity = DAYS) -> Column:
    published = (name, f"{name}_start", f"{name}_end")
    return Column(name, "time", form, "instant", published, granularity=granularity)  # type: ignore[arg-type]


def made(
    columns: Sequence[Column],
    rows: Mapping[str, Sequence[Any]],
    fakes: Sequence[int] | None = None,
    values: Mapping[str, Sequence[Any]] | None = None,
    window: int = 1,
    candidates: Sequence[int] | None = None,
) -> Layout:
    """Lay out rows; ``group`` numbers their groups from 0. With ``values`` it is anatomy."""
    names = {g.name: g for g in map(Granularity.named, ("hour", "day", "week", "month"))}
    catalogue = Catalogue(
        "made", {c.name: c for c in columns}, ZONE, 0, window=window, granularities=names
    )
    table, group = pa.table(dict(rows)), np.array(rows["group"])
    with_role = catalogue.with_role
    none = np.array(fakes or [0] * (int(group.max()) + 1))
    if values is None:
        by_group = with_role("quasi", "time")
        loose = None if candidates is None else np.array(candidates)
        return laid_out(
            catalogue, table, group, by_group, with_role("sensitive"), none, candidates=loose
        )
    beside = pa.table(dict(values))
    apart = (beside, np.array(values["group"]), np.array(values["count"]))
    return laid_out(catalogue, table, group, with_role("time"), with_role("quasi"), none, apart)


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
