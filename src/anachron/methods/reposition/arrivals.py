"""Sort out the rows of a push: what is new, what was pushed before, and what comes late."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Words
from anachron.engines.base import Table
from anachron.errors import AlreadyPublished, PlanError, Problem, TableError
from anachron.guarantees import MInvariance, Reposition
from anachron.kernels.integer_programs import get_ready
from anachron.methods.axes import axis
from anachron.methods.outcome import Past
from anachron.methods.reposition.again import contents, known_lots, same_people, same_records
from anachron.methods.reposition.memory import FeedMemory
from anachron.methods.reposition.timeline import Timeline
from anachron.methods.values import as_kind, kind_from_text, kind_to_text
from anachron.methods.vocabulary import Vocabulary, vocabulary

__all__ = ["Arrivals", "arrivals"]


@dataclass(frozen=True, eq=False)
class Arrivals:
    """The rows of a push that are to be planned."""

    rows: Array
    """Their places in the table."""
    home: Array
    value: Array
    key: Words
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
    if promise.then != "anatomy":
        _check_publishable(table, promise)
    with ThreadPoolExecutor(max_workers=1) as beside:
        # The engine hashes rows on its own threads, which leaves time for all that needs no hash.
        hashed = beside.submit(table.row_keys, past.secret("feed"))
        home = time.positions(table.instants, table.schema.time)
        spelled = _coded(table, memory)
        if promise.solver == "rolling" or promise.first == "exact":
            get_ready()
        keys = hashed.result()
    lots = contents(home, keys[:, 1])
    starts = time.bounds(np.array(list(lots)))[0].tolist()
    pushed = {p: memory.pushed.get(at, ()) for p, at in zip(lots, starts, strict=True)}
    known = {p: known_lots(pushed[p], content) for p, content in lots.items()}
    wanted = ~np.isin(home, [p for p in lots if known[p]])
    behind = wanted & (home < memory.window.next)
    if behind.any() and memory.ending is None:
        again = {p for p in np.unique(home[behind]).tolist() if pushed[p]}
        _check_late(promise, table, np.flatnonzero(behind), again)
    wanted[behind] = ~same_records(keys[behind], memory.waiting)
    gone = wanted & behind & ((home < memory.window.start) | (promise.late == "drop"))
    later = np.zeros(len(home), dtype=bool) if until is None else home > until
    rows, doubles = _one_each(table, promise, np.flatnonzero(wanted & ~gone), home, keys[:, 0])
    rows, others = _not_there(table, promise, memory, past, rows, home)
    is_barred = _barred(table, memory, past)
    shut = np.concatenate([doubles, others, rows[is_barred[rows]]])
    rows, shut = rows[~is_barred[rows] & ~later[rows]], shut[~later[shut]]
    fresh = np.append(np.flatnonzero(gone), shut[behind[shut]])
    fresh = _not_yet(fresh, keys, memory.dropped)
    late, shut = fresh[gone[fresh]], np.append(shut[~behind[shut]], fresh[~gone[fresh]])
    kept = rows if len(rows) < len(home) else slice(None)
    return Arrivals(
        rows,
        home[kept],
        spelled.code[kept],
        keys[kept],
        spelled,
        {p: content for p, content in lots.items()
         if not known[p] and (until is None or p <= until)},
        frozenset(n for same in known.values() for lot in same for n in lot.releases),
        bool((wanted & later).any()),
        home[late],
        home[shut[~is_barred[shut]]],
        home[shut[is_barred[shut]]],
        keys[fresh],
    )  # fmt: skip


def _check_publishable(table: Table, promise: Reposition) -> None:
    """Refuse now what could not be published when it is due, with records that could."""
    grid = promise.then if isinstance(promise.then, MInvariance) else promise
    problems = []
    for column in table.schema.quasi:
        values = table.values(column)
        if values.null_count:  # an interval cannot hold a value that is missing
            problems.append(
                Problem(
                    f"is empty in {int(table.frequencies(column)[-1]):,} rows.",
                    column=column,
                    row=int(np.argmax(table.codes(column) == len(values) - 1)) + 1,
                    remedy='Fill it in, or leave those rows out. A new feed with then = "anatomy" '
                    "takes them.",
                )
            )
        try:
            axis(column, values, grid)
        except PlanError as error:
            problems += error.problems
    [sensitive] = table.schema.sensitive
    if grid is not promise and pa.types.is_time(table.column(sensitive).type):
        problems.append(
            Problem(
                "holds times of the day, which a history cannot remember.",
                column=sensitive,
                remedy="Give it as text.",
            )
        )
    if problems:
        raise TableError(problems)


def _check_late(promise: Reposition, table: Table, rows: Array, again: set[int]) -> None:
    if promise.late != "refuse":
        return
    if again:
        raise AlreadyPublished(
            f"{len(again):,} snapshots of this push were pushed before, with other records. What "
            "was planned with the first must not be planned again with the second. Push each "
            'snapshot once, when it is complete; or let late records join, with late = "recycle".'
        )
    raise TableError(
        Problem(
            f"lies before the last snapshot that was pushed ({len(rows):,} such rows).",
            column=table.schema.time,
            row=int(rows[0]) + 1,
            remedy='Push snapshots in order; or set late to "recycle" or "drop".',
        )
    )


def _one_each(
    table: Table,
    promise: Reposition,
    rows: Array,
    home: Array,
    rank: Words,
) -> tuple[Array, Array]:
    """Keep one record of each person in a snapshot; give the rows that stay, and the others."""
    if table.subjects == table.rows:
        return rows, rows[:0]
    people = np.asarray(table.people().indices.to_numpy(), dtype=np.int64)
    order = rows[np.lexsort((rank[rows], people[rows], home[rows]))]
    again = np.zeros(len(order), dtype=bool)
    again[1:] = (home[order[1:]] == home[order[:-1]]) & (people[order[1:]] == people[order[:-1]])
    if again.any() and promise.repeated == "refuse":
        raise TableError(
            Problem(
                f"holds a person who is in the same snapshot twice ({int(again.sum()):,} rows).",
                column=table.schema.subject,
                row=int(order[again].min()) + 1,
                remedy='A snapshot has one record of each person. Set repeated to "one" to '
                "publish one of them, or choose shorter snapshots for a new feed.",
            )
        )
    return np.sort(order[~again]), order[again]


def _not_yet(rows: Array, keys: Words, dropped: Words) -> Array:
    """Those of some rows that were not dropped before: of rows that are alike, so many more."""
    if not len(rows):
        return rows
    both = np.concatenate([dropped, keys[rows]])
    _, kind = np.unique(both, axis=0, return_inverse=True)
    known, kind = np.split(kind.reshape(-1), [len(dropped)])
    before = np.bincount(known, minlength=int(kind.max()) + 1)
    order = np.argsort(kind, kind="stable")
    first = np.flatnonzero(np.diff(kind[order], prepend=-1))
    number = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    return np.sort(rows[order[number >= before[kind[order]]]])


def _not_there(
    table: Table, promise: Reposition, memory: FeedMemory, past: Past, rows: Array, home: Array
) -> tuple[Array, Array]:
    """Part late records whose person has another in that snapshot from all the others."""
    late = home[rows] < memory.window.next
    if not late.any():
        return rows, rows[:0]
    behind = rows[late]
    people = past.pseudonyms(table.people().take(pa.array(behind)))
    there = same_people(home[behind], people, memory.waiting)
    if there.any() and promise.repeated == "refuse":
        raise AlreadyPublished(
            "this push repeats people of a snapshot that was pushed before, among other records "
            f"({int(there.sum()):,} rows). A snapshot has one record of each person. Leave those "
            'rows out; to have the first of several published, set repeated to "one".'
        )
    stay = np.ones(len(rows), dtype=bool)
    stay[late] = ~there
    return rows[stay], behind[there]


def _barred(table: Table, memory: FeedMemory, past: Past) -> Flags:
    """Which rows are of people whom the feed never publishes any more."""
    if not len(memory.barred):
        return np.zeros(table.rows, dtype=bool)
    return memory.barred.among(past.pseudonyms(table.people()))


def _coded(table: Table, memory: FeedMemory) -> Vocabulary:
    """The code of each row's sensitive value, and what all codes stand for."""
    name = table.schema.sensitive[0]
    column = table.column(name)
    if column.null_count:
        missing = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
        raise TableError(
            Problem(
                f"is empty in {len(missing):,} rows.",
                column=name,
                row=int(missing[0]) + 1,
                remedy="Fill it in, or leave those rows out.",
            )
        )
    if memory.kind:
        column = as_kind(column, kind_from_text(memory.kind), name)
    return vocabulary(column, name, table.schema.spelling, memory.values)
