"""What exploring gives back: all points, and the line that nothing beats."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from anachron.errors import InputError
from anachron.exploring.point import Point, line_of
from anachron.exploring.show import as_html, as_text
from anachron.exploring.yardsticks import Yardstick
from anachron.plan import Plan
from anachron.tabular import Tabular
from anachron.trying.show import plain

if TYPE_CHECKING:
    import pyarrow as pa

    from anachron.exploring.details import Details
    from anachron.reporting.charts import Chart

__all__ = ["Frontier"]


@dataclass(frozen=True, repr=False)
class Frontier(Tabular):
    """Choices for a promise, each with its risk and its loss, of which nothing was written.

    Made by :func:`anachron.frontier`, for the owner of the table alone: it tells what no release
    does. It is a sequence of points, numbered from 1, and a table: :meth:`to_pandas`,
    :meth:`to_polars`, :meth:`to_arrow`. :attr:`line` names the points that no other beats in both,
    :meth:`chart` draws them all, :meth:`use` gives the plan of one, :meth:`details` looks closer.

    Example
    -------
    >>> import anachron as an, pyarrow as pa
    >>> days = pa.table({"who": [1, 2, 3, 4], "day": ["2024-05-01", "2024-05-02"] * 2})
    >>> promise = an.TimeGranularity(k=2, granularities=["day", "month"])
    >>> plan = an.Plan("days.csv", an.Schema(subject="who", time="day"), promise)
    >>> found = an.frontier(plan, {"k": [2, 3, 5]}, table=days)
    >>> [(point.number, point.kept, point.risks.get("group")) for point in found]
    [(1, True, 2), (2, True, 4), (3, False, None)]
    >>> found.line
    (2, 1)
    >>> found.use(2).guarantee.k
    3
    """

    points: tuple[Point, ...]
    risks: tuple[Yardstick, ...]
    """What was measured; the first is drawn."""
    losses: tuple[Yardstick, ...]
    parts: tuple[str, ...]
    """The parts of the promises that were tried."""
    table_rows: int
    people: int
    basis: tuple[str, ...]
    """What the figures rest on."""
    look: Callable[[Point], Details] = field(repr=False, compare=False)
    """Reads the table again, and looks closer at one point."""

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def risk(self) -> Yardstick:
        """The risk that is drawn."""
        return self.risks[0]

    @property
    def loss(self) -> Yardstick:
        """The loss that is drawn."""
        return self.losses[0]

    @cached_property
    def line(self) -> tuple[int, ...]:
        """The points that no other beats in both risk and loss, from the least risk to the most."""
        return line_of(self.points, self.risk, self.loss)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the candidates."""
        return tuple(dict.fromkeys(point.method for point in self.points))

    def against(self, risk: str | None = None, loss: str | None = None) -> Frontier:
        """The same points with another risk or loss drawn, of those that were measured."""
        return replace(
            self, risks=_first(self.risks, risk, "risk"), losses=_first(self.losses, loss, "loss")
        )

    def point(self, number: int) -> Point:
        """One point by its number."""
        if not 1 <= number <= len(self.points):
            raise InputError(f"there is no point {number}; there are 1 to {len(self.points):,}.")
        return self.points[number - 1]

    def use(self, number: int) -> Plan:
        """Give the plan that publishes this point: ``.use(3).write("plan.toml")`` keeps it.

        Raises
        ------
        InputError
            If the point cannot be kept; the reason is told.
        """
        point = self.point(number)
        if point.plan is None or not point.kept:
            raise InputError(f"point {number} cannot be kept: {point.reason}")
        return point.plan

    def write(self, number: int, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the plan of a point to a file; one that exists only if that is said."""
        plan, target = self.use(number), Path(path)
        if not (overwrite and target.is_file()):
            return plan.write(target)
        # What is there stays until all of the other is written.
        return plan.write(target.with_name(f".{target.name}.{token_hex(4)}")).replace(target)

    def details(self, number: int) -> Details:
        """Look closer at one point; the table is read again.

        Raises
        ------
        InputError
            If the point cannot be kept.
        """
        self.use(number)
        return self.look(self.point(number))

    def chart(self, *, dark: bool = False) -> Chart:
        """Draw all points: risk across, loss upwards, the line between those that nothing beats.

        Colour is how fine time is, shape the method; what cannot be kept is hollow. The chart has
        its Vega-Lite specification (``spec``), its drawing (``svg()``) and its records (``data``).
        """
        from anachron.exploring.chart import chart_of

        return chart_of(self, dark=dark)

    @property
    def title(self) -> str:
        """What was explored, in a line."""
        many = "1 candidate" if len(self) == 1 else f"{len(self):,} candidates"
        told = f"{self.table_rows:,} rows of {self.people:,} people"
        return f"Frontier of {many} by {' and '.join(self.methods)}: {told}"

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Give all points as plain values."""
        return {
            "methods": list(self.methods),
            "rows": self.table_rows,
            "people": self.people,
            "parts": list(self.parts),
            "risks": [one.to_dict() for one in self.risks],
            "losses": [one.to_dict() for one in self.losses],
            "line": list(self.line),
            "basis": list(self.basis),
            "points": [{**point.to_dict(), "on_line": point.number in self.line} for point in self],
        }

    def to_arrow(self) -> pa.Table:
        """Give a table of Arrow: a row for each point, a column for each part and measure."""
        import pyarrow as pa

        records = [self._record(point) for point in self.points]
        columns = {name: pa.array([row[name] for row in records]) for name in records[0]}
        return pa.table(columns)

    def _record(self, point: Point) -> dict[str, Any]:
        return {
            "point": point.number,
            "method": point.method,
            **{name: plain(point.setting.get(name)) for name in self.parts},
            "own": point.own,
            "kept": point.kept,
            "first": point.first,
            "on_line": point.number in self.line,
            "resolution": point.resolution.name or None,
            **{one.name: point.risks.get(one.name) for one in self.risks},
            **{one.name: point.losses.get(one.name) for one in self.losses},
            "reason": point.reason or None,
        }


def _first(several: tuple[Yardstick, ...], name: str | None, sort: str) -> tuple[Yardstick, ...]:
    if name is None:
        return several
    found = [one for one in several if one.name == name]
    if not found:
        raise InputError(
            f"the {sort} {name!r} was not measured; there are "
            f"{', '.join(one.name for one in several)}. Ask for it when you explore."
        )
    return (*found, *(one for one in several if one.name != name))
