"""What a release can be asked: its columns in plain words, and questions that work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from anachron.asking.catalogue import Catalogue, Column
from anachron.errors import Problem, QuestionError
from anachron.published import ways

__all__ = ["askable", "condition_on", "examples", "quoted", "refusal", "written"]

_SIMPLE = re.compile(r"[a-z_][a-z0-9_]*", re.IGNORECASE)
_TAKEN = frozenset({"by", "cluster", "distribute", "group", "if", "order", "partition", "sort"})
"""Names that are taken for more when other words follow them."""
_KINDS = {
    "boolean": "TRUE or FALSE",
    "date": "dates",
    "instant": "times",
    "number": "numbers",
    "other": "values",
    "text": "texts",
    "whole": "whole numbers",
}


def refusal(catalogue: Catalogue, what: str, *shown: str | Column | None) -> QuestionError:
    """An error that says why a question cannot be answered, and shows one that can.

    It is the one that is given, one about the columns that are given, or any.
    """
    columns = [column for column in shown if isinstance(column, Column)]
    texts = [text for text in shown if isinstance(text, str)] or examples(catalogue)
    example = _about(columns, catalogue) if columns else texts[0]
    return QuestionError(Problem(what, remedy=f"This one works: {example}"))


def examples(catalogue: Catalogue) -> list[str]:
    """Two questions, or more, that the release answers."""
    if catalogue.is_series:
        return list(_on_series(catalogue))
    return list(_on_records(catalogue))


def _about(columns: Sequence[Column], catalogue: Catalogue) -> str:
    where = " AND ".join(condition_on(column, catalogue.time_zone) for column in columns)
    return f"SELECT COUNT(*) WHERE {where or 'TRUE'}"


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
    yield _about(chosen, catalogue)
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
        yield _about([column], catalogue)
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


def askable(catalogue: Catalogue) -> tuple[list[tuple[str, str]], list[str]]:
    """List the columns of a release with what they hold, and questions that work."""
    return list(_columns(catalogue)), examples(catalogue)


def _columns(catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    for column in catalogue.with_role("quasi", "time", "sensitive"):
        yield quoted(column.name), _words(column, catalogue)
    if catalogue.times:
        first, last = catalogue.times[0], catalogue.times[-1]
        yield (
            f"value({written(first)})",
            f"the values of a series, at {len(catalogue.times)} times up to {written(last)}",
        )
    if catalogue.patterns:
        first, last = catalogue.patterns[0], catalogue.patterns[-1]
        yield (
            f"feature({written(last)} - {written(first)})",
            f"the shape of a series, at {len(catalogue.patterns)} times",
        )
        yield "similar(series, […], 0.5)", "how far the shape is from that of a sequence"
    for column in catalogue.with_role("pattern"):
        yield quoted(column.name), f"{_KINDS[column.kind]}, as published"
    for column in catalogue.columns.values():
        if isinstance(column.way, ways.LeftOut):
            yield quoted(column.name), "was left out, and cannot be asked about"


def _words(column: Column, catalogue: Catalogue) -> str:
    kind = _KINDS.get(column.kind, "values")
    if column.role == "time" and column.granularity is not None:
        by = f"by {column.granularity.name}, on the clock of {catalogue.time_zone}"
        if isinstance(column.way, ways.Snapshots) and catalogue.window is not None:
            late = catalogue.window - 1
            return f"times, {by}; up to {late} snapshot{'s' if late != 1 else ''} late"
        return f"times, {by}"
    way = column.way
    if isinstance(way, ways.Bins):
        return f"{kind}, in bins of {way.width}"
    return {
        ways.Interval: f"{kind}, in intervals",
        ways.Ordered: f"{kind} in an order of their own, in runs of neighbours",
        ways.Parents: f"{kind}, in {len(column.covers)} classes",
        ways.Prefix: f"{kind}, the first {column.length} characters",
    }.get(type(way), f"{kind}, as they are")
