"""Sort out the rows of a push: what is new, what was pushed before, and what comes late.

An engine holds the rows, and all that is decided here is decided by its verbs: lots are known by
sums of hashes for each snapshot, values by their dictionary, people who are twice in a snapshot
where their rows come together. What is planned is collected in the end. That is as much as the
ledger would remember of it, were it not published at once: its memory holds the records of a whole
window. The same is collected of what is dropped, of which the ledger keeps the hashes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags, Words
from anachron.engines.base import (
    COUNT,
    KEY,
    ROW,
    SUBJECT,
    TIME,
    Batch,
    Rows,
    Table,
    quasi,
    sensitive,
)
from anachron.errors import Problem, TableError
from anachron.guarantees import Reposition
from anachron.kernels.integer_programs import get_ready
from anachron.methods.outcome import Past
from anachron.methods.reposition.again import (
    WORD,
    Sums,
    known_lots,
    lots_of,
    same_people,
    same_records,
)
from anachron.methods.reposition.memory import FeedMemory
from anachron.methods.reposition.records import HOME, VALUE, Arriving
from anachron.methods.reposition.refusals import (
    first_of,
    refuse_late,
    refuse_twice,
    refuse_twice_in_all,
    refuse_unpublishable,
)
from anachron.methods.reposition.timeline import Timeline
from anachron.methods.values import as_kind, kind_from_text, kind_to_text
from anachron.methods.vocabulary import Vocabulary, distinct, recognised

__all__ = ["Arrivals", "arrivals"]

_BEHIND, _GONE, _WANTED, _DOUBLE, _THERE, _BARRED, _SHUT, _KEPT = (
    "behind", "gone", "wanted", "double", "there", "barred", "shut", "kept",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Arrivals:
    """The rows of a push that are to be planned."""

    records: Arriving
    spelled: Vocabulary
    """All values of the feed by code, those that are new among them."""
    content: Mapping[int, str]
    """The digest of each lot that is new, by position."""
    repeated: frozenset[int]
    """The releases that became due with the lots that are not: they were pushed before."""
    more: bool
    """Whether there are rows of later snapshots, which were not asked for."""
    late: Array
    """The homes of rows that come too late for their snapshot and are dropped, each row once."""
    doubles: Array
    """The homes of rows left out because their person has another in the same snapshot."""
    barred: Array
    """The homes of rows of people whom the feed never publishes any more."""
    dropped: Words
    """The keys of all that came after their snapshot was planned and is not: the late, doubles of
    such as had come before, and the barred."""

    @property
    def values(self) -> tuple[str, ...]:
        """The texts by which values are known."""
        return self.spelled.texts

    @property
    def kind(self) -> str:
        """The type in which they are published."""
        return kind_to_text(self.spelled.values.type)


def arrivals(
    table: Table,
    promise: Reposition,
    memory: FeedMemory,
    time: Timeline,
    past: Past,
    until: int | None = None,
) -> Arrivals:
    """Look at the rows of a push; of those after position ``until``, only that there are some."""
    held = table.held(past.secret("feed"))
    if promise.then != "anatomy":
        refuse_unpublishable(table, held, promise)
    with ThreadPoolExecutor(max_workers=1) as beside:
        # The engine hashes rows on its own threads, which leaves time for all that needs no hash.
        hashed = beside.submit(held.map, _hashed)
        rows = _placed(held, time, table.schema.time)
        rows, spelled = _coded(rows, table, memory)
        if promise.solver == "rolling" or promise.first == "exact":
            get_ready()
        hashed.result()
    rows = rows.only(ROW, SUBJECT, HOME, VALUE, KEY, *map(quasi, table.schema.quasi)).kept()
    counted = Sums.of(rows.map(_hashed))
    lots = lots_of(counted)
    starts = time.bounds(np.array(list(lots)))[0].tolist()
    pushed = {p: memory.pushed.get(at, ()) for p, at in zip(lots, starts, strict=True)}
    known = {p: known_lots(pushed[p], content) for p, content in lots.items()}
    new = {p: content for p, content in lots.items() if not known[p]}
    late = [p for p in new if p < memory.window.next]
    rows = rows.map(
        lambda batch: _taken(batch, [p for p in lots if known[p]], memory, promise.late == "drop")
    )
    if late and memory.ending is None:
        again = sum(bool(pushed[p]) for p in late)
        refuse_late(promise, table.schema.time, rows.where(_BEHIND), again)
    planned = _one_each(rows.where(_WANTED), table, promise, memory, past, bool(late))
    planned = planned.map(lambda batch: _kept(batch, until))
    is_whole = not (late or len(memory.barred) or table.subjects < table.rows)
    gone, shut = (_none(), _none()) if is_whole else (
        _told(some) for some in (rows.where(_GONE), planned.where(_SHUT)))  # fmt: skip
    fresh = _not_yet(_beside(gone, _some(shut, shut[_BEHIND])), memory.dropped)
    out = _beside(_some(shut, ~shut[_BEHIND]), _some(fresh, ~fresh[_GONE]))
    asked = [p for p in new if until is None or p <= until]
    return Arrivals(
        _records(planned.where(_KEPT), table, counted.within(asked) if is_whole else None),
        spelled,
        {p: new[p] for p in asked},
        frozenset(n for same in known.values() for lot in same for n in lot.releases),
        until is not None and any(p > until for p in new),
        fresh[HOME][fresh[_GONE]],
        out[HOME][~out[_BARRED]],
        out[HOME][out[_BARRED]],
        fresh[KEY],
    )


def _hashed(batch: Batch) -> Batch:
    """The word of each row's hash by which lots are known."""
    return {WORD: batch[KEY][:, 1]}


