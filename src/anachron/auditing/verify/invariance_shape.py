"""What a release of a register says about itself, read once and checked for its form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.auditing.verify.shape import count
from anachron.auditing.verify.spelled import exact_of
from anachron.errors import InputError
from anachron.guarantees import MInvariance
from anachron.release.read import Release

__all__ = ["COUNTERFEITS", "Interval", "Register", "interval_of", "register_of"]

COUNTERFEITS = ("group", "counterfeits")
"""The columns of the table of counterfeits."""


@dataclass(frozen=True)
class Interval:
    """How a quasi column is said to be published: on a grid, or by an order of its values."""

    column: str
    width: Fraction | None
    order: tuple[str, ...] | None

    @property
    def low(self) -> str:
        """The column with the lower bounds."""
        return f"{self.column}_low"

    @property
    def high(self) -> str:
        """The column with the upper bounds, which are included."""
        return f"{self.column}_high"

    def types(self, there: pa.Schema) -> dict[str, pa.DataType]:
        """The type of both bounds: text, or the kind of numbers that the lower ones are."""
        kind = pa.int64() if self.order is None else pa.string()
        if self.order is None and self.low in there.names:
            kind = pa.float64() if there.field(self.low).type == pa.float64() else kind
        return {self.low: kind, self.high: kind}


@dataclass(frozen=True)
class Register:
    """What the description of a release says, in the terms of the promise."""

    file: Path
    counterfeit_file: Path
    promise: MInvariance
    number: int
    quasi: tuple[Interval, ...]
    sensitive: str
    rows: int
    counterfeit_rows: int
    counterfeits: int
    exact: bool
    """Whether spelling is said to be exact."""

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that may be published, in order."""
        bounds = (name for interval in self.quasi for name in (interval.low, interval.high))
        return ("group", *bounds, self.sensitive)

    @property
    def different(self) -> bool:
        """Whether the people of all groups must have different values."""
        return self.promise.exact(self.number)

    def types(self) -> dict[str, pa.DataType]:
        """The type that each column must have; both bounds of an interval have the same."""
        there = pq.read_schema(self.file)
        types = {"group": pa.int64()}
        for interval in self.quasi:
            types |= interval.types(there)
        return types


def register_of(release: Release) -> Register | None:
    """Read the description of a release; None if it is not one of this method."""
    try:
        return _register(release.path, release.description)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidOperation, InputError):
        # InputError: the guarantee is not one.
        return None


def _register(folder: Path, description: Mapping[str, Any]) -> Register:
    ours = description["anachron"]
    tables = {r["name"]: r for r in description["resources"] if r["format"] == "parquet"}
    if set(tables) != {"data", "counterfeits"}:
        raise ValueError
    data, fakes = tables["data"], tables["counterfeits"]
    by_role: dict[str, list[str]] = {"quasi": [], "sensitive": []}
    for name, meaning in ours["columns"].items():
        by_role[meaning["role"]].append(name)
    (sensitive,) = by_role["sensitive"]
    if list(ours["columns"][sensitive]["published"]) != [sensitive] or not by_role["quasi"]:
        raise ValueError
    quasi = [interval_of(name, ours["columns"][name]) for name in by_role["quasi"]]
    place = {field["name"]: i for i, field in enumerate(data["schema"]["fields"])}
    return Register(
        file=folder / data["path"],
        counterfeit_file=folder / fakes["path"],
        promise=MInvariance.from_dict(_promise(ours["guarantee"])),
        number=count(ours["release"]),
        quasi=tuple(sorted(quasi, key=lambda interval: place[interval.low])),
        sensitive=sensitive,
        rows=count(data["rows"]),
        counterfeit_rows=count(fakes["rows"]),
        counterfeits=count(ours["counterfeits"]),
        exact=exact_of(ours),
    )


def _promise(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The snapshots of a feed may be published by this method: then it is named in there."""
    promise: Mapping[str, Any] = given["then"] if given["method"] == "reposition" else given
    return promise


def interval_of(column: str, given: Mapping[str, Any]) -> Interval:
    """Read how a quasi column is said to be published; ValueError if it is not as an interval."""
    if given["step"] != "interval" or ("width" in given) == ("order" in given):
        raise ValueError
    if list(given["published"]) != [f"{column}_low", f"{column}_high"]:
        raise ValueError
    if "order" in given:
        order = tuple(given["order"])
        if len(set(order)) != len(order) or not all(isinstance(value, str) for value in order):
            raise ValueError
        return Interval(column, None, order)
    width = Decimal(given["width"])
    if not (width.is_finite() and width > 0):
        raise ValueError
    return Interval(column, Fraction(width), None)
