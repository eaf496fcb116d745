"""What releases that are made by hand share: cells, boxes, digests and files."""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

import pyarrow as pa

Row = dict[str, Any]

REGIONS = ["north", "middle", "south"]  # not in the order of the alphabet
GRID: Row = {"widths": {"age": 5, "pay": "0.1"}, "orders": {"region": REGIONS}}
BOUNDS = [
    ("age_low", pa.int64()),
    ("age_high", pa.int64()),
    ("pay_low", pa.float64()),
    ("pay_high", pa.float64()),
    ("region_low", pa.string()),
    ("region_high", pa.string()),
    ("ill", pa.string()),
]
_GRIDS: dict[str, Row] = {
    "age": {"width": "5"},
    "pay": {"width": "0.1"},
    "region": {"order": REGIONS},
}


STEPS: dict[str, tuple[str, Callable[[Any], int]]] = {
    "age": ("5", lambda age: age // 5),
    "pay": ("0.1", lambda pay: math.floor(round(pay * 1000) / 100)),
    "region": ("1", REGIONS.index),
}
"""The grid of each quasi column, and where a value lies on it."""


class Somebody(Protocol):
    """Whoever has quasi values."""

    @property
    def age(self) -> int: ...
    @property
    def pay(self) -> float: ...
    @property
    def region(self) -> str: ...


def box(people: Sequence[Somebody]) -> Row:
    """The bounds that cover people."""
    ages, regions = [p.age for p in people], [REGIONS.index(p.region) for p in people]
    tenths = [round(p.pay * 1000) / 100 for p in people]
    return {
        "age_low": min(ages) // 5 * 5,
        "age_high": max(ages) // 5 * 5 + 4,
        "pay_low": math.floor(min(tenths)) / 10,
        "pay_high": (math.floor(max(tenths)) + 1) / 10,
        "region_low": REGIONS[min(regions)],
        "region_high": REGIONS[max(regions)],
    }


def place(box: Row) -> tuple[Any, ...]:
    """Where a box stands in the order of a release."""
    regions = {name: REGIONS.index(box[name]) for name in ("region_low", "region_high")}
    return tuple((box | regions).values())


def meanings(step: str = "interval") -> Row:
    """What a description says of quasi columns, and of the sensitive one."""
    found: Row = {"ill": {"role": "sensitive", "published": ["ill"]}}
    for name, grid in _GRIDS.items():
        names, more = [f"{name}_low", f"{name}_high"], {k: _copied(v) for k, v in grid.items()}
        if step == "as it is":
            names, more = [name], {}
        found[name] = {"role": "quasi", "step": step, "published": names, **more}
    return found


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


def shuffled(rows: Sequence[Row]) -> list[Row]:
    """The rows out of order, in the same one every time."""
    return sorted(rows, key=lambda row: hashlib.sha256(repr(row).encode()).digest())


def digests(purpose: str) -> Callable[[pa.Array], pa.Array]:
    """Stand in for the keyed digests of a ledger."""

    def digest(values: pa.Array) -> pa.Array:
        texts = [f"{purpose}{value}" for value in values.to_pylist()]
        return pa.array([hashlib.sha256(t.encode()).digest() for t in texts], pa.binary(32))

    return digest


def as_csv(rows: Sequence[Row], names: Sequence[str]) -> str:
    """A table as releases have it for spreadsheets."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in names])
    return lines.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
