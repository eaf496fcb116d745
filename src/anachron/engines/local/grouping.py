"""Number combinations of keys, add up what belongs to each, and find them among others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags
from anachron.engines.base import ABSENT, Column
from anachron.kernels.digests import recall
from anachron.kernels.sorting import order, side_by_side

__all__ = ["Grouped", "added_up", "ascends", "grouped", "looked_up", "sorted_up"]

_DENSE = 4
"""Count in a table of all possible keys while it is at most this often larger than the rows."""
_ROOM = 2**62
"""Below it, a combination is one number."""


@dataclass(frozen=True, eq=False)
class Grouped:
    """The different combinations of some keys, in ascending order."""

    keys: Sequence[Column]
    sizes: Array
    number: Array
    """Of each row, the number of its combination."""


@dataclass(frozen=True, eq=False)
class _Coded:
    """A key as numbers from 0, and how to get back to it."""

    codes: Array
    size: int
    back: Callable[[Array], Column]
    is_numbered: bool = False
    """Whether codes tell the order of numbers, and not how far they are apart."""


def grouped(keys: Sequence[Column], rows: int) -> Grouped:
    """Number the combinations of keys, of which there are so many rows."""
    coded = [_coded(key) for key in keys]
    packed, space = _packed(coded, rows)
    number, used, sizes = _numbered(packed, space)
    if space < prod(one.size for one in coded):
        # They did not fit into one number: any row of a combination tells its keys.
        example = np.empty(len(used), dtype=np.int64)
        example[number] = np.arange(rows)
        return Grouped([one.back(one.codes[example]) for one in coded], sizes, number)
    found: list[Column] = []
    for one in reversed(coded):
        found.append(one.back(used % one.size))
        used = used // one.size
    return Grouped(found[::-1], sizes, number)


def _coded(key: Column) -> _Coded:
    if isinstance(key, pa.Array):
        if not pa.types.is_dictionary(key.type):
            key = key.dictionary_encode(null_encoding="encode")
            values = key.dictionary
            return _Coded(_codes(key), max(len(values), 1), lambda at: values.take(pa.array(at)))
        held = key.dictionary
        return _Coded(
            _codes(key),
            max(len(held), 1),
            lambda at: pa.DictionaryArray.from_arrays(pa.array(at), held, safe=False),
        )
    if key.dtype == bool:
        return _Coded(key.astype(np.int64), 2, lambda at: at.astype(bool))
    least = int(key.min(initial=0))
    if int(key.max(initial=0)) - least >= _ROOM:
        there, codes = np.unique(key, return_inverse=True)
        return _Coded(codes, len(there), lambda at: there[at], is_numbered=True)
    codes = key if least == 0 else key - least
    return _Coded(codes, int(codes.max(initial=0)) + 1, lambda at: at + least)


def _codes(key: pa.DictionaryArray) -> Array:
    return np.asarray(key.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def _packed(coded: Sequence[_Coded], rows: int) -> tuple[Array, int]:
    """One number for each combination, in their order, and below which all of them are."""
    packed, size = np.zeros(rows, dtype=np.int64), 1
    for one in coded:
        if size * one.size > _ROOM:
            packed, size = _renumbered(packed)
        codes, many = (one.codes, one.size) if size * one.size <= _ROOM else _renumbered(one.codes)
        packed = codes if size == 1 else packed * many + codes
        size *= many
    return packed, size


def _renumbered(codes: Array) -> tuple[Array, int]:
    """Numbers from 0 in the order of codes, and how many there are."""
    there, number = np.unique(codes, return_inverse=True)
    return number, max(len(there), 1)


def _numbered(packed: Array, space: int) -> tuple[Array, Array, Array]:
    """Number what is there in ascending order: each row's, and of each the key and its rows."""
    if space <= _DENSE * max(len(packed), 1024):
        size = np.bincount(packed, minlength=space)
        used = np.flatnonzero(size)
        number = np.empty(space, dtype=np.int64)
        number[used] = np.arange(len(used))
        return number[packed], used, size[used]
    by_key = np.argsort(packed)
    in_order = packed[by_key]
    different = np.ones(len(packed), dtype=bool)
    different[1:] = in_order[1:] != in_order[:-1]
    heads = np.flatnonzero(different)
    size = np.diff(np.append(heads, len(packed)))
    number = np.empty(len(packed), dtype=np.int64)
    number[by_key] = np.repeat(np.arange(len(heads)), size)
    return number, in_order[heads], size


