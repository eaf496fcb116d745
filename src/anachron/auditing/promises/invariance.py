"""Does a release of a register keep its promise?"""

from __future__ import annotations

from fractions import Fraction

from anachron.arrays import Array
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
from anachron.auditing.evidence.lifespans import (
    Narrowed,
    PastStates,
    Sighting,
    candidates_left,
    formed_now,
    narrow,
    step_between,
)
from anachron.auditing.evidence.people import RegisterPeople, draw_of, people_of
from anachron.auditing.evidence.register import (
    Book,
    Hosts,
    RegisterState,
    found_in,
    hosts_of,
    register_state,
)
from anachron.auditing.history import History
from anachron.auditing.promises.at_hand import Promise, Way, fitting, ways_to_read
from anachron.auditing.reading.description import register_of
from anachron.auditing.reading.form import Register, is_legible
from anachron.auditing.reading.register import RegisterGroups, register_groups
from anachron.behind import Microdata
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
    present, left = len(past.state.present), past.candidates
    return {
        "people": present,
        "people_in_smallest_group": int(past.hosts.real.min(initial=present)),
        "smallest_candidate_set": left.smallest,
        "largest_posterior": fraction(Fraction(1, max(left.smallest, 1))),
        "vulnerable": left.vulnerable,
    }


def _figures_of_people(state: RegisterState, people: RegisterPeople) -> Figures:
    return {"held_back": int(people.held(state).sum())}


def _figures_unaided(groups: RegisterGroups, unaided: Microdata) -> Figures:
    return {"people": groups.real_rows, "held_back": unaided.rows - groups.real_rows}


def past_of(
    release: Release, form: Register, groups: RegisterGroups, history: History
) -> PastStates | None:
    """Read the memory of a release; None if it does not have the form of one."""
    book = Book(exact=form.exact)
    state = register_state(history.state.table(), book)
    if state is None:
        return None
    hosts = hosts_of(groups, state, book)
    now = Sighting(state, _as_published(state, hosts))
    sets: Narrowed = {}
    steps, disagreeing, compared = [], [], 0
    at_hand = {earlier.number: earlier for earlier in history.releases}
    # One state at a time: those of a long history need not fit into memory together.
    last: RegisterState | None = None
    for number, table in enumerate(history.before, release.number - len(history.before)):
        remembered = register_state(table.table(), book)
        if remembered is None:
            return None
        seen = None
        if number in at_hand:
            compared += 1
            seen = _hosts(at_hand[number], release, remembered, book)
            if seen is None or seen.differing.any():
                disagreeing.append(number)
        place = found_in(remembered.subject, state.subject)
        narrow(sets, now, Sighting(remembered, _as_published(remembered, seen)), place, book)
        if last is not None:
            steps.append(step_between(last, remembered, found_in(last.subject, remembered.subject)))
        last = remembered
    if last is not None:
        steps.append(step_between(last, state, place))
    return PastStates(
        book=book,
        state=state,
        last=last,
        hosts=hosts,
        steps=tuple(steps),
        candidates=candidates_left(now, sets, form.promise.m, book),
        disagreeing=tuple(disagreeing),
        compared=compared,
        number=release.number,
    )


def _as_published(state: RegisterState, hosts: Hosts | None) -> Array:
    """Everyone's set of values: as published, or as remembered of those who are not in it."""
    signature = state.signature.copy()
    if hosts is not None:
        signature[state.present] = hosts.signature
    return signature


def _hosts(earlier: Release, release: Release, state: RegisterState, book: Book) -> Hosts | None:
    """The groups of the people in an earlier release; None if it is not one of this history."""
    form = register_of(earlier)
    if form is None or not lasts(earlier.guarantee, release.guarantee):
        return None
    if not files.digests.holds(earlier) or not is_legible(form):
        return None
    groups = register_groups(form, boxed=False)
    hosts = hosts_of(groups, state, book)
    right = rows.unique_values.holds(form, form.promise, groups) and memory.real_rows.holds(
        groups, hosts
    )
    return hosts if right else None


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
    "state": lambda past: past.state,
    "last": lambda past: past.last,
    "hosts": lambda past: past.hosts,
    # If the ledger's memory cannot be read, nothing is said of people.
    "offered": lambda form, microdata, remembered=True: form and microdata if remembered else None,
    "table": fitting(form.roles_of_register),
    "people": people_of,
    "different": lambda form, groups, state, last=None: (
        form.different | formed_now(groups, state, last)
    ),
    "drawn": lambda past, people, table: (
        draw_of(past.state, past.last, people, table) if past.first or past.last else None
    ),
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
)
