"""Whom the ledger should remember of a release of events, and from when to when.

Where the table is not held, digests are dealt out by ranges, theirs and ours, and those of one
range are compared at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Words
from anachron.auditing.evidence.events import Behind, spans
from anachron.auditing.history import TablePast
from anachron.auditing.reading.events import EventGroups
from anachron.behind import Large, Microdata
from anachron.behind.dealt import dealt, leading, ranges, ways
from anachron.streamed import Streamed

__all__ = ["Recalled", "recalled"]

_KINDS = pa.schema({"subject": pa.binary(32), "first": pa.int64(), "until": pa.int64()}.items())


@dataclass(frozen=True)
class Recalled:
    """How what is remembered compares with who is published."""

    people: int
    """Who are published."""
    strange: int
    """People too many, missing, or at other times."""
    alike: int
    """People who have the digest of another."""


def recalled(
    table: Microdata | Large, groups: EventGroups, behind: Behind, history: TablePast
) -> Recalled:
    """Compare everyone in a release with those whom the ledger remembers."""
    first, until = spans(table, groups, behind)  # type: ignore[arg-type]
    people = int((first <= until).sum())
    ours = _published(table, first, until, history)
    theirs = _remembered(history.state)
    strange = alike = 0
    if isinstance(table, Large):
        pairs = _by_ranges(ours, theirs, max(people, history.state.rows), table)
    else:
        pairs = iter([(pa.concat_tables(ours), pa.concat_tables(theirs))])
    for mine, known in pairs:
        ours_, theirs_ = _ascending(mine), _ascending(known)
        strange += _differing(ours_, theirs_)
        alike += _repeated(ours_)
    return Recalled(people, strange, alike)


def _published(
    table: Microdata | Large, first: Array, until: Array, history: TablePast
) -> Iterator[pa.Table]:
    """The digest of everyone who is published, from when to when; some at a time."""
    names = iter(table.who) if isinstance(table, Large) else iter([(0, table.subject_values)])
    for begin, some in names:
        there = np.flatnonzero(first[begin : begin + len(some)] <= until[begin : begin + len(some)])
        who = history.pseudonyms(some.take(pa.array(there)))
        yield pa.table([who, first[begin + there], until[begin + there]], schema=_KINDS)


def _remembered(state: Streamed) -> Iterator[pa.Table]:
    yield _KINDS.empty_table()
    for batch in state.batches():
        yield pa.Table.from_batches([batch]).select(_KINDS.names).cast(_KINDS)


def _by_ranges(
    ours: Iterable[pa.Table], theirs: Iterable[pa.Table], most: int, table: Large
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Both sides, dealt out by ranges of digests."""
    parts = ways(most, table.at_once)
    sides = [
        dealt(
            ((ranges(leading(rows["subject"]), parts), rows) for rows in side),
            _KINDS,
            parts,
            table.aside,
            table.at_once,
        )
        for side in (ours, theirs)
    ]
    return zip(*sides, strict=True)


def _ascending(rows: pa.Table) -> pa.Table:
    """Sort rows by their digests: by the first bytes, and by all where these are the same."""
    words = leading(rows["subject"])
    order = np.argsort(words)
    if _are_different(words[order]):
        return rows.take(pa.array(order))
    return rows.sort_by("subject")


def _are_different(words: Words) -> bool:
    """Whether ascending numbers are all different."""
    return not (words[1:] == words[:-1]).any()


def _repeated(mine: pa.Table) -> int:
    """How many rows, which ascend, have the digest of another."""
    if _are_different(leading(mine["subject"])):
        return 0
    return len(mine) - int(pc.count_distinct(mine["subject"]).as_py())


def _differing(mine: pa.Table, known: pa.Table) -> int:
    if mine.equals(known):
        return 0
    return len(_rows(mine).symmetric_difference(_rows(known)))


def _rows(table: pa.Table) -> set[tuple[object, ...]]:
    return set(zip(*table.to_pydict().values(), strict=True))
