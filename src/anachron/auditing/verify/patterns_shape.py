"""What a release of series says about itself, read once and checked for its form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from anachron.auditing.verify.shape import count
from anachron.auditing.verify.spelled import exact_of
from anachron.errors import InputError
from anachron.guarantees import KPAnonymity
from anachron.release.read import Release

__all__ = ["Shapes", "shapes_of"]


@dataclass(frozen=True)
class Shapes:
    """What the description of a release says, in the terms of the promise."""

    file: Path
    envelope_file: Path
    promise: KPAnonymity
    zone: str
    times: frozenset[str]
    """All times of the series, whether anything is published of them or not."""
    values: tuple[str, ...]
    """The times whose values are published, in the order of time."""
    patterns: tuple[str, ...]
    """The times whose shape is published, in the order of time."""
    precision: Fraction
    sensitive: tuple[str, ...]
    rows: int
    groups: int
    highest_level: int
    suppressed: int
    dropped: int
    whole: bool
    """Whether the types of the envelopes say that all series are of whole numbers."""
    exact: bool
    """Whether values count as they are spelled: it is said so, or they are not counted."""

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that may be published with the rows, in order."""
        return ("group", "level", "pattern", *self.sensitive)

    @property
    def envelope_columns(self) -> tuple[str, ...]:
        """The columns of the table of envelopes."""
        return ("group", *(name for time in self.values for name in bounds_of(time)))

    def types(self) -> dict[str, pa.DataType]:
        """The types of the columns of rows, as far as they are known."""
        return {"group": pa.int64(), "level": pa.int64(), "pattern": pa.string()}

    def envelope_types(self) -> dict[str, pa.DataType]:
        """The types of the columns of envelopes."""
        types = dict.fromkeys(self.envelope_columns, pa.int64() if self.whole else pa.float64())
        return types | {"group": pa.int64()}


def bounds_of(time: str) -> tuple[str, str]:
    """The columns with the bounds at a time."""
    return f"{time}_low", f"{time}_high"


def shapes_of(release: Release) -> Shapes | None:
    """Read the description of a release; None if it is not one of this method."""
    try:
        return _shapes(release.path, release.description)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidOperation, InputError):
        # InputError: the guarantee is not one.
        return None


def _shapes(folder: Path, description: Mapping[str, Any]) -> Shapes:
    ours = description["anachron"]
    tables = {r["name"]: r for r in description["resources"] if r["format"] == "parquet"}
    if set(tables) != {"data", "envelopes"}:
        raise ValueError
    data = tables["data"]
    by_role: dict[str, list[str]] = {"series": [], "sensitive": []}
    for name, meaning in ours["columns"].items():
        by_role[meaning["role"]].append(name)
    if any(ours["columns"][name]["published"] != [name] for name in by_role["sensitive"]):
        raise ValueError
    values, patterns = _names(ours["times"]["values"]), _names(ours["times"]["patterns"])
    for name in by_role["series"]:
        meaning = ours["columns"][name]
        bounds = list(bounds_of(name)) if name in values else []
        if list(meaning["published"]) != bounds or meaning["pattern"] is not (name in patterns):
            raise ValueError
    if not values or len(patterns) < 2 or not {*values, *patterns} <= {*by_role["series"]}:
        raise ValueError
    precision = Decimal(ours["precision"])
    if not (precision.is_finite() and precision > 0) or ours["break_points"] != 1:
        raise ValueError
    ZoneInfo(ours["time_zone"])
    there = [field["name"] for field in data["schema"]["fields"]]
    promise = KPAnonymity.from_dict(ours["guarantee"])
    return Shapes(
        file=folder / data["path"],
        envelope_file=folder / tables["envelopes"]["path"],
        promise=promise,
        zone=ours["time_zone"],
        times=frozenset(by_role["series"]),
        values=values,
        patterns=patterns,
        precision=Fraction(precision),
        sensitive=tuple(sorted(by_role["sensitive"], key=there.index)),
        rows=count(data["rows"]),
        groups=count(tables["envelopes"]["rows"]),
        highest_level=count(ours["highest_level"]),
        suppressed=count(ours["suppressed_series"]),
        dropped=count(ours["dropped_series"]),
        whole=all(field["type"] == "integer" for field in tables["envelopes"]["schema"]["fields"]),
        exact=exact_of(ours) or promise.l is None,
    )


def _names(given: Sequence[str]) -> tuple[str, ...]:
    names = tuple(given)
    if len(set(names)) != len(names) or not all(isinstance(name, str) for name in names):
        raise ValueError
    return names