def added_up(how: str, column: Column, of: Grouped) -> Column:
    """The sum, or the least or largest, of a column over the rows of each combination."""
    values, groups = column, len(of.sizes)
    if values.ndim > 1:
        order = np.argsort(of.number)
        heads = np.cumsum(of.sizes) - of.sizes
        if not groups:
            return values[:0]
        reduce = np.minimum if how == "least" else np.maximum
        reduced: Column = reduce.reduceat(values[order], heads, axis=0)
        return reduced
    if how == "sum" and values.dtype == np.uint64:  # without an end: what is over is left out
        total = np.zeros(groups, dtype=np.uint64)
        np.add.at(total, of.number, values)
        return total
    if how == "sum":
        return np.bincount(of.number, weights=values, minlength=groups).astype(np.int64)
    limits = np.iinfo(values.dtype)
    found = np.full(groups, limits.max if how == "least" else limits.min, dtype=values.dtype)
    (np.minimum if how == "least" else np.maximum).at(found, of.number, values)
    return found


def ascends(columns: Sequence[Array]) -> bool:
    """Whether rows are in the order of some columns, and no two are equal."""
    rows = max((len(column) for column in columns), default=0)
    above: Flags = np.zeros(max(rows - 1, 0), dtype=bool)
    equal = ~above
    for column in columns:
        above |= equal & (column[1:] > column[:-1])
        equal &= column[1:] == column[:-1]
    return bool(above.all())


def sorted_up(columns: Mapping[str, Column]) -> pa.Table:
    """Sort rows by all their columns, missing values last."""
    table = pa.table(dict(columns))
    if all(isinstance(one, np.ndarray) and one.dtype.kind == "i" for one in columns.values()):
        whole = [one - int(one.min(initial=0)) for one in columns.values()]
        by = order(side_by_side(whole, [int(one.max(initial=0)) + 1 for one in whole]))
        return table.take(pa.array(by))
    keys = [(name, "ascending", "at_end") for name in table.column_names]
    return table.take(pc.sort_indices(table, sort_keys=keys))


def looked_up(wanted: Sequence[Column], known: Sequence[Column]) -> Array:
    """The place of each combination of keys among known ones, or ``ABSENT``."""
    first = wanted[0]
    if isinstance(first, np.ndarray) and first.ndim > 1:
        return recall(first, known[0])
    many, rows = len(known[0]), len(first)
    if not many:
        return np.full(rows, ABSENT, dtype=np.int64)
    coded = [_coded(key) for key in known]
    keys, space = _packed(coded, many)
    if space < prod(one.size for one in coded) or any(one.is_numbered for one in coded):
        both = [_coded(np.concatenate(pair)) for pair in zip(known, wanted, strict=True)]
        packed, space = _packed(both, many + rows)
        keys, row = packed[:many], packed[many:]
    else:
        row = _packed_as(wanted, known, coded)
    if space <= _DENSE * max(rows, 1024):
        # The last place serves those who are not there.
        place = np.full(space + 1, ABSENT, dtype=np.int64)
        place[keys] = np.arange(many)
        return place[row]
    order = np.argsort(keys)
    at = np.minimum(np.searchsorted(keys[order], row), many - 1)
    return np.where(keys[order][at] == row, order[at], ABSENT)


def _packed_as(wanted: Sequence[Array], known: Sequence[Array], coded: Sequence[_Coded]) -> Array:
    """Pack keys as the known ones were; -1 if one of them is beyond what is known."""
    packed, beyond = np.zeros(len(wanted[0]), dtype=np.int64), np.zeros(len(wanted[0]), dtype=bool)
    for column, of, one in zip(wanted, known, coded, strict=True):
        codes = column - min(int(of.min()), 0)
        beyond |= (codes < 0) | (codes >= one.size)
        packed = packed * one.size + codes
    return np.where(beyond, -1, packed)
