"""What the ledger's memory tells of a release of a register, and of those before it."""

from __future__ import annotations

from anachron.arrays import Array
from anachron.auditing.checks import files, memory, rows
from anachron.auditing.evidence.lifespans import (
    Narrowed,
    Past,
    Sighting,
    candidates_left,
    narrow,
    step_between,
)
from anachron.auditing.evidence.register import (
    Book,
    Hosts,
    RegisterState,
    found_in,
    hosts_of,
    register_state,
)
from anachron.auditing.history import History
from anachron.auditing.reading.description import register_of
from anachron.auditing.reading.form import Register, is_legible
from anachron.auditing.reading.register import RegisterGroups, register_groups
from anachron.guarantees.lasting import lasts
from anachron.release.read import Release

__all__ = ["past_of"]


def past_of(
    release: Release, form: Register, groups: RegisterGroups, history: History
) -> Past | None:
    """Read the memory of a release; None if it does not have the form of one."""
    book = Book(exact=form.exact)
    state = register_state(history.state, book)
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
        remembered = register_state(table, book)
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
    return Past(
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
