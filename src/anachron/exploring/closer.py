"""Look closer at one point: rehearse it, and gather counts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anachron.exploring.before_after import before_after
from anachron.exploring.choices import Choices
from anachron.exploring.details import FEW, Details, Slice
from anachron.exploring.point import Point
from anachron.exploring.rehearsal import Rehearsal
from anachron.exploring.temporal import Curves
from anachron.placing import rows_of
from anachron.reporting.charts import Chart, together
from anachron.trying.figures import figures_of

__all__ = ["closer"]

_SLICES = 60
"""So many slices of time are shown at most."""
_WHY = ("left_out", "held_back", "dropped", "refused")
"""Figures that count who is not published."""


def closer(point: Point, some: Choices) -> Details:
    """Rehearse the plan of a point, and tell what it looks like."""
    with some.rehearsal(0) as rehearsal:
        curves = rehearsal.curves
        slices = () if curves is None else tuple(_slices(curves))
        more = dict(some.exploring.closer(rehearsal, some.looked))
        drawn = {"over_time": before_after(slices)} if slices else {}
        charts = {
            **more.pop("charts", {}),
            **drawn,
            **_charts(rehearsal, some.exploring.shown),
        }
        return Details(
            point, over_time=slices, left_out=_left_out(point, rehearsal), charts=charts, **more
        )


def _slices(curves: Curves) -> Iterator[Slice]:
    """Rows before and after, several pieces of time together where there are too many."""
    step = together(len(curves.start), _SLICES)
    for at in range(0, len(curves.start), step):
        rows = int(curves.truth[0, at : at + step].sum())
        told = float(curves.told[0, at : at + step].sum())
        yield Slice(curves.label[at], rows if rows >= FEW else None, round(told, 6))


def _left_out(point: Point, rehearsal: Rehearsal) -> dict[str, int]:
    told = {} if point.figures is None else point.figures.to_dict()
    named = {} if point.figures is None else figures_of(type(point.figures))
    found = {named[name].title: int(told[name]) for name in _WHY if name in told}
    nobody = _without_a_row(rehearsal)
    return found if nobody is None else {**found, "people without any row": nobody}


def _without_a_row(rehearsal: Rehearsal) -> int | None:
    """People of the table of whom nothing is published; None if nobody knows."""
    table = rehearsal.microdata
    there = np.zeros(table.rows, dtype=np.bool_)
    for release, past in zip(rehearsal.releases, rehearsal.pasts, strict=True):
        rows = rows_of(release, table, past)
        if rows is None:
            return None
        there |= rows
    return len(np.unique(table.subject)) - len(np.unique(table.subject[there]))


def _charts(rehearsal: Rehearsal, shown: frozenset[str]) -> dict[str, Chart]:
    """The charts of the last release that show no sensitive value, drawn while it is there."""
    charts = rehearsal.releases[-1].charts
    return {name: getattr(charts, name) for name in charts if name in shown}
