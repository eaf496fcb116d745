"""What a release can be asked about, in plain words."""

from __future__ import annotations

from collections.abc import Iterator

from anachron.asking.catalogue import Catalogue, Column
from anachron.asking.suggest import examples, quoted, written
from anachron.published import ways

__all__ = ["askable"]

_KINDS = {
    "boolean": "TRUE or FALSE",
    "date": "dates",
    "instant": "times",
    "number": "numbers",
    "other": "values",
    "text": "texts",
    "whole": "whole numbers",
}


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
