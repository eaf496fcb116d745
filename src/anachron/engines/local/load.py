"""Read a table into codes and instants, and refuse what cannot be read without a doubt."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, overload

import pyarrow as pa

from anachron.engines.local.coded import (
    Coded,
    encode,
    encode_texts,
    in_order,
    quasi_problems,
)
from anachron.engines.local.digest import row_texts
from anachron.engines.local.kinds import plain, type_problems
from anachron.engines.local.scan import Scan, open_scan
from anachron.engines.local.series import CELL, read_series
from anachron.engines.local.subjects import (
    blank_problems,
    each_row,
    merged,
    spelling_twins,
    subject_notes,
    subject_sql,
    together,
    twin_problems,
)
from anachron.engines.local.table import LocalTable
from anachron.engines.local.times import read_times
from anachron.errors import Problem, TableError
from anachron.schema import MERGE, REFUSE, Schema

__all__ = ["load"]

T = TypeVar("T")
Aside = Callable[[Scan, Schema, object], T]
"""Reads a table of which not all rows can be held."""


@overload
def load(table: object, schema: Schema, each: int = 260) -> LocalTable: ...


@overload
def load(table: object, schema: Schema, each: int, aside: Aside[T] | None) -> LocalTable | T: ...


def load(
    table: object, schema: Schema, each: int = 260, aside: Aside[T] | None = None
) -> LocalTable | T:
    """Read a table of any accepted kind; all problems found are raised as one error.

    ``each`` is how many bytes of memory a row takes with all that is made of it, but its series.
    A table that does not fit into memory is refused, or read by ``aside`` if that is given.
    """
    size = each + CELL * len(schema.series)
    scan = open_scan(table, schema, size, is_aside=aside is not None)
    try:
        if aside is not None and scan.at_once < scan.rows:
            return aside(scan, schema, table)
        return _load(scan, schema, table)
    except BaseException:
        scan.close()
        raise


def _load(scan: Scan, schema: Schema, table: object) -> LocalTable:
    file, types = scan.source.name, dict(scan.source.columns)
    problems = list(type_problems(schema, types, file))
    if problems:
        raise TableError(problems)
    # Parts of a name are joined in the order of their columns' names.
    told = sorted(schema.subject_columns)
    names = [_told(scan, subject_sql(column, types[column])) for column in told]
    quasi = {}
    # Telling subjects apart takes as long as all the rest, so it is done beside it.
    with ThreadPoolExecutor(max_workers=1) as beside:
        telling = beside.submit(_encoded, names)
        del names
        times = read_times(scan, schema, problems)
        for column in schema.quasi:
            coded = encode(scan.column(plain(column, types[column])))
            problems += quasi_problems(coded, column, file)
            quasi[column] = in_order(coded)
        series = read_series(scan, schema, problems)
        who = telling.result()
    subject, unclear = _told_apart(dict(zip(told, who, strict=True)), schema, file)
    problems[:0] = unclear
    if problems or times is None:
        raise TableError(problems)
    if subject is None:
        subject = each_row(row_texts(scan, schema, times))
    twins = 0 if schema.spelling == REFUSE else spelling_twins(subject.values)
    notes = subject_notes(schema, len(subject.values), twins)
    if schema.spelling == MERGE:
        subject = merged(subject)
    return LocalTable(
        schema=schema,
        given=scan.source.held if scan.source.is_gone else table,
        file=file,
        rows=scan.rows,
        subject=subject.codes,
        subject_values=subject.values,
        instants=times.instants,
        quasi=quasi,
        matrix=series,
        recorded_by=times.recorded_by,
        notes=(*notes, *times.notes),
        scan=scan,
        times=times,
    )


def _told(scan: Scan, name: str) -> pa.Table:
    """A column of the subject; if it is text, with a hash of each."""
    if name.endswith("VARCHAR)"):
        return scan.columns({"who": name, "hash": f"hash({name})"})
    return scan.columns({"who": name})


def _encoded(columns: list[pa.Table]) -> list[Coded]:
    """Number the values of each column, and let go of it."""
    found = []
    while columns:
        parts = columns.pop(0).columns
        found.append(encode_texts(*parts) if len(parts) > 1 else encode(*parts))
    return found


def _told_apart(
    columns: dict[str, Coded], schema: Schema, file: str
) -> tuple[Coded | None, list[Problem]]:
    """People by the columns that tell them apart, if any do, and what is wrong with them."""
    coded = list(columns.values())
    problems = [p for name, one in columns.items() for p in blank_problems(one, name, file)]
    if not coded or (problems and len(coded) > 1):
        return None, problems
    people = coded[0] if len(coded) == 1 else together(coded)
    return people, [*problems, *twin_problems(people, schema.person, file, schema.spelling)]
