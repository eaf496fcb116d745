"""Does a release of a register keep its promise?"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from anachron.arrays import Flags
from anachron.auditing.check import Figures, fraction
from anachron.auditing.checks import (
    files,
    form,
    history,
    margins,
    memory,
    people,
    rows,
    values,
)
from anachron.auditing.evidence.everyone import Everyone, drawn, everyone_of
from anachron.auditing.evidence.hosts import Hosts, hosts_of
from anachron.auditing.evidence.modes import formed_now, mode_kept, stood_before
from anachron.auditing.evidence.past import EarlierState, PastStates, past_states
from anachron.auditing.evidence.register import (
    Book,
    NoStateError,
    OneState,
    memory_of,
    parts_of,
)
from anachron.auditing.evidence.roll import Roll, roll_of
from anachron.auditing.history import History
from anachron.auditing.promises.at_hand import Promise, Way, fitting, ways_to_read
from anachron.auditing.reading.description import register_of
from anachron.auditing.reading.form import Register, is_legible
from anachron.auditing.reading.register import RegisterGroups, register_groups
from anachron.guarantees.lasting import lasts
from anachron.release.read import Release

__all__ = ["FIGURES", "INVARIANCE", "OF_THE_MEMORY", "OF_THE_RELEASE", "WAYS", "past_of"]


def _figures(groups: RegisterGroups) -> Figures:
    smallest = int(groups.size.min()) if len(groups.size) else 0
    share = fraction(Fraction(1, max(smallest, 1)))
    return {
        "rows": len(groups.row_group),
        "groups": len(groups.number),
        "counterfeits": int(groups.table.count.sum()),
        "smallest_signature": smallest,
        "largest_share_of_a_value": share,
        "largest_posterior": share,
    }


def _figures_of_the_past(past: PastStates) -> Figures:
    present, left = past.hosts.present, past.candidates
    return {
        "people": present,
        "people_in_smallest_group": int(past.hosts.real.min(initial=present)),
        "smallest_candidate_set": left.smallest,
        "largest_posterior": fraction(Fraction(1, max(left.smallest, 1))),
        "vulnerable": left.vulnerable,
    }


def _figures_of_people(everyone: Everyone) -> Figures:
    return {"held_back": everyone.held}


def _figures_unaided(groups: RegisterGroups, unaided: Roll) -> Figures:
    return {"people": groups.real_rows, "held_back": unaided.rows - groups.real_rows}


def past_of(
    release: Release, form: Register, groups: RegisterGroups, history: History
) -> PastStates | None:
    """Read the memory of a release; None if it does not have the form of one."""
    book = Book(exact=form.exact)
    try:
        known = memory_of(history.state, book)
        hosts = hosts_of(groups, known, parts_of(known.people))
        earlier = _earlier(release, history, book)
        return past_states(known, hosts, earlier, form.promise, release.number)
    except NoStateError:
        return None


def _earlier(release: Release, history: History, book: Book) -> Iterator[EarlierState]:
    """What was remembered with each release before, and published."""
    at_hand = {earlier.number: earlier for earlier in history.releases}
    for number, table in enumerate(history.before, release.number - len(history.before)):
        known = memory_of(table, book)
        there = at_hand.get(number)
        hosts = None if there is None else _hosts(there, release, known)
        yield EarlierState(number, known, there is not None, hosts)


def _hosts(earlier: Release, release: Release, known: OneState) -> Hosts | None:
    """The groups of the people in an earlier release; None if it is not one of this history."""
    form = register_of(earlier)
    if form is None or not lasts(earlier.guarantee, release.guarantee):
        return None
    if not files.digests.holds(earlier) or not is_legible(form):
        return None
    groups = register_groups(form, boxed=False)
    hosts = hosts_of(groups, known, parts_of(known.people))
    right = rows.unique_values.holds(form, form.promise, groups) and memory.real_rows.holds(
        groups, hosts
    )
    return hosts if right else None


def _different(form: Register, groups: RegisterGroups, past: PastStates) -> Flags:
    """Of each group, whether its people must have different values."""
    every = np.full(len(groups.number), form.different)
    if form.different or past.last is None:
        return every
    stood = stood_before(past.last.pieces(past.parts))
    return formed_now(groups, past.memory.pieces(past.parts), stood)


WAYS: dict[str, Way] = {
    **ways_to_read(register_of),
    "groups": lambda form: register_groups(form),
    "apart": lambda groups: groups.apart,
    "boxed": lambda groups: groups if groups.apart is None else None,
    "intervals": lambda form: form.intervals if form.value_files is None else None,
    "step": lambda form: form.promise.margins,
    # Of intervals that are none, nothing follows.
    "sound": lambda intervals, groups: (
        groups if values.intervals.holds(intervals, groups) else None
    ),
    "past": past_of,
    "remembered": lambda form, history, past=None: bool(form and history and past),
    "book": lambda past: past.book,
    "kept": lambda promise, past: mode_kept(
        promise, past.memory, past.last, past.parts, first=past.first
    ),
    "hosts": lambda past: past.hosts,
    # If the ledger's memory cannot be read, nothing is said of people.
    "offered": lambda form, microdata, remembered=True: form and microdata if remembered else None,
    "table": fitting(form.roles_of_register),
    "roll": roll_of,
    "unaided": lambda roll, history=None: roll if history is None else None,
    "everyone": everyone_of,
    "laid": lambda everyone: everyone.laid,
    "different": _different,
    "drawn": drawn,
}
OF_THE_MEMORY = (
    memory.of_register,
    history.mode,
    history.changes,
    history.earlier_releases,
    memory.state_of_register,
)
OF_THE_RELEASE = (
    values.intervals,
    margins.in_form,
    form.offer_of_intervals,
    rows.counts_of_people,
    rows.order_of_register,
    rows.numbers_of_register,
    form.columns,
    form.more_columns,
    form.columns_of_third,
    form.package,
)
FIGURES = (_figures, _figures_of_the_past)
INVARIANCE = Promise(
    ways=WAYS,
    checks=(
        history.candidates,
        rows.unique_values,
        people.covered,
        people.could_be_covered,
        people.own_rows,
        people.could_be_own_rows,
        margins.counted,
        margins.could_be_counted,
        people.held_back,
        memory.signatures,
        history.lifespans,
        memory.real_rows,
        rows.counterfeits,
        people.drawn_by_lot,
        memory.marks,
        people.one_row_each,
        form.roles_of_register,
        *OF_THE_MEMORY,
        *OF_THE_RELEASE,
        form.names,
    ),
    figures=(*FIGURES, _figures_of_people, _figures_unaided),
    past=History,
    passes=True,
)
