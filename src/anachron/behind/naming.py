"""What the person of each row is called, where rows pass by and are not held.

It is what ``people`` says of a table that is held. Where that takes a look at the whole table, it
is taken here once, by files of rows that may be alike; and only what it changes is remembered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Words
from anachron.behind.dealt import dealt, ranges, ways
from anachron.behind.folding import folded_names
from anachron.behind.keys import row_key_sql, words_of
from anachron.behind.opened import Opened
from anachron.behind.people import named_sql
from anachron.behind.refusing import Marks
from anachron.schema import MERGE, Schema

__all__ = ["Naming", "naming"]

_PART = "a name {}"


@dataclass(frozen=True, eq=False)
class Naming:
    """How the names of rows are found."""

    asked: dict[str, str]
    """What is asked of a row, in SQL."""
    each_row: bool
    rows: Array
    """Where each row is a person: rows that have others like them before, ascending,"""
    before: Array
    """and how many."""
    spelled: pa.Array | None = None
    """Where spellings are merged: those that stand for nobody, because another one came first,"""
    first: pa.Array | None = None
    """and the ones that did."""

    def kind(self, opened: Opened) -> pa.DataType:
        """The type of names."""
        found = opened.schema(**self.asked)
        none = [pa.array([], field.type) for field in found]
        return self.names(pa.RecordBatch.from_arrays(none, schema=found), 0).type

    def names(self, batch: pa.RecordBatch, first: int) -> pa.Array:
        """The name of the person of each row; ``first`` is the number of the first one."""
        parts = [batch.column(name) for name in self.asked]
        if self.each_row:
            begin, end = np.searchsorted(self.rows, [first, first + len(batch)])
            before = np.zeros(len(batch), dtype=np.int64)
            before[self.rows[begin:end] - first] = self.before[begin:end]
            return pc.binary_join_element_wise(parts[0], pa.array(before).cast(pa.string()), "-")
        if len(parts) > 1:
            measured = [
                pc.binary_join_element_wise(pc.binary_length(text).cast(pa.string()), text, ":")
                for text in (part.cast(pa.string()) for part in parts)
            ]
            return self._merged(pc.binary_join_element_wise(*measured, "").cast(pa.binary()))
        return self._merged(parts[0])

    def _merged(self, names: pa.Array) -> pa.Array:
        if self.spelled is None or self.first is None:
            return names
        at = pc.index_in(names, self.spelled)
        return pc.coalesce(self.first.take(at), names)


def naming(opened: Opened, schema: Schema, told: str, at_once: int, aside: Path) -> Naming:
    """Look at the people of a table; refuse rows of nobody."""
    none = np.zeros(0, dtype=np.int64)
    if schema.each_row:
        key = f"lower(hex({row_key_sql(opened, schema, told, b'')}))"
        rows, before = _repeated(opened, schema, told, at_once, aside)
        return Naming({_PART.format(0): key}, True, rows, before)
    columns = sorted(schema.subject_columns)
    asked = {_PART.format(at): named_sql(opened, name) for at, name in enumerate(columns)}
    _refuse_nobody(opened, dict(zip(asked, columns, strict=True)), asked, at_once)
    plain = Naming(asked, False, none, none)
    is_text = asked[_PART.format(0)].endswith("VARCHAR)")
    if schema.spelling != MERGE or not (is_text or len(columns) > 1):
        return plain
    spelled, first = _spellings(opened, plain, at_once, aside)
    return plain if not len(spelled) else Naming(asked, False, none, none, spelled, first)


def _refuse_nobody(
    opened: Opened, columns: dict[str, str], asked: dict[str, str], at_once: int
) -> None:
    """Refuse rows without a name, or with an empty one."""
    for name, column in columns.items():
        if not opened.total(_doubtful(asked[name]))[0]:
            continue
        marks = Marks()
        remedy = "Every row needs its subject. Fill it in or leave the row out."
        for batch in opened.batches(at_once, who=asked[name]):
            with marks.over(len(batch)):
                who = batch.column(0)
                absent = np.asarray(who.is_null())
                marks.refuse(absent, "is missing", remedy, column, opened.name)
                if not pa.types.is_integer(who.type):
                    empty = np.asarray(pc.equal(pc.utf8_trim_whitespace(who), ""))
                    marks.refuse(empty, "is an empty text", remedy, column, opened.name)
        marks.tell()


def _doubtful(name: str) -> str:
    """SQL: 1 for what does not begin with a visible sign of ASCII, and could be empty."""
    if name.endswith("BIGINT)"):
        return f"({name} IS NULL)::INTEGER"
    return f"({name} IS NULL OR {name} < '!' OR {name} >= chr(127))::INTEGER"


def _repeated(
    opened: Opened, schema: Schema, told: str, at_once: int, aside: Path
) -> tuple[Array, Array]:
    """Rows that are like others before them, and how many those are."""
    sql = row_key_sql(opened, schema, told, b"")
    kinds = pa.schema({"high": pa.uint64(), "low": pa.uint64(), "row": pa.int64()}.items())
    parts = ways(opened.rows, at_once)

    def keyed() -> Iterator[tuple[Array, pa.Table]]:
        first = 0
        for batch in opened.batches(at_once, key=sql):
            words = words_of(batch.column(0))
            number = np.arange(first, first + len(batch))
            first += len(batch)
            columns = [words[:, 0], words[:, 1], number]
            yield ranges(words[:, 0], parts), pa.table(columns, schema=kinds)

    rows, before = [], []
    for some in dealt(keyed(), kinds, parts, aside, at_once):
        high, low, row = (some.column(name).to_numpy() for name in kinds.names)
        order = np.lexsort((row, low, high))
        same = np.append(False, (high[order][1:] == high[order][:-1])
                         & (low[order][1:] == low[order][:-1]))  # fmt: skip
        place = np.arange(len(order))
        many = place - np.maximum.accumulate(np.where(same, 0, place))
        rows.append(row[order][many > 0])
        before.append(many[many > 0])
    found, times = np.concatenate(rows), np.concatenate(before)
    order = np.argsort(found)
    return found[order], times[order]


def _spellings(
    opened: Opened, plain: Naming, at_once: int, aside: Path
) -> tuple[pa.Array, pa.Array]:
    """Of people who are spelled in several ways, the later spellings, and the first one."""
    parts = ways(opened.rows, at_once)
    seen = _seen(opened, plain, at_once, parts)
    begin = next(seen)
    later, first = [], []
    for some in dealt(chain([begin], seen), begin[1].schema, parts, aside, at_once):
        # The first row with a spelling is the first that stands here, and likewise of a person.
        names = some.group_by(["folded", "name"], use_threads=False).aggregate([("row", "min")])
        names = names.sort_by("row_min")
        people = names.column("folded").combine_chunks().dictionary_encode()
        code = np.asarray(people.indices)
        at = np.full(len(people.dictionary), len(code), dtype=np.int64)
        np.minimum.at(at, code, np.arange(len(code)))
        other = np.flatnonzero(at[code] != np.arange(len(code)))
        texts = names.column("name").combine_chunks()
        later.append(texts.take(pa.array(other)))
        first.append(texts.take(pa.array(at[code[other]])))
    return pa.concat_arrays(later), pa.concat_arrays(first)


def _seen(
    opened: Opened, plain: Naming, at_once: int, parts: int
) -> Iterator[tuple[Array, pa.Table]]:
    """The different spellings of each batch, their folded forms, and where they stand first."""
    row = 0
    for batch in opened.batches(at_once, **plain.asked):
        names = plain.names(batch, row).dictionary_encode()
        at: Array = np.full(len(names.dictionary), len(batch), dtype=np.int64)
        np.minimum.at(at, np.asarray(names.indices), np.arange(len(batch)))
        # Beside a name that is not plain none is taken for folded as it stands.
        folded = folded_names(names.dictionary, exact=False, whole=False)
        hashes: Words = opened.hashes(folded)
        columns = {"folded": folded, "name": names.dictionary, "row": at + row}
        row += len(batch)
        yield ranges(hashes, parts), pa.table(columns)
