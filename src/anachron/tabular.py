"""Results that are tables: given as Arrow, pandas or polars, and shown alike everywhere.

A class says which table it is (``to_arrow``) and how it is laid out for people (``_sheet``); all
else follows from these two. Records that are dataclasses need not even say their columns::

    @dataclass(frozen=True, repr=False)
    class Verdict(Tabular):
        checks: tuple[Check, ...]

        def to_arrow(self) -> pa.Table:
            return arrow_of(Check, self.checks)

        def _sheet(self) -> Sheet:
            ...
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import pyarrow as pa

from anachron.errors import InputError
from anachron.notebook import Sheet

__all__ = ["Frame", "Tabular", "arrow_of", "converted"]

Frame = Literal["arrow", "duckdb", "pandas", "polars"]
"""The forms in which a table is given."""
Record = TypeVar("Record")

_CELLS = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


class Tabular:
    """Something that is a table, too."""

    __slots__ = ()

    def to_arrow(self) -> pa.Table:
        """Give it as an Arrow table."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Give it as a pandas DataFrame, if pandas is installed."""
        return converted(self.to_arrow(), "pandas")

    def to_polars(self) -> Any:
        """Give it as a polars DataFrame, if polars is installed."""
        return converted(self.to_arrow(), "polars")

    def _sheet(self) -> Sheet:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._sheet().text()

    def _repr_html_(self) -> str:
        return self._sheet().html()


def arrow_of(
    kind: type[Record], records: Iterable[Record], without: Collection[str] = ()
) -> pa.Table:
    """Give records of a dataclass as a table: a column for each field, of the type it has there.

    Parameters
    ----------
    kind
        The class of the records. Without any record, the table has its columns all the same.
    records
        One for each row.
    without
        Fields that are no columns.

    Example
    -------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Seen:
    ...     what: str
    ...     share: float | None
    >>> arrow_of(Seen, [Seen("a", 0.5), Seen("b", None)]).to_pylist()
    [{'what': 'a', 'share': 0.5}, {'what': 'b', 'share': None}]
    """
    types: dict[str, Any] = get_type_hints(kind)
    names = [field.name for field in fields(kind) if field.name not in without]  # type: ignore[arg-type]
    schema = pa.schema([(name, _cell(types[name])) for name in names])
    rows = [{name: getattr(record, name) for name in names} for record in records]
    return pa.Table.from_pylist(rows, schema=schema)


def _cell(kind: Any) -> pa.DataType:
    """The type of a column whose cells have a type of Python."""
    of, inner = get_origin(kind), get_args(kind)
    if of in (Union, UnionType) and len(inner) == 2 and NoneType in inner:
        return _cell(next(one for one in inner if one is not NoneType))
    if of is Literal:
        return _cell(type(inner[0]))
    if of is tuple and inner[1:] == (...,):
        return pa.list_(_cell(inner[0]))
    if kind not in _CELLS:
        raise TypeError(f"{kind} is no type of a cell")
    return _CELLS[kind]


def converted(table: pa.Table, kind: Frame) -> Any:
    """Give a table in the form that somebody works with; only that library is imported."""
    if kind not in get_args(Frame):
        raise InputError(f"A table can be given as one of {', '.join(get_args(Frame))}.")
    try:
        if kind == "pandas":
            return table.to_pandas()
        if kind == "polars":
            import polars

            return polars.from_arrow(table)
        if kind == "duckdb":
            import duckdb

            return duckdb.from_arrow(table)
    except ImportError:
        raise InputError(f"{kind} is not installed. Install it with: pip install {kind}") from None
    return table