def _placed(rows: Rows, time: Timeline, column: str) -> Rows:
    """Add the position of the snapshot in which each row happened."""

    def home(batch: Batch) -> Batch:
        place, is_outside = time.found(batch[TIME])
        return {HOME: place, "outside": is_outside}

    placed = rows.map(home)
    outside = placed.where("outside")
    if len(outside):
        raise time.outside(len(outside), first_of(outside), column)
    return placed


def _coded(rows: Rows, table: Table, memory: FeedMemory) -> tuple[Rows, Vocabulary]:
    """Add the code of each row's sensitive value; and tell what all codes stand for."""
    [name] = table.schema.sensitive
    different = distinct(rows, sensitive(name))
    if different.values.null_count:
        [empty] = np.flatnonzero(different.values.is_null().to_numpy(zero_copy_only=False))
        raise TableError(
            Problem(
                f"is empty in {int(different.count[empty]):,} rows.",
                column=name,
                row=int(different.first[empty]) + 1,
                remedy="Fill it in, or leave those rows out.",
            )
        )
    given = different.values
    if memory.kind:
        different = different.of(as_kind(given, kind_from_text(memory.kind), name))
    spelled = recognised(different, name, table.schema.spelling, memory.values)

    def code(batch: Batch) -> Batch:
        place = pc.index_in(batch[sensitive(name)], given).to_numpy(zero_copy_only=False)
        return {VALUE: spelled.code[place]}

    return rows.map(code), spelled


def _taken(batch: Batch, known: Sequence[int], memory: FeedMemory, drops: bool) -> Batch:
    """Tell the rows that are new from those of known lots, and those that come too late."""
    home = batch[HOME]
    wanted = ~np.isin(home, known)
    behind = wanted & (home < memory.window.next)
    wanted[behind] = ~same_records(batch[KEY][behind], memory.waiting)
    gone = wanted & behind & ((home < memory.window.start) | drops)
    no = np.zeros(len(home), dtype=bool)
    flags = {_DOUBLE: no, _THERE: no, _BARRED: no}
    return {_WANTED: wanted & ~gone, _BEHIND: behind, _GONE: gone, **flags}


