"""What the cells of a published table can be, whatever its rows tell.

A method writes no group without a number, no interval that ends before it begins, no time that no
calendar has. Whoever reads a release relies on it, so it is looked at once, when a table is read.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from anachron.published.form import Form
from anachron.published.layouts import COUNT, FIRST, GROUP, LAST
from anachron.published.strict import Misfit, at
from anachron.published.ways import Bins, Ends, Envelope, Granules, Ordered, Way

__all__ = ["check_cells"]

_INSTANT = pa.timestamp("us", "UTC")
_FAR = 2**62
"""From the least number to the largest it must not be farther than numbers go."""
_EXACT = 2**53
"""Series are reckoned as fractions, and whole numbers are exact among them up to here."""
_DAY = 86_400_000_000
_LEAST = {GROUP: 0, COUNT: 1}


def check_cells(form: Form, name: str, table: pa.Table) -> None:
    """Refuse a table with cells that none has; the error names table and column."""
    for part in form.layout.tables[name]:
        if part.startswith("<"):
            for way in form.columns.values():
                if way.role == part.strip("<>") and way.names:
                    _check(name, way, [table[column] for column in way.names])
        elif part == "pattern":
            _require(_is_full(table[part], pa.string()), name, part)
        else:
            column = table[part]
            _require(_is_full(column, pa.int64()), name, part)
            _require(_within(column, _LEAST.get(part, 0), _FAR), name, part)


def _check(table: str, way: Way, columns: Sequence[pa.ChunkedArray]) -> None:
    if isinstance(way, Granules):
        right = _granules(columns)
    elif isinstance(way, Ordered):
        right = _ordered(way, columns)
    elif isinstance(way, Ends):
        right = _ends(columns, _EXACT if isinstance(way, Envelope) else _FAR, isinstance(way, Bins))
    else:
        right = _plain(columns[0])
    _require(right, table, way.column)


def _require(right: bool, table: str, column: str) -> None:
    if not right:
        raise Misfit(at(table, column), "it holds cells that no release has")


def _granules(columns: Sequence[pa.ChunkedArray]) -> bool:
    label, start, end = columns
    if not _is_full(label, pa.string()):
        return False
    if not all(_is_full(one, _INSTANT) and _within(one, FIRST, LAST) for one in (start, end)):
        return False
    return not _any(pc.greater_equal(start, end))


def _ordered(way: Ordered, columns: Sequence[pa.ChunkedArray]) -> bool:
    if not all(_is_full(one, pa.string()) for one in columns):
        return False
    order = pa.array(way.order, pa.string())
    low, high = (pc.index_in(one, order) for one in columns)
    return not low.null_count and not high.null_count and not _any(pc.greater(low, high))


def _ends(columns: Sequence[pa.ChunkedArray], far: float, nulls: bool) -> bool:
    """Numbers of one type, finite, the lower one first; a missing one has no bin."""
    low, high = columns
    kind = low.type
    if high.type != kind or not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return bool(pa.types.is_decimal(kind) and high.type == kind)
    if low.null_count != high.null_count or (low.null_count and not nulls):
        return False
    if pa.types.is_integer(kind):
        near = _within(low, -far, far) and _within(high, -far, far)
    else:
        near = not _any(pc.invert(pc.is_finite(pc.add(low, high))))
    return near and not _any(pc.greater(low, high))


def _plain(column: pa.ChunkedArray) -> bool:
    """A value as it is: a moment in time must be one that a calendar has."""
    kind = column.type
    if pa.types.is_date(kind):
        column = column.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
        return _within(column, FIRST // _DAY, LAST // _DAY)
    if pa.types.is_timestamp(kind):
        per = {"s": 1_000_000, "ms": 1_000, "us": 1}.get(kind.unit)
        if per is None:
            return True  # nanoseconds do not go that far
        return _within(column, FIRST // per, LAST // per)
    return True


def _is_full(column: pa.ChunkedArray, kind: pa.DataType) -> bool:
    return bool(column.type == kind and not column.null_count)


def _within(column: pa.ChunkedArray, least: float, most: float) -> bool:
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    found = pc.min_max(column)
    low, high = found["min"].as_py(), found["max"].as_py()
    return low is None or (low >= least and high <= most)


def _any(flags: pa.ChunkedArray) -> bool:
    return bool(pc.any(flags).as_py())
