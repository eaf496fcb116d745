"""Does a release of a feed keep its promise?"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from anachron.arrays import Flags, distinct
from anachron.auditing.check import Figures
from anachron.auditing.checks import (
    form,
    history,
    margins,
    memory,
    people,
    records,
    rows,
    values,
)
from anachron.auditing.evidence.aside import dealt_records
from anachron.auditing.evidence.barred import listed_people, unlisted
from anachron.auditing.evidence.digests import find
from anachron.auditing.evidence.everyone import InGroups, LaidPeople, holding
from anachron.auditing.evidence.feed import (
    FeedState,
    OneSnapshot,
    delays_of,
    feed_state,
    own_records,
    snapshot_of,
)
from anachron.auditing.evidence.laid import Laid, figures_of_records, laid_out
from anachron.auditing.evidence.modes import formed_now, stood_before
from anachron.auditing.evidence.people import RegisterPeople, people_of
from anachron.auditing.evidence.placed import HeldRecords, PlacedRecords, placed
from anachron.auditing.evidence.records import records_of
from anachron.auditing.evidence.register import Book, RegisterState, register_state
from anachron.auditing.evidence.roll import Roll
from anachron.auditing.evidence.shown import Shown, shown_of
from anachron.auditing.history import FeedPast, History
from anachron.auditing.promises.at_hand import Promise, fitting, ways_to_read
from anachron.auditing.promises.invariance import FIGURES, OF_THE_MEMORY, OF_THE_RELEASE, WAYS
from anachron.auditing.reading.columns import HIGHEST, one_each, whole
from anachron.auditing.reading.description import feed_of
from anachron.auditing.reading.feed import told
from anachron.auditing.reading.form import Feed, Register
from anachron.auditing.reading.pieces import Published, published_of
from anachron.auditing.reading.register import RegisterGroups
from anachron.behind import Large, Microdata

__all__ = ["COMPOSED", "REPOSITION"]


def _figures(rows: Shown) -> Figures:
    share = told(rows.in_groups.largest)
    return {
        "rows": rows.rows,
        "snapshots": len(rows.snapshots.start),
        "groups": rows.groups,
        "rows_in_smallest_group": rows.smallest_group,
        "values_in_smallest_group": rows.fewest_values,
        "largest_share_of_a_value": share,
        "largest_posterior": share,
    }


def _figures_of_people(rows: Shown, laid: Laid, held: Container[str]) -> Figures:
    # If everyone has one record, every row of a group is another person.
    known = laid and records.one_record_each.name in held
    return {"people_in_smallest_group": rows.smallest_group} if known else {}


def _placed(
    form: Feed,
    state: FeedState,
    history: FeedPast,
    published: Published,
    table: Microdata | Large | None = None,
) -> PlacedRecords | None:
    """Put each record where it is published, by the pieces of what is."""
    if isinstance(table, Large):
        return dealt_records(form, state, history, published, table)
    records = records_of(form, state, history, published, table)
    if records is None:
        return None
    ends = np.searchsorted(state.start, published.begins[1:]) - state.first
    return HeldRecords(records, placed(records, state), state.size, ends)


def _gathered(
    state: FeedState,
    history: FeedPast,
    table: Microdata | Large | None = None,
    placed: PlacedRecords | None = None,
) -> bool | None:
    there = state and (table is not None or history.waiting is not None)
    return placed is not None if there else None


REPOSITION = Promise(
    ways={
        **ways_to_read(feed_of),
        "published": published_of,
        "rows": shown_of,
        "intervals": lambda form: form.intervals if form.value_files is None else None,
        "boxed": lambda rows, intervals: rows.boxed if intervals is not None else None,
        "zone": lambda form: form.zone,
        "times": lambda rows: (rows.snapshots.start, rows.snapshots.end),
        "table": fitting(form.roles_of_feed),
        "dated": lambda offered: offered,
        "state": lambda form, history: feed_state(form, history.state.table()),
        "remembered": lambda form, history, state=None: bool(form and history and state),
        "before": lambda history: history.before,
        "feed": lambda form: form.promise,
        "books": lambda history: history.books,
        "pushed": lambda table: table,
        "until": lambda state: int(state.start[-1]),
        "placed": _placed,
        "gathered": _gathered,
        "laid": laid_out,
    },
    checks=(
        values.diverse_groups,
        values.eligible_snapshots,
        history.forward,
        history.delay,
        history.once,
        records.published,
        records.could_be_published,
        records.one_record_each,
        records.diverse_on_time,
        records.covered,
        records.linked,
        values.snapshots,
        values.one_snapshot,
        values.intervals,
        form.offer_of_intervals,
        rows.counts_of_values,
        rows.order_of_feed,
        rows.numbers_of_feed,
        form.roles_of_feed,
        values.recorded_times,
        memory.due,
        memory.state_of_feed,
        history.account,
        memory.state_of_waiting,
        memory.of_feed,
        form.columns,
        form.more_columns,
        form.package,
        form.names,
    ),
    figures=(_figures, figures_of_records, _figures_of_people),
    past=FeedPast,
    passes=True,
)


def _memory(form: Register, history: History) -> tuple[Book, RegisterState] | None:
    """Everyone who was ever published, whatever else is remembered."""
    book = Book(exact=form.exact)
    state = register_state(history.state, book)
    return None if state is None else (book, state)


def _last(book: Book, history: History) -> RegisterState | None:
    return register_state(history.before[-1], book) if len(history.before) else None


def _different(
    form: Register, groups: RegisterGroups, state: RegisterState, last: RegisterState | None = None
) -> Flags:
    """Of each group, whether its people must have different values."""
    every = np.full(len(groups.number), form.different)
    if form.different or last is None:
        return every
    return formed_now(groups, [state], stood_before([last]))


def _people(
    snapshot: OneSnapshot,
    form: Register,
    groups: RegisterGroups,
    table: Microdata,
    roll: Roll,
    state: RegisterState,
    book: Book,
    history: History,
) -> RegisterPeople | None:
    """The people of the microdata, each in the record of which the ledger says when it was."""
    people = people_of(table, groups, state, book, history)
    own = own_records(snapshot, table, people.place, whole(history.state.table()["home"], HIGHEST))
    if own is None:
        return None
    rows = np.flatnonzero(own)
    person, books, promise = people.place[rows], history.books, snapshot.promise
    dropped = None if books is None else books.dropped
    # Of several, the others were left out or came too late, and the account counts them.
    if books is not None and dropped is not None:
        if len(distinct(person)) < len(rows):
            key = table.row_keys(books.secret)[rows]
            late = find(key, dropped) >= 0
            own[rows] = one_each((person,), (late, *key.T))
            own[rows] |= ~late & (promise.repeated != "one")
    elif promise.repeated == "one" or promise.late != "refuse":
        quasi = {name: column.codes[rows] for name, column in table.quasi.items()}
        fits = holding(form, groups, roll).hold(quasi, people.group[rows])
        fits &= people.mark[rows] == state.mark[person]
        own[rows] = one_each((person,), (~fits,))
    place, group = (np.where(own, of, -1) for of in (people.place, people.group))
    return replace(people, place=place, group=group)


def _laid(
    form: Register, groups: RegisterGroups, roll: Roll, people: RegisterPeople, different: Flags
) -> LaidPeople:
    """People, laid against their groups."""
    laying, start = InGroups(form, groups, roll, different), 0
    for piece in roll:
        some = slice(start, start := start + len(piece.value))
        laying.add(piece, people.group[some], people.value[some])
    return laying.found()


COMPOSED = Promise(
    ways={
        **WAYS,
        "snapshot": snapshot_of,
        "snapshotted": lambda snapshot=None: snapshot is not None and snapshot.fits,
        "delays": lambda snapshot, history: delays_of(snapshot, history.state.table()),
        "memory": _memory,
        "book": lambda memory: memory[0],
        "state": lambda memory: memory[1],
        "last": _last,
        "different": _different,
        # Who is published at another time than the ledger says, is not looked for.
        "offered": lambda state, delays, microdata: (
            state and microdata if not delays.wrong else None
        ),
        "people": _people,
        "laid": _laid,
        "dated": lambda microdata: microdata,
        "zone": lambda snapshot: snapshot.zone,
        "times": lambda snapshot: snapshot.span,
        "feed": lambda snapshot: snapshot.promise,
        "books": lambda history: history.books,
        "pushed": lambda microdata: microdata,
        "until": lambda snapshot: snapshot.start,
        "listed": lambda history: None if history.feed is None else listed_people(history.feed),
        "returned": lambda snapshot, state, history, listed, dated: unlisted(
            snapshot, state, history, listed, dated
        ),
    },
    checks=(
        history.candidates,
        rows.unique_values,
        memory.signatures,
        history.lifespans,
        memory.real_rows,
        rows.counterfeits,
        history.delay_of_people,
        history.left_out_before,
        form.roles_of_register,
        people.covered,
        people.own_rows,
        margins.counted,
        records.of_everyone,
        *OF_THE_MEMORY,
        *OF_THE_RELEASE,
        values.snapshot,
        values.recorded_times,
        history.account,
        form.names,
    ),
    figures=FIGURES,
    past=History,
)


def of_feed(guarantee: Mapping[str, Any]) -> Promise:
    """All that is checked of a feed: as one, or as a register if its snapshots are m-invariant."""
    return REPOSITION if isinstance(guarantee.get("then"), str) else COMPOSED
