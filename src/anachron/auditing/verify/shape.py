"""What a release by granularity says about itself, read once and checked for its form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from anachron.auditing.verify.spelled import exact_of
from anachron.calendar.definitions import Granularity
from anachron.errors import InputError
from anachron.guarantees import TimeGranularity
from anachron.release.read import Release

__all__ = ["STEPS", "Meaning", "Shape", "count", "shape_of"]

STEPS = ("as it is", "bins", "prefix", "parents", "left out")


@dataclass(frozen=True)
class Meaning:
    """How a quasi column is said to be published."""

    column: str
    step: str
    published: tuple[str, ...]
    width: Decimal = Decimal(1)
    origin: Decimal = Decimal(0)
    length: int = 0
    covers: Mapping[str, frozenset[str]] | None = None


@dataclass(frozen=True)
class Shape:
    """What the description of a release says, in the terms of the promise."""

    file: Path
    promise: TimeGranularity
    zone: str
    time: str
    granularity: Granularity
    quasi: tuple[Meaning, ...]
    sensitive: tuple[str, ...]
    rows: int
    suppressed: int
    exact: bool
    """Whether spelling is said to be exact."""

    @property
    def start(self) -> str:
        """The column with the first instant of each granule."""
        return f"{self.time}_start"

    @property
    def end(self) -> str:
        """The column with the instant after the last of each granule."""
        return f"{self.time}_end"

    @property
    def quasi_columns(self) -> tuple[str, ...]:
        """The published columns of all quasi columns."""
        return tuple(name for meaning in self.quasi for name in meaning.published)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that may be published, in order."""
        times = (self.time, self.start, self.end)
        return ("group", *self.quasi_columns, *times, *self.sensitive)


def shape_of(release: Release) -> Shape | None:
    """Read the description of a release; None if it is not one of this method."""
    try:
        return _shape(release.path, release.description)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidOperation, InputError):
        # InputError: the guarantee or a granularity is not one.
        return None


def _shape(folder: Path, description: Mapping[str, Any]) -> Shape:
    ours = description["anachron"]
    (data,) = (r for r in description["resources"] if r["format"] == "parquet")
    by_role: dict[str, list[str]] = {"quasi": [], "time": [], "sensitive": []}
    for name, meaning in ours["columns"].items():
        by_role[meaning["role"]].append(name)
    (time,) = by_role["time"]
    ZoneInfo(ours["time_zone"])
    if list(ours["columns"][time]["published"]) != [time, f"{time}_start", f"{time}_end"]:
        raise ValueError
    quasi = _in_order([_meaning(n, ours["columns"][n]) for n in by_role["quasi"]], data)
    sensitive = [f["name"] for f in data["schema"]["fields"] if f["name"] in by_role["sensitive"]]
    if len(sensitive) != len(by_role["sensitive"]):
        raise ValueError
    return Shape(
        file=folder / data["path"],
        promise=TimeGranularity.from_dict(ours["guarantee"]),
        zone=ours["time_zone"],
        time=time,
        granularity=Granularity.from_dict(ours["columns"][time]["granularity"]),
        quasi=quasi,
        sensitive=tuple(sensitive),
        rows=count(data["rows"]),
        suppressed=count(ours["suppressed_rows"]),
        exact=exact_of(ours),
    )


def _in_order(quasi: list[Meaning], data: Mapping[str, Any]) -> tuple[Meaning, ...]:
    """Quasi columns as they stand in the file; those that were left out come last."""
    place = {field["name"]: i for i, field in enumerate(data["schema"]["fields"])}
    last = len(place)
    return tuple(sorted(quasi, key=lambda m: place[m.published[0]] if m.published else last))


def _meaning(column: str, given: Mapping[str, Any]) -> Meaning:
    step, published = given["step"], tuple(given["published"])
    allowed: dict[str, tuple[str, ...]] = dict.fromkeys(STEPS, (column,))
    allowed |= {"bins": (f"{column}_low", f"{column}_high"), "left out": ()}
    if published != allowed[step]:
        raise ValueError
    if step == "bins":
        width, origin = Decimal(given["width"]), Decimal(given["origin"])
        if not (width > 0 and origin.is_finite() and width.is_finite()):
            raise ValueError
        return Meaning(column, step, published, width=width, origin=origin)
    if step == "prefix":
        return Meaning(column, step, published, length=count(given["length"]))
    if step == "parents":
        covers = {label: frozenset(values) for label, values in given["covers"].items()}
        return Meaning(column, step, published, covers=covers)
    return Meaning(column, step, published)


def count(given: object) -> int:
    """Read a number of rows."""
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise ValueError
    return given
