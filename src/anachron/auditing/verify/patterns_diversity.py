"""Do those whom a reader cannot tell apart have different sensitive values?"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check
from anachron.auditing.verify.patterns_possible import expanded, meetings_of, possible
from anachron.auditing.verify.patterns_rows import Published, named, shown
from anachron.auditing.verify.patterns_series import Own
from anachron.auditing.verify.patterns_shape import Shapes

__all__ = ["diversity_check", "set_check"]

_ROUNDING = 2 * float(np.finfo(np.float64).eps)
_TURN = 1 << 15


def diversity_check(shape: Shapes, rows: Published) -> Check:
    """Check that in no subgroup more than one in l rows have about the same value."""
    wrong = _crowded(shape, rows, float(shape.promise.noise or 0))
    if len(shape.sensitive) != 1 or rows.sensitive[0].null_count:
        wrong = np.ones(len(rows.size), dtype=bool)
    found = f"not so{named(rows, wrong)}" if wrong.any() else ""
    return Check(
        "diversity",
        not found,
        f"at most one in {shape.promise.l}",
        found or "as promised",
        "rows of a pattern in a group with about the same sensitive value",
        shown(rows, wrong),
    )


def set_check(shape: Shapes, rows: Published, own: Own) -> Check:
    """Check that in no possible set more than one in l rows have the same value (Section 5.4)."""
    everyone, crowded = np.arange(len(own)), _crowded(shape, rows, 0.0)
    # Whoever finds no crowd in any subgroup finds none in all of them together.
    near = possible(rows, own, everyone, meetings_of(rows, own, everyone, crowded))
    some = np.unique(near[0])
    wrong = 0
    for at in range(0, len(some), _TURN):
        people = some[at : at + _TURN]
        pairs = possible(rows, own, people, meetings_of(rows, own, people))
        wrong += _crowds(shape, rows, len(people), *pairs)
    return Check(
        "diversity",
        not wrong,
        f"at most one in {shape.promise.l}",
        f"more for {wrong:,} people" if wrong else "as promised",
        "rows that fit a person with the same sensitive value",
    )


def _crowds(shape: Shapes, rows: Published, people: int, who: Array, subgroup: Array) -> int:
    """For how many people a value is too frequent among all rows of their subgroups."""
    wide = int(rows.value.kind.max(initial=0)) + 1
    key, count = np.unique(rows.subgroup * wide + rows.value.kind, return_counts=True)
    start, stop = (np.searchsorted(key // wide, subgroup, side=s) for s in ("left", "right"))
    size = np.bincount(who, rows.size[subgroup], people).astype(np.int64)
    owner, many = [], []
    for pair, cell in expanded(start, stop):
        owner.append(who[pair] * wide + key[cell] % wide)
        many.append(count[cell])
    if not owner:
        return 0
    values, place = np.unique(np.concatenate(owner), return_inverse=True)
    total = np.bincount(place, np.concatenate(many)).astype(np.int64)
    too_many = total * (shape.promise.l or 1) > size[values // wide]
    return len(np.unique(values[too_many] // wide))


def _crowded(shape: Shapes, rows: Published, distance: float) -> Flags:
    """Whether more than one in l rows of a subgroup lie around some number, a row's or not."""
    number = rows.value.kind.astype(np.float64)
    if distance:
        column = rows.sensitive[0]
        if not _is_number(column.type):
            return np.ones(len(rows.size), dtype=bool)
        cast = pc.cast(column, pa.float64(), safe=False).fill_null(np.nan)
        number = np.asarray(cast, dtype=np.float64)
        distance += _ROUNDING * float(np.nanmax(np.abs(number), initial=0.0))
    domain, rank = np.unique(number, return_inverse=True)
    # Those around a number reach from the lowest of them over twice the distance.
    end = np.searchsorted(domain, number + 2 * distance, side="right")
    wide = len(domain) + 1
    key = np.sort(rows.subgroup * wide + rank)
    base = rows.subgroup * wide
    about = np.searchsorted(key, base + end) - np.searchsorted(key, base + rank)
    wrong = about * (shape.promise.l or 1) > rows.size[rows.subgroup]
    return np.bincount(rows.subgroup[wrong], minlength=len(rows.size)) > 0


def _is_number(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )
