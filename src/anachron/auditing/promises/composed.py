"""Does a snapshot of a feed that is published m-invariantly keep its promise?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anachron.auditing.checks import form, history, memory, people, rows, values
from anachron.auditing.evidence.people import People, inside, people_of
from anachron.auditing.evidence.register import Book, RegisterState, register_state
from anachron.auditing.evidence.snapshot import (
    Snapshot,
    delays_of,
    one_each,
    own_records,
    snapshot_of,
)
from anachron.auditing.history import History
from anachron.auditing.promises.at_hand import Promise
from anachron.auditing.promises.invariance import FIGURES, OF_THE_MEMORY, OF_THE_RELEASE, WAYS
from anachron.auditing.reading.columns import HIGHEST, whole
from anachron.auditing.reading.form import Register
from anachron.auditing.reading.register import RegisterGroups
from anachron.engines.local.load import Loaded

__all__ = ["COMPOSED"]


def _memory(form: Register, history: History) -> tuple[Book, RegisterState] | None:
    """Everyone who was ever published, whatever else is remembered."""
    book = Book(exact=form.exact)
    state = register_state(history.state, book)
    return None if state is None else (book, state)


def _last(book: Book, history: History) -> RegisterState | None:
    return register_state(history.before[-1], book) if len(history.before) else None


def _people(
    snapshot: Snapshot,
    form: Register,
    groups: RegisterGroups,
    table: Loaded,
    state: RegisterState,
    book: Book,
    history: History,
) -> People | None:
    """The people of the microdata, each in the record of which the ledger says when it was."""
    people = people_of(table, groups, state, book, history)
    own = own_records(snapshot, table, people.place, whole(history.state["home"], HIGHEST))
    if own is None:
        return None
    # Of several, the others were left out or came too late, and the account counts them.
    if snapshot.promise.repeated == "one" or snapshot.promise.late != "refuse":
        rows = np.flatnonzero(own)
        fits = inside(form, table, groups, rows, people.group[rows])
        fits &= people.mark[rows] == state.mark[people.place[rows]]
        own[rows] = one_each(people.place[rows], fits)
    place, group = (np.where(own, of, -1) for of in (people.place, people.group))
    return replace(people, place=place, group=group)


COMPOSED = Promise(
    ways={
        **WAYS,
        "snapshot": snapshot_of,
        "snapshotted": lambda snapshot=None: snapshot is not None and snapshot.fits,
        "delays": lambda snapshot, history: delays_of(snapshot, history.state),
        "memory": _memory,
        "book": lambda memory: memory[0],
        "state": lambda memory: memory[1],
        "last": _last,
        # Who is published at another time than the ledger says, is not looked for.
        "offered": lambda state, delays, microdata: (
            state and microdata if not delays.wrong else None
        ),
        "people": _people,
        "dated": lambda microdata: microdata,
        "zone": lambda snapshot: snapshot.zone,
        "times": lambda snapshot: snapshot.span,
        "feed": lambda snapshot: snapshot.promise,
        "books": lambda history: history.books,
        "pushed": lambda microdata: microdata,
        "until": lambda snapshot: snapshot.start,
    },
    checks=(
        history.candidates,
        rows.unique_values,
        memory.signatures,
        history.lifespans,
        memory.real_rows,
        rows.counterfeits,
        history.delay_of_people,
        form.roles_of_register,
        people.covered,
        people.record_of_everyone,
        *OF_THE_MEMORY,
        *OF_THE_RELEASE,
        values.snapshot,
        values.recorded_times,
        history.account,
        form.names,
    ),
    figures=FIGURES,
)