def _one_each(
    rows: Rows, table: Table, promise: Reposition, memory: FeedMemory, past: Past, late: bool
) -> Rows:
    """Mark all but one record of each person in a snapshot, and those of barred people."""

    # Kernels go where rows are, and take no ledger along.
    pseudonyms, waiting, following = past.pseudonyms, memory.waiting, memory.window.next
    barred = memory.barred

    def there(batch: Batch) -> Batch:
        found = np.zeros(len(batch[HOME]), dtype=bool)
        some = np.flatnonzero((batch[HOME] < following) & ~batch[_DOUBLE])
        people = pseudonyms(batch[SUBJECT].take(pa.array(some)))
        found[some] = same_people(batch[HOME][some], people, waiting)
        return {_THERE: found}

    if table.subjects < table.rows:
        rows = rows.map(_doubled, together=SUBJECT)
        refuse_twice(promise, table.schema.person, rows.where(_DOUBLE))
    if late:
        rows = rows.map(there)
        refuse_twice_in_all(promise, rows.where(_THERE))
    if not len(barred):
        return rows
    return rows.map(lambda batch: {_BARRED: barred.among(pseudonyms(batch[SUBJECT]))})


def _doubled(batch: Batch) -> Batch:
    """Which rows are of somebody who has another in the snapshot, with a smaller hash."""
    who = batch[SUBJECT].dictionary_encode().indices.to_numpy()
    home = batch[HOME]
    order = np.lexsort((batch[KEY][:, 0], who, home))
    again = np.zeros(len(order), dtype=bool)
    again[order[1:]] = (home[order[1:]] == home[order[:-1]]) & (who[order[1:]] == who[order[:-1]])
    return {_DOUBLE: again}


def _kept(batch: Batch, until: int | None) -> Batch:
    """Which rows are planned, and which never are, of the snapshots that are asked for."""
    asked = np.full(len(batch[HOME]), True) if until is None else batch[HOME] <= until
    shut = batch[_DOUBLE] | batch[_THERE] | batch[_BARRED]
    return {_SHUT: shut & asked, _KEPT: ~shut & asked}


def _records(rows: Rows, table: Table, counted: Sums | None) -> Arriving:
    """The rows that are planned, counted if they are not yet."""
    if counted is None:
        told = rows.counts((HOME, VALUE)).collect(HOME, VALUE, COUNT)
        home, value, count = (told[name] for name in (HOME, VALUE, COUNT))
    else:
        home, value, count = counted.home, counted.value, counted.count
    if not len(home):
        return Arriving()
    dictionaries = {column: table.values(column) for column in table.schema.quasi}
    return Arriving(rows, home, value, count, dictionaries, table.subjects < table.rows)


def _told(rows: Rows) -> Batch:
    """Collect rows that are not planned, in the order of the table."""
    told = rows.collect(ROW, HOME, KEY, _BEHIND, _GONE, _BARRED)
    return _some(told, np.argsort(told[ROW]))


def _none() -> Batch:
    number, flag = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)
    key = np.zeros((0, 2), dtype=np.uint64)
    return {ROW: number, HOME: number, KEY: key, _BEHIND: flag, _GONE: flag, _BARRED: flag}


def _some(rows: Batch, which: Array | Flags) -> Batch:
    return {name: column[which] for name, column in rows.items()}


def _beside(some: Batch, others: Batch) -> Batch:
    return {name: np.concatenate([column, others[name]]) for name, column in some.items()}


def _not_yet(rows: Batch, dropped: Words) -> Batch:
    """Those of some rows that were not dropped before: of rows that are alike, so many more."""
    if not len(rows[ROW]):
        return rows
    both = np.concatenate([dropped, rows[KEY]])
    _, kind = np.unique(both, axis=0, return_inverse=True)
    known, kind = np.split(kind.reshape(-1), [len(dropped)])
    before = np.bincount(known, minlength=int(kind.max()) + 1)
    order = np.argsort(kind, kind="stable")
    first = np.flatnonzero(np.diff(kind[order], prepend=-1))
    number = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    fresh = order[number >= before[kind[order]]]
    return _some(rows, fresh[np.argsort(rows[ROW][fresh])])
