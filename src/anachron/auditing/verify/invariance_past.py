"""What the ledger's memory tells of a release of a register, and of those before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa

from anachron.arrays import Array
from anachron.auditing.history import History
from anachron.auditing.verdict import Check
from anachron.auditing.verify.files import digest_check
from anachron.auditing.verify.findings import SHOWN, Findings, fraction
from anachron.auditing.verify.invariance_alone import column_checks, unique_check
from anachron.auditing.verify.invariance_candidates import (
    Candidates,
    Narrowed,
    Sighting,
    candidate_check,
    candidates,
    narrow,
)
from anachron.auditing.verify.invariance_groups import Groups, groups_of
from anachron.auditing.verify.invariance_hosts import Hosts, hosts_of, real_check, signature_check
from anachron.auditing.verify.invariance_lifespans import (
    Step,
    change_check,
    lifespan_check,
    memory_check,
    step_between,
)
from anachron.auditing.verify.invariance_modes import mode_check
from anachron.auditing.verify.invariance_shape import Register, register_of
from anachron.auditing.verify.invariance_state import Book, State, found_in, state_of
from anachron.guarantees.lasting import lasts
from anachron.release.read import Release

__all__ = ["Past", "past_findings", "past_of", "state_check"]


@dataclass(frozen=True, eq=False)
class Past:
    """The states of a release and of those before it, laid against what was published."""

    book: Book
    state: State
    last: State | None
    """The state of the release directly before."""
    hosts: Hosts
    steps: tuple[Step, ...]
    """From each state to the next, the oldest first."""
    candidates: Candidates
    disagreeing: tuple[int, ...]
    """The numbers of earlier releases that are not as remembered."""
    compared: int
    """How many earlier releases were at hand."""
    number: int
    """Of this release."""

    @property
    def first(self) -> bool:
        """Whether this is the first release of its history."""
        return self.number == 1


def past_of(release: Release, shape: Register, groups: Groups, history: History) -> Past | None:
    """Read the memory of a release; None if it does not have the form of one."""
    book = Book(exact=shape.exact)
    state = state_of(history.state, book)
    if state is None:
        return None
    hosts = hosts_of(groups, state, book)
    now = Sighting(state, _as_published(state, hosts))
    sets: Narrowed = {}
    steps, disagreeing, compared = [], [], 0
    at_hand = {earlier.number: earlier for earlier in history.releases}
    # One state at a time: those of a long history need not fit into memory together.
    last: State | None = None
    for number, table in enumerate(history.before, release.number - len(history.before)):
        remembered = state_of(table, book)
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
        candidates=candidates(now, sets, shape.promise.m, book),
        disagreeing=tuple(disagreeing),
        compared=compared,
        number=release.number,
    )


def _as_published(state: State, hosts: Hosts | None) -> Array:
    """Everyone's set of values: as published, or as remembered of those who are not in it."""
    signature = state.signature.copy()
    if hosts is not None:
        signature[state.present] = hosts.signature
    return signature


def _hosts(earlier: Release, release: Release, state: State, book: Book) -> Hosts | None:
    """The groups of the people in an earlier release; None if it is not one of this history."""
    shape = register_of(earlier)
    if shape is None or not lasts(earlier.guarantee, release.guarantee):
        return None
    if not digest_check(earlier).holds or not all(c.holds for c in column_checks(shape)):
        return None
    groups = groups_of(shape, boxed=False)
    hosts = hosts_of(groups, state, book)
    whole = unique_check(shape, groups).holds and real_check(groups, hosts).holds
    return hosts if whole else None


def state_check(readable: bool) -> Check:
    """Say whether the ledger's memory has the form of one."""
    return Check(
        "state",
        readable,
        "one row for everyone who was ever published",
        "as promised" if readable else "something is missing or malformed",
        "what the ledger remembers",
    )


def past_findings(shape: Register, groups: Groups, past: Past) -> Findings:
    """Check a release against the memory of all releases."""
    m, state, book = shape.promise.m, past.state, past.book
    promise = (
        candidate_check(past.candidates, len(past.steps) + 1, m),
        signature_check(groups, past.hosts),
        lifespan_check(state, past.steps, m, book, past.number),
        real_check(groups, past.hosts),
    )
    support = (
        memory_check(state, past.steps, past.first),
        mode_check(shape.promise.mode, state, past.last, past.first, book),
        *_change_checks(shape, past, groups.domain.type),
        *_earlier_checks(past),
        state_check(True),
    )
    figures: dict[str, int | str] = {
        "people": len(state.present),
        "people_in_smallest_group": int(past.hosts.real.min(initial=len(state.present))),
        "smallest_candidate_set": past.candidates.smallest,
        "largest_posterior": fraction(Fraction(1, max(past.candidates.smallest, 1))),
        "vulnerable": past.candidates.vulnerable,
    }
    return Findings(promise, support, figures)


def _change_checks(shape: Register, past: Past, kind: pa.DataType) -> Iterator[Check]:
    # Without a word about changes, any value can become any other.
    if shape.promise.changes:
        changes = dict(shape.promise.changes)
        yield change_check(past.steps, shape.promise.m, changes, past.book, kind)


def _earlier_checks(past: Past) -> Iterator[Check]:
    if past.compared:
        wrong = ", ".join(map(str, past.disagreeing))
        yield Check(
            "earlier releases",
            not wrong,
            "as the ledger remembers them",
            f"not so: {wrong}" if wrong else f"{past.compared:,} as promised",
            "earlier releases that are still there",
            tuple(f"release {number:04d}" for number in past.disagreeing[:SHOWN]),
        )
