"""Faults of readers and engines, seeded one at a time: what a method sees is not the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from anachron.engines.local import load, scan, table, times
from anachron.engines.local.coded import Coded
from anachron.engines.local.table import LocalTable
from anachron.ledger import pseudonyms

__all__ = ["FAULTS", "Fault"]

Patch = pytest.MonkeyPatch
Table = pa.Table
_HOUR, _DAY = 3_600_000_000, 86_400_000_000


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong between a table and a method."""

    name: str
    seed: Callable[[Patch], None]


def _misread(change: Callable[[Table], Table]) -> Callable[[Patch], None]:
    """Let the reader of the methods see another table than the one it was given."""
    real = scan.open_source

    def seed(patch: Patch) -> None:
        patch.setattr(scan, "open_source", lambda table, *rest: real(change(table), *rest))

    return seed


def _column(table: Table, name: str, change: Callable[[pa.Array], pa.Array]) -> Table:
    if name not in table.column_names:
        return table
    place = table.column_names.index(name)
    return table.set_column(place, name, change(table[name].combine_chunks()))


def _each(name: str, change: Callable[[pa.Array], pa.Array]) -> Callable[[Patch], None]:
    return _misread(lambda table: _column(table, name, change))


def _exchanged(column: pa.Array, apart: int = 1) -> pa.Array:
    """The first value of a column and another one, at least so far down, change places."""
    order = np.arange(len(column))
    other = next(i for i in order[apart:] if column[i] != column[0])
    order[[0, other]] = other, 0
    return column.take(pa.array(order))


def _rotated(column: pa.Array) -> pa.Array:
    return pa.concat_arrays([column[1:], column[:1]])


def _later(by: int) -> Callable[[pa.Array], pa.Array]:
    return lambda at: pc.add(at, pa.scalar(by, pa.duration("us"))).cast(at.type)


def _numbered(column: pa.Array) -> pa.Array:
    return pa.array([f"{name} {i}" for i, name in enumerate(column.to_pylist())])


def _merged(column: pa.Array) -> pa.Array:
    first, second = pc.unique(column)[0], pc.unique(column)[1]
    return pc.if_else(pc.equal(column, second), first, column)


def _split(column: pa.Array) -> pa.Array:
    """The first person under two names, every other row."""
    mine = [i for i, name in enumerate(column) if name == column[0]]
    names = column.to_pylist()
    for row in mine[::2]:
        names[row] += " the second"
    return pa.array(names)


def _some(column: pa.Array, value: object) -> pa.Array:
    return pc.fill_null(column, pa.scalar(value, column.type))


def _swapped(table: Table) -> Table:
    """Two times of a series, each under the name of the other."""
    if "t1" not in table.column_names:
        return table
    names = {"t1": "t2", "t2": "t1"}
    return table.rename_columns([names.get(name, name) for name in table.column_names])


def _series(change: Callable[[pa.Array], pa.Array]) -> Callable[[Patch], None]:
    def changed(table: Table) -> Table:
        for name in ("t0", "t1", "t2", "t3", "t4", "t5", "load"):
            table = _column(table, name, change)
        return table

    return _misread(changed)


def _of_loaded(
    change: Callable[[LocalTable], dict[str, object]],
) -> Callable[[Patch], None]:
    """Spoil what was read."""
    real = load._load

    def seed(patch: Patch) -> None:
        def spoilt(*given: object) -> LocalTable:
            good = real(*given)
            return replace(good, **change(good))

        patch.setattr(load, "_load", spoilt)

    return seed


def _quasi(loaded: LocalTable, change: Callable[[Coded], Coded]) -> dict[str, object]:
    return {"quasi": {name: change(coded) for name, coded in loaded.quasi.items()}}


def _in_utc(patch: Patch) -> None:
    real = times.from_wall
    patch.setattr(times, "from_wall", lambda walls, schema, *rest: real(
        walls, replace_zone(schema), *rest
    ))  # fmt: skip


def replace_zone(schema: object) -> object:
    other = object.__new__(type(schema))
    for name, value in {**vars(schema), "time_zone": "UTC"}.items():
        object.__setattr__(other, name, value)
    return other


def _cut_keys(bits: int) -> Callable[[Patch], None]:
    real = table.row_keys

    def seed(patch: Patch) -> None:
        def cut(*given: object) -> np.ndarray:
            return real(*given) >> np.uint64(64 - bits) << np.uint64(64 - bits)

        patch.setattr(table, "row_keys", cut)

    return seed


def _cut_names(patch: Patch) -> None:
    real = pseudonyms._keyed

    def cut(*given: object) -> list[bytes | None]:
        return [None if one is None else one[:1] * 32 for one in real(*given)]

    patch.setattr(pseudonyms, "_keyed", cut)


FAULTS = (
    Fault("every row is another person", _each("who", _numbered)),
    Fault("two people are one", _each("who", _merged)),
    Fault("one person is two", _each("who", _split)),
    Fault("two people stand in each other's rows", _each("who", _exchanged)),
    Fault("names are those of the next row", _each("who", _rotated)),
    Fault("names lose their end", _each("who", lambda who: pc.utf8_slice_codeunits(who, 0, 2))),
    Fault("names get a letter more", _each("who", lambda who: pc.binary_join_element_wise(
        who, "x", ""))),
    Fault("times are an hour later", _each("seen", _later(_HOUR))),
    Fault("times are a day later", _each("seen", _later(_DAY))),
    Fault("times are a year later", _each("seen", _later(365 * _DAY))),
    Fault("times are those of the next row", _each("seen", _rotated)),
    Fault("clocks are read as UTC", _in_utc),
    Fault("the last row is lost", _misread(lambda table: table.slice(0, len(table) - 1))),
    Fault("every tenth row is lost", _misread(lambda table: table.filter(
        pa.array(np.arange(len(table)) % 10 > 0)))),
    Fault("the first row is there twice", _misread(lambda table: pa.concat_tables(
        [table.slice(0, 1), table]))),
    Fault("two values stand in each other's rows", _each("ill", partial(_exchanged, apart=30))),
    Fault("values are those of the next row", _each("ill", _rotated)),
    Fault("values lose blanks", _each("ill", pc.utf8_trim_whitespace)),
    Fault("values lose their end", _each("ill", lambda ill: pc.utf8_slice_codeunits(ill, 0, 4))),
    Fault("missing values are empty texts", _each("note", lambda note: _some(note, ""))),
    Fault("numbers are one more", _each("age", lambda age: pc.add(age, 1))),
    Fault("numbers are rounded", _each("age", lambda age: pc.multiply(pc.divide(age, 10), 10))),
    Fault("numbers are those of the next row", _each("age", _rotated)),
    Fault("missing numbers are zeros", _each("age", lambda age: _some(age, 0))),
    Fault("codes are those of the next row", _of_loaded(lambda loaded: _quasi(
        loaded, lambda coded: replace(coded, codes=np.roll(coded.codes, 1))))),
    Fault("values are in the wrong order", _of_loaded(lambda loaded: _quasi(
        loaded, lambda coded: replace(coded, values=coded.values[::-1])))),
    Fault("two times of a series are exchanged", _misread(_swapped)),
    Fault("values of a series are those of the next row", _series(_rotated)),
    Fault("values of a series are whole", _series(pc.floor)),
    Fault("gaps of a series are zeros", _series(lambda numbers: _some(numbers, 0))),
    Fault("hashes of rows are cut to a byte", _cut_keys(8)),
    Fault("hashes of rows are all alike", _cut_keys(0)),
    Fault("digests of people are cut to a byte", _cut_names),
)  # fmt: skip
