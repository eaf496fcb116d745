"""Is anybody published by an m-invariant feed who was left out of it before?

The ledger lists whom a feed left out when they were new. Nobody of them may be published later.
With the table at hand and a window of 1, it is found out without the list, too: who is new in a
release, and has a record of a snapshot that was over, was left out then. Only where fewer new
people came than any snapshot can have is that no matter: nothing could be published of them,
whatever they had.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags, distinct
from anachron.auditing.evidence.digests import find
from anachron.auditing.evidence.feed import OneSnapshot
from anachron.auditing.evidence.records import homes_of
from anachron.auditing.evidence.register import RegisterState, found_in
from anachron.auditing.history import History
from anachron.auditing.reading.columns import notes_of, whole
from anachron.auditing.reading.succession import succession
from anachron.behind import Microdata

__all__ = ["ListedPeople", "listed_people", "unlisted"]


@dataclass(frozen=True, eq=False)
class ListedPeople:
    """Those of whom the ledger says that they were left out."""

    subject: pa.Array
    after: Array
    """Records of snapshots that begin later than this are of no use any more, person by person."""
    begins: int
    """Who was left out of a snapshot before this need not be listed."""

    def useless(self, who: pa.Array, start: Array) -> Flags:
        """Whether records of these people, in snapshots that begin then, can only be dropped."""
        place = whole(pc.index_in(who, value_set=self.subject), -1)
        found: Flags = (place >= 0) & (start > np.append(self.after, 0)[place])
        return found


def listed_people(memory: pa.Table) -> ListedPeople | None:
    """Read the list; None if the ledger is older than such lists are."""
    said = notes_of(memory)
    if "barred" not in said:
        return None
    begins = said["barred"]["begins"]
    first = np.iinfo(np.int64).min if begins is None else int(begins)
    if "barred" not in memory.column_names:
        return ListedPeople(pa.array([], pa.binary(32)), np.zeros(0, dtype=np.int64), first)
    listed = memory.filter(memory["barred"].is_valid())
    return ListedPeople(listed["subject"].combine_chunks(), whole(listed["barred"], 0), first)


def unlisted(
    snapshot: OneSnapshot,
    state: RegisterState,
    history: History,
    listed: ListedPeople,
    table: Microdata,
) -> int | None:
    """Count people who are new in a release although the table shows that they were left out.

    None if not everything is at hand that it takes to know: with a window longer than 1, a record
    may have been given up for another one of the same person, who was not left out.
    """
    books, promise = history.books, snapshot.promise
    if books is None or books.dropped is None or promise.window > 1:
        return None
    first = min(int(table.instants.min(initial=snapshot.start)), snapshot.start)
    walked = succession(promise.snapshot, snapshot.zone, first, snapshot.end)
    if walked is None:
        return None
    start, home = walked[0], homes_of(table.instants, *walked)
    who = history.pseudonyms(table.subject_values)
    is_new = np.append(state.group > 0, False)[found_in(who, state.subject)]
    if len(history.before):
        is_new &= ~_among(who, history.before[-1].table()["subject"])
    over = (home >= 0) & (home < len(start) - 1)
    over[over] = start[home[over]] >= listed.begins
    rows = np.flatnonzero(over & is_new[table.subject])
    if not len(rows):
        return 0
    # What came too late was left out for that, whatever it had.
    late = find(table.row_keys(books.secret), books.dropped) >= 0
    rows = rows[~late[rows]]
    came = _newcomers(distinct(home[rows]), start, home, late, who, history, listed, table)
    rows = rows[np.isin(home[rows], [at for at, n in came.items() if n >= promise.l])]
    return len(np.unique(table.subject[rows]))


def _newcomers(
    homes: Array, start: Array, home: Array, late: Flags, who: pa.Array,
    history: History, listed: ListedPeople, table: Microdata,
) -> dict[int, int]:  # fmt: skip
    """How many people came to some snapshots who were new then, and could be published."""
    found = {}
    left = sorted(homes.tolist())
    for remembered in (*reversed(history.before), None):
        state = None if remembered is None else remembered.table()
        newest = _newest(state)
        while left and start[left[-1]] > newest:
            at = left.pop()
            rows = np.flatnonzero((home == at) & ~late)
            here = pc.unique(who.take(pa.array(table.subject[rows])))
            new = ~listed.useless(here, np.full(len(here), start[at]))
            if state is not None:
                new &= ~_among(here, state["subject"])
            found[at] = int(new.sum())
    return found


def _newest(state: pa.Table | None) -> int:
    """When the snapshot of a release began, as the ledger remembers its people."""
    lowest = int(np.iinfo(np.int64).min)
    if state is None:
        return lowest
    return int(whole(state["home"].filter(state["group"].is_valid()), 0).max(initial=lowest))


def _among(people: pa.Array, others: pa.ChunkedArray) -> Flags:
    found: Flags = pc.is_in(people, value_set=others.combine_chunks()).to_numpy(
        zero_copy_only=False
    )
    return found
