"""The frontier as a drawing: risk across, loss upwards, one mark for each candidate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from anachron.exploring.point import Point
from anachron.exploring.yardsticks import Yardstick
from anachron.reporting.charts import Chart
from anachron.reporting.words import plural

if TYPE_CHECKING:
    from anachron.exploring.frontier import Frontier

__all__ = ["ExploringChart", "FrontierChart", "chart_of"]

_WIDE = 30
"""If the largest risk is so many times the smallest, it is drawn by its logarithm."""
_NUMBERS = 3
"""So many numbers are written beside a place."""
_ABOVE = 1.08
"""What cannot be kept is drawn above all that can."""
_ONE = "#1b9e77"
"""The colour where time has no resolution to tell of."""
Record = Mapping[str, str | int | float]


@dataclass(frozen=True, repr=False)
class ExploringChart(Chart):
    """A drawing whose specification is in this room."""

    home: ClassVar[str] = __package__


@dataclass(frozen=True, repr=False)
class FrontierChart(ExploringChart):
    """The drawing of a frontier; its axes are those that were asked for."""

    risk: Yardstick | None = None
    loss: Yardstick | None = None

    def _spec(self) -> dict[str, Any]:
        spec = super()._spec()
        for axis, field, one in (("x", "risk", self.risk), ("y", "loss", self.loss)):
            if one is None:
                continue
            spec["encoding"][axis]["axis"] |= {
                "title": self.speak(one.title + (" (more is safer)" if one.more else "")),
                **({"format": "~%"} if one.share else {}),
            }
            there = [float(record[field]) for record in self.records if field in record]
            if axis == "x" and there and min(there) > 0 and max(there) > _WIDE * min(there):
                spec["encoding"][axis]["scale"] = {"type": "log", "nice": False, "padding": 16}
        names = [str(record["resolution"]) for record in self._by_length()]
        domain = list(dict.fromkeys(name for name in names if name))
        spec["encoding"]["color"]["scale"]["domain"] = domain
        if not domain:  # a scale without names would draw nothing at all
            spec["encoding"]["color"] = {"value": _ONE}
        if len({record["method"] for record in self.records}) < 2:
            spec["encoding"]["shape"]["legend"] = None
        return spec

    def _by_length(self) -> list[Record]:
        return sorted(self.records, key=lambda record: float(record.get("days", 0)))


def chart_of(found: Frontier, *, dark: bool = False) -> FrontierChart:
    """Draw a frontier."""
    risk, loss = found.risk, found.loss
    kept = [point for point in found if _is_there(point, risk, loss)]
    top = max((float(point.losses[loss.name] or 0) for point in kept), default=1.0) * _ABOVE or 1.0
    records = [_record(point, found, top) for point in found]
    drawn = tuple(_labelled([record for record in records if "risk" in record]))
    many = plural(len(drawn), "candidate")
    return FrontierChart(
        name="frontier",
        says=f"{many} by {risk.title} and {loss.title}; {len(found.line):,} that no other beats "
        f"in both, {sum(not point.kept for point in found):,} that cannot be kept.",
        records=drawn,
        head=("point", "candidate", risk.name, loss.name),
        rows=tuple((str(r["point"]), str(r["title"]), str(r["risk told"]), str(r["loss told"]))
                   for r in drawn),
        numeric=(0, 2, 3),
        dark=dark,
        risk=risk,
        loss=loss,
    )  # fmt: skip


def _labelled(records: list[dict[str, str | int | float]]) -> Iterator[Record]:
    """Points of the line with their numbers: of those in one place, the first has them all."""
    places: dict[Any, list[str]] = {}
    for one in records:
        if one["line"]:
            places.setdefault((one["risk"], one["loss"]), []).append(str(one["point"]))
    for one in records:
        here = places.pop((one["risk"], one["loss"]), []) if one["line"] else []
        more = ["…"] if len(here) > _NUMBERS else []
        yield {**one, "label": ", ".join([*here[:_NUMBERS], *more])}


def _is_there(point: Point, risk: Yardstick, loss: Yardstick) -> bool:
    return point.risks.get(risk.name) is not None and point.losses.get(loss.name) is not None


def _record(point: Point, found: Frontier, top: float) -> dict[str, str | int | float]:
    """What is drawn of a point; without a place for it, it has none in the drawing."""
    risk, loss = found.risk, found.loss
    said: dict[str, str | int | float] = {
        "point": point.number,
        "title": point.title,
        "method": point.method,
        "resolution": point.resolution.name,
        "kept": int(point.kept),
        "line": int(point.number in found.line),
        "own": int(point.own),
        "beside": ", ".join(map(str, point.beside)),
        "risk told": risk.write(point.risks.get(risk.name)),
        "loss told": loss.write(point.losses.get(loss.name)),
        "reason": point.reason,
    }
    if point.resolution.days is not None:
        said["days"] = point.resolution.days
    x, y = point.risks.get(risk.name), point.losses.get(loss.name)
    if not point.kept and risk.promised is not None and point.guarantee is not None:
        x, y = risk.promised(point.guarantee), top
    return said if x is None or y is None else {**said, "risk": x, "loss": y}
