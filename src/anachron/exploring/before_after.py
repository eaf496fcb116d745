"""Rows over time as a drawing: those of the table, and those that the release tells of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anachron.exploring.chart import ExploringChart
from anachron.exploring.details import FEW, Slice
from anachron.reporting.charts import Chart
from anachron.reporting.words import digits

__all__ = ["before_after"]

Record = Mapping[str, str | int | float]


def before_after(slices: Sequence[Slice]) -> Chart:
    """Draw the slices of a point; where the table has few rows, only what the release tells."""
    before: list[Record] = [
        {"start": one.start, "rows": one.before, "of": "before", "first": 1}
        for one in slices
        if one.before is not None
    ]
    after: list[Record] = [
        {"start": s.start, "rows": s.after, "of": "after", "first": 0} for s in slices
    ]
    return ExploringChart(
        name="before_after",
        says="Rows over time, before and after.",
        records=tuple(sorted([*before, *after], key=lambda record: str(record["start"]))),
        head=("from", "before", "after"),
        rows=tuple(
            (
                one.start,
                f"fewer than {FEW}" if one.before is None else digits(one.before),
                digits(round(one.after)),
            )
            for one in slices
        ),
        numeric=(1, 2),
    )
