"""Who is meant by rows: names, and checks that nobody is two, where rows of a name meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.engines.base import COUNT, ROW, SUBJECT, Batch
from anachron.engines.local.coded import Coded, encode
from anachron.engines.local.digest import HASH, row_sql
from anachron.engines.local.marked import Marked, gathered
from anachron.engines.local.subjects import (
    BLANKS,
    blank_problems,
    subject_notes,
    subject_sql,
    twin_problems,
)
from anachron.engines.local.time_text import Kind
from anachron.engines.spark.given import Given, given
from anachron.engines.spark.rows import SparkRows
from anachron.engines.spark.selecting import Selected
from anachron.errors import Problem
from anachron.schema import EXACT, MERGE, REFUSE, Schema
from anachron.spelling import foldings, joined, trimmings

__all__ = ["Named", "each_row", "people"]

_TWINS = ("a ", "a")
"""Two spellings of one name, by which it is learned what is said of such."""


@dataclass(frozen=True, eq=False)
class Named:
    """Rows with the name of the person of each."""

    rows: SparkRows
    subjects: int
    notes: tuple[str, ...]


def people(table: Given, schema: Schema, problems: list[Problem]) -> Named | None:
    """Name the person of each row, or add to the problems why nobody can."""
    told = sorted(schema.subject_columns)
    sql = {column: subject_sql(column, table.types[column]) for column in told}
    names = {column: given(column) for column in told}
    read = partial(_blank, Selected(names, sql), table.name)
    found = gathered(table.rows.told(read, (*names.values(), ROW)))
    found.sort(key=_told_first)
    problems[:0] = found
    if found and len(told) > 1:
        return None
    rows = table.rows.map(partial(_named, Selected(names, sql), merge=False))
    one_each = rows.counts((SUBJECT,), {"first": ("least", ROW)})
    if not pa.types.is_integer(rows.kinds[SUBJECT].arrow):
        one_each = one_each.map(partial(_there)).where("there").map(_alike)
        fold = "trimmed" if schema.spelling == EXACT else "folded"
        if schema.spelling != MERGE:
            problems[len(found) : len(found)] = _twins(one_each, fold, schema, table.name)
        if schema.spelling == MERGE:
            rows = table.rows.map(partial(_named, Selected(names, sql), merge=True))
    if problems:
        return None
    many, twins = len(one_each), 0
    if schema.spelling != REFUSE and "folded" in one_each.kinds:
        twins = many - len(one_each.counts(("folded",)))
    notes = tuple(subject_notes(schema, many, twins))
    return Named(rows, many - twins if schema.spelling == MERGE else many, notes)


def _blank(read: Selected, file: str, batch: Batch) -> list[Problem]:
    """Where a subject is missing or empty."""
    return [
        one.of(one.rows, int(batch[ROW][(one.row or 1) - 1]))
        for column, names in read(batch).items()
        for one in blank_problems(encode(pa.chunked_array([names])), column, file)
        if isinstance(one, Marked)
    ]


def _told_first(one: Problem) -> tuple[str, int]:
    """The order of a table that is read as a whole."""
    return one.column or "", BLANKS.index(one.said) if isinstance(one, Marked) else 0


def _named(read: Selected, batch: Batch, *, merge: bool) -> Batch:
    """One name for the person of each row; of all spellings of a name, the folded one."""
    parts = list(read(batch).values())
    names = parts[0] if len(parts) == 1 else joined(parts)
    if merge and not pa.types.is_integer(names.type):
        coded = names.dictionary_encode()
        names = foldings(coded.dictionary).take(coded.indices)
    return {SUBJECT: names}


def _there(batch: Batch) -> Batch:
    return {"there": batch[SUBJECT].is_valid().to_numpy(zero_copy_only=False)}


def _alike(batch: Batch) -> Batch:
    """How each name is known in either way."""
    return {"folded": foldings(batch[SUBJECT]), "trimmed": trimmings(batch[SUBJECT])}


def _twins(names: SparkRows, fold: str, schema: Schema, file: str) -> Sequence[Problem]:
    """Say who would count as two."""
    again = names.map(partial(_again, fold), together=fold).where("again")
    told = again.counts((), {"rows": ("sum", COUNT), "row": ("least", "first")})
    found = told.collect("rows", "row")
    if not len(found["rows"]):
        return ()
    example = Coded(np.arange(2, dtype=np.int32), pa.array(_TWINS))
    return [
        one.of(int(found["rows"][0]), int(found["row"][0]))
        for one in twin_problems(example, schema.person, file, schema.spelling)
        if isinstance(one, Marked)
    ]


def _again(fold: str, batch: Batch) -> Batch:
    """Which names are another spelling of a smaller one."""
    alike = batch[fold].dictionary_encode().indices.to_numpy()
    place = np.empty(len(alike), dtype=np.int64)
    place[pc.sort_indices(batch[SUBJECT]).to_numpy()] = np.arange(len(alike))
    order = np.lexsort((place, alike))
    again = np.zeros(len(alike), dtype=bool)
    again[order[1:]] = alike[order[1:]] == alike[order[:-1]]
    return {"again": again}


def each_row(table: Given, schema: Schema, kind: Kind) -> Named:
    """Make a person of each row, whose name is a hash of it; of rows that are alike, numbered."""
    names = {column: given(column) for column in schema.columns}
    sql = f"left(sha256(concat({row_sql(table.types, schema, kind)})), {HASH})"
    hashed = table.rows.map(Selected(names, {"hash": sql}))
    rows = hashed.map(_numbered, together="hash")
    return Named(rows, len(rows), tuple(subject_notes(schema, len(rows), 0)))


def _numbered(batch: Batch) -> Batch:
    alike = batch["hash"].dictionary_encode().indices.to_numpy().astype(np.int64)
    order = np.argsort(alike, kind="stable")
    heads = np.flatnonzero(np.diff(alike[order], prepend=-1))
    number = np.empty(len(alike), dtype=np.int64)
    number[order] = np.arange(len(alike)) - np.repeat(heads, np.diff(heads, append=len(alike)))
    told = pa.array(number).cast(pa.string())
    return {SUBJECT: pc.binary_join_element_wise(batch["hash"], told, "-")}
