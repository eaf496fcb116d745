"""A second engine, slow and simple: rows in several pieces, in no order, and plain Python.

It has the verbs of :mod:`anachron.engines.base` and nothing else. What an engine with many machines
would do, it does on purpose: rows are dealt out anew wherever they must come together, kernels see
one piece at a time, and whatever is given back comes in an order that means nothing.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.engines.base import ABSENT, COUNT, Batch, Column, Kernel, Summary, sensitive
from anachron.engines.local.table import LocalTable
from anachron.streamed import Streamed

__all__ = ["PieceTable", "Pieces"]

_MANY = 5
_HOW: dict[str, Callable[[list[Any]], Any]] = {"sum": sum, "least": min, "most": max}


class Pieces:
    """See :class:`anachron.engines.base.Rows`."""

    def __init__(self, pieces: Sequence[Batch], key: str | None = None) -> None:
        self.pieces, self.key = pieces, key

    @classmethod
    def of(cls, columns: Batch) -> Pieces:
        """Deal rows out to pieces, in any order."""
        rows = np.random.default_rng(1).permutation(len(next(iter(columns.values()))))
        return cls([_taken(columns, part) for part in np.array_split(rows, _MANY)])

    def __len__(self) -> int:
        return sum(len(next(iter(piece.values()))) for piece in self.pieces)

    def map(self, kernel: Kernel, together: str | None = None) -> Pieces:
        held = self if together is None else self._together(together)
        return Pieces([{**piece, **kernel(piece)} for piece in held.pieces], held.key)

    def by(self, key: str, kernel: Kernel) -> Pieces:
        return Pieces([kernel(piece) for piece in self._together(key).pieces], key)

    def kept(self) -> Pieces:
        return self

    def where(self, flag: str) -> Pieces:
        kept = [_taken(piece, np.flatnonzero(piece[flag])) for piece in self.pieces]
        return Pieces(kept, self.key)

    def only(self, *columns: str) -> Pieces:
        kept = [{name: piece[name] for name in columns} for piece in self.pieces]
        return Pieces(kept, self.key)

    def counts(self, keys: Sequence[str], summary: Summary | None = None) -> Pieces:
        rows, of = self._whole(), defaultdict(list)
        for row, key in enumerate(self._keys(rows, keys)):
            of[key].append(row)
        first = np.array([members[0] for members in of.values()], dtype=np.int64)
        found = _taken({key: rows[key] for key in keys}, first)
        found[COUNT] = np.array([len(members) for members in of.values()], dtype=np.int64)
        for name, (how, column) in (summary or {}).items():
            found[name] = _added_up(how, rows[column], list(of.values()))
        return Pieces.of(found)

    def join(self, other: Pieces | Batch, on: Sequence[str]) -> Pieces:
        others = other._whole() if isinstance(other, Pieces) else other
        place = {key: row for row, key in enumerate(self._keys(others, on))}
        joined = []
        for piece in self.pieces:
            at = np.array([place.get(k, ABSENT) for k in self._keys(piece, on)], dtype=np.int64)
            more = {name: _picked(c, at) for name, c in others.items() if name not in on}
            joined.append({**piece, **more})
        return Pieces(joined, self.key)

    def recall(self, table: Streamed, read: Kernel, on: Sequence[str]) -> Pieces:
        batches = [b for some in table.batches() for b in (some.slice(0, 3), some.slice(3))]
        batches = batches or [pa.RecordBatch.from_pylist([], table.schema)]
        parts = [read(dict(zip(b.schema.names, b.columns, strict=True))) for b in batches]
        return self.join(Pieces(parts), on)

    def numbered(self, keys: Sequence[str], name: str) -> Pieces:
        every = {key: n for n, key in enumerate(sorted(self._keys(self._whole(), keys)))}
        assert len(every) == len(self), "two rows have the same keys"
        return self.map(lambda batch: {name: np.array(
            [every[key] for key in self._keys(batch, keys)], dtype=np.int64)})  # fmt: skip

    def dealt(self, cell: str, lot: str, parts: Batch, name: str) -> Pieces:
        drawn = defaultdict(list)
        for of, own in self._keys(self._whole(), (cell, lot)):
            drawn[of].append(own)
        ends = defaultdict(list)
        for of, count, to in zip(
            *(parts[p].tolist() for p in ("cell", "count", "to")), strict=True
        ):
            ends[of] += [to] * count
        goes: dict[Hashable, int] = {}
        for of, lots in drawn.items():
            for own, to in zip(sorted(lots), ends[of], strict=False):
                goes[of, own] = to
        return self.map(lambda batch: {name: np.array(
            [goes.get(key, ABSENT) for key in self._keys(batch, (cell, lot))],
            dtype=np.int64)})  # fmt: skip

    def ordered(self, keys: Sequence[str]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        rows = self._whole()
        table = pa.table({key: pa.array(rows[key]) for key in keys})
        in_order = table.sort_by([(key, "ascending") for key in keys])
        return table.schema, iter(in_order.to_batches(7))

    def listed(self, keys: Sequence[str], rows: int) -> Streamed:
        schema, batches = self.ordered(keys)
        found = Streamed.of(pa.Table.from_batches(batches, schema))
        assert found.rows == rows
        return found

    def collect(self, *columns: str) -> Batch:
        rows = self._whole()
        return {name: rows[name] for name in columns}

    def _whole(self) -> dict[str, Column]:
        """All rows, in whatever order."""
        pieces = random.Random(len(self)).sample(self.pieces, len(self.pieces))
        return {name: _joined([piece[name] for piece in pieces]) for name in pieces[0]}

    def _together(self, key: str) -> Pieces:
        """All rows of a key in one piece; as they are, if they were brought together so."""
        if self.key == key:
            return self
        rows = self._whole()
        where = np.array([hash(one) % _MANY for one in self._keys(rows, (key,))], dtype=np.int64)
        parts = [_taken(rows, np.flatnonzero(where == piece)) for piece in range(_MANY)]
        return Pieces(parts, key)

    @staticmethod
    def _keys(rows: Batch, keys: Sequence[str]) -> list[tuple[Any, ...]]:
        """What tells rows apart, as Python compares it."""
        many = len(next(iter(rows.values())))
        return list(zip(*(_plain(rows[key]) for key in keys), strict=True)) or [()] * many


def _plain(column: Column) -> list[Any]:
    if not isinstance(column, np.ndarray):
        return column.to_pylist()
    if column.ndim == 1:
        return column.tolist()
    return [tuple(line) for line in column.tolist()]


def _taken(rows: Batch, places: np.ndarray) -> dict[str, Column]:
    return {
        name: c[places] if isinstance(c, np.ndarray) else c.take(pa.array(places, pa.int64()))
        for name, c in rows.items()
    }


def _joined(parts: Sequence[Column]) -> Column:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    plain = [p.dictionary.take(p.indices) if isinstance(p, pa.DictionaryArray) else p
             for p in parts]  # fmt: skip
    return pa.concat_arrays(plain)


def _picked(column: Column, at: np.ndarray) -> Column:
    if not isinstance(column, np.ndarray):
        return column.take(pa.array(at, mask=at < 0))
    fill = ABSENT if column.dtype.kind == "i" else 0
    shape = (len(at), *column.shape[1:])
    found = np.full(shape, fill, dtype=column.dtype)
    found[at >= 0] = column[at[at >= 0]]
    return found


def _added_up(how: str, column: Column, groups: list[list[int]]) -> Column:
    if column.ndim > 1:
        end = np.min if how == "least" else np.max
        lines = [end(column[rows], axis=0) for rows in groups]
        return np.array(lines, dtype=column.dtype).reshape(len(groups), column.shape[1])
    values = column.tolist()
    found = [_HOW[how]([values[row] for row in rows]) for rows in groups]
    if column.dtype == np.uint64:
        found = [one % 2**64 for one in found]
    return np.array(found, dtype=column.dtype)


class PieceTable:
    """See :class:`anachron.engines.base.Table`: read by the local engine, held in pieces."""

    def __init__(self, read: LocalTable) -> None:
        self._read = read

    def __getattr__(self, name: str) -> Any:
        """Facts of the table; arrays of its rows are not to be had."""
        assert name in _FACTS, f"a method asks for {name}"
        return getattr(self._read, name)

    def held(self, secret: bytes | None = None) -> Pieces:
        local = self._read.held(secret)
        rows = dict(local.collect(*local.later))
        for name in self._read.schema.sensitive:
            rows[sensitive(name)] = _no_negative_zero(rows[sensitive(name)])
        return Pieces.of(rows)


_FACTS = (
    *("schema", "given", "rows", "subjects", "first", "last", "unit", "recorded_by", "notes"),
    *("digest", "values", "close"),
)


def _no_negative_zero(column: pa.Array) -> pa.Array:
    return pa.compute.add(column, 0.0) if pa.types.is_floating(column.type) else column
