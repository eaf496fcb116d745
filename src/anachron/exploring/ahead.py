"""Registers: releases that might follow, as people come and leave at random.

A tenth of the people leave before each of them, and as many come, who are like people that are
there: with the quasi values and the sensitive value of somebody drawn by lot. Nobody is shown, and
nothing is written: only counts of the releases are told.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.behind import Microdata
from anachron.engines.local.load import load
from anachron.errors import Refusal
from anachron.exploring.details import Ahead
from anachron.exploring.rehearsal import Rehearsal
from anachron.methods.doubts import ACCEPTABLE
from anachron.trying.rehearsing import rehearsed
from anachron.trying.run import Looked

__all__ = ["ahead"]

_RELEASES = 5
_LEAVE = 0.1
"""The share of people who leave before each release, and of those who come."""
_BATCH = 1 << 17


def ahead(rehearsal: Rehearsal, looked: Looked) -> Iterator[Ahead]:
    """Rehearse the releases after this one; fewer, where one of them cannot keep the promise.

    Where several columns tell people apart, nobody new can be thought of, and nothing is told.
    """
    schema = looked.held.schema
    if len(schema.subject_columns) != 1:
        return
    rng, everyone, ledger = np.random.default_rng(0), _people(rehearsal.microdata), rehearsal.ledger
    work = replace(looked.works[0], as_of=None, accept=frozenset(ACCEPTABLE))
    now = everyone
    for number in range(1, _RELEASES + 1):
        now = _changed(now, everyone, schema.subject_columns[0], number, rng)
        try:
            with closing(load(now, schema)) as table:
                told = rehearsed(work, table, ledger)[0][-1]
        except Refusal:
            return
        yield Ahead(
            release=ledger.number - 1,
            people=told["subjects"] - told["held"] - told["refused"],
            counterfeits=told["counterfeits"],
            held_back=told["held"],
            left_out=told["refused"],
        )


def _people(table: Microdata) -> pa.Table:
    """The register as it is now, by its roles."""
    [who] = table.schema.subject_columns
    held = pa.Table.from_batches(table.sensitive(_BATCH), table.sensitive_schema)
    quasi = {
        name: column.values.take(pa.array(column.codes, mask=column.codes < 0))
        for name, column in table.quasi.items()
    }
    columns = {who: table.subject_values.take(pa.array(table.subject)), **quasi}
    return pa.table({**columns, **{name: held[name] for name in held.column_names}})


def _changed(
    now: pa.Table, everyone: pa.Table, who: str, number: int, rng: np.random.Generator
) -> pa.Table:
    """A tenth leaves, and as many come."""
    many = max(round(_LEAVE * len(now)), 1)
    stay = np.sort(rng.permutation(len(now))[many:])
    like = everyone.take(pa.array(rng.integers(len(everyone), size=many)))
    names = _names(everyone[who], number, many)
    at = everyone.column_names.index(who)
    return pa.concat_tables([now.take(pa.array(stay)), like.set_column(at, who, names)])


def _names(known: pa.ChunkedArray, number: int, many: int) -> pa.Array:
    """Names that nobody has."""
    if pa.types.is_integer(known.type):
        first = int(pc.max(known).as_py()) + 1 + number * many
        return pa.array(range(first, first + many), known.type)
    longest = "~" * (int(pc.max(pc.utf8_length(known)).as_py()) + 1)
    return pa.array([f"{longest}{number}.{one}" for one in range(many)], known.type)
