"""Questions that work on a release, for whoever asked one that does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from anachron.asking.catalogue import Catalogue, Column
from anachron.errors import Problem, QuestionError

__all__ = ["condition_on", "examples", "quoted", "refusal", "written"]

_SIMPLE = re.compile(r"[a-z_][a-z0-9_]*", re.IGNORECASE)
_TAKEN = frozenset({"by", "cluster", "distribute", "group", "if", "order", "partition", "sort"})
"""Names that are taken for more when other words follow them."""


def refusal(catalogue: Catalogue, what: str, example: str | None = None) -> QuestionError:
    """An error that says why a question cannot be answered, and shows one that can."""
    shown = example or examples(catalogue)[0]
    return QuestionError(Problem(what, remedy=f"This one works: {shown}"))


def examples(catalogue: Catalogue) -> list[str]:
    """Two questions, or more, that the release answers."""
    if catalogue.is_series:
        return list(_on_series(catalogue))
    return list(_on_records(catalogue))


def condition_on(column: Column, zone: str) -> str:
    """A condition on a column that what was published of it can answer."""
    name = quoted(column.name)
    if not column.example:
        return f"{name} IS NOT NULL"
    first, last = column.example[0], column.example[-1]
    if column.role == "time":
        return f"{name} {_window(column, zone)}"
    if column.role == "series":
        return f"value({written(column.name)}) BETWEEN {written(first)} AND {written(last)}"
    if column.length is not None:
        return f"{name} LIKE {written(str(first).removesuffix('*') + '%')}"
    if first != last:
        return f"{name} BETWEEN {written(first)} AND {written(last)}"
    if column.kind == "other":
        return f"{name} IS NOT NULL"
    return f"{name} {'>=' if column.numeric else '='} {written(first)}"


def quoted(name: str) -> str:
    """Write the name of a column as SQL reads it."""
    from sqlglot.dialects.duckdb import DuckDB

    if _SIMPLE.fullmatch(name):
        (token,) = DuckDB().tokenize(name)
        if token.token_type.name == "VAR" and name.casefold() not in _TAKEN:
            return name
    return '"' + name.replace('"', '""') + '"'


def written(value: object) -> str:
    """Write a value as SQL reads it."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        aware = value.astimezone(UTC) if value.tzinfo is not None else value
        return f"TIMESTAMP '{aware.isoformat(sep=' ')}'"
    if hasattr(value, "isoformat"):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value)


def _window(column: Column, zone: str) -> str:
    """The days of a published granule, if it is made of days; else its label."""
    label, start, end = column.example
    if not (isinstance(start, datetime) and isinstance(end, datetime)):
        return "IS NOT NULL"
    local = ZoneInfo(zone)
    first, until = (moment.astimezone(local).replace(tzinfo=None) for moment in (start, end))
    if first.time() != until.time() or first.time() != datetime.min.time():
        return f"= {written(label)}"
    last = until.date() - timedelta(days=1)
    return f"BETWEEN {written(first.date())} AND {written(last)}"


def _on_records(catalogue: Catalogue) -> Iterator[str]:
    shown = catalogue.with_role("quasi", "sensitive", "time")
    plain = [column for column in shown if column.kind != "other"]
    by_role = {
        role: [c for c in plain if c.role == role] for role in ("quasi", "sensitive", "time")
    }
    chosen = [*by_role["quasi"][:1], *by_role["sensitive"][:1]] or by_role["time"][:1]
    where = " AND ".join(condition_on(column, catalogue.time_zone) for column in chosen)
    yield f"SELECT COUNT(*) WHERE {where or 'TRUE'}"
    told_apart = by_role["sensitive"] or by_role["quasi"] or by_role["time"]
    grouped = sorted(told_apart, key=lambda column: column.numeric)[:1]
    windows = [condition_on(column, catalogue.time_zone) for column in by_role["time"]]
    for column in grouped:
        named = quoted(column.name)
        where = f" WHERE {windows[0]}" if windows and column.role != "time" else ""
        yield f"SELECT {named}, COUNT(*){where} GROUP BY {named}"
    if not grouped:
        yield "SELECT COUNT(*)"


def _on_series(catalogue: Catalogue) -> Iterator[str]:
    columns = [catalogue.columns[time] for time in catalogue.times]
    valued = [column for column in columns if column.example]
    for column in valued[:1]:
        yield f"SELECT COUNT(*) WHERE {condition_on(column, catalogue.time_zone)}"
    if len(valued) > 1:
        first, last = (written(column.name) for column in (valued[0], valued[-1]))
        yield f"SELECT COUNT(*) WHERE value({last}) - value({first}) > 0"
    if len(catalogue.patterns) > 1:
        first, last = written(catalogue.patterns[0]), written(catalogue.patterns[-1])
        yield f"SELECT COUNT(*) WHERE feature({last} - {first}) > 0"
        rising = ", ".join(str(i) for i in range(len(catalogue.patterns)))
        yield f"SELECT COUNT(*) WHERE similar(series, [{rising}], {len(catalogue.patterns)})"
    for column in catalogue.with_role("sensitive")[:1]:
        named = quoted(column.name)
        yield f"SELECT {named}, COUNT(*) GROUP BY {named}"
    if not valued:
        yield "SELECT COUNT(*)"
