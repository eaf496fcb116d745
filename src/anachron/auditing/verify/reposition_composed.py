"""Does the snapshot of a feed that is published m-invariantly keep its promise?

What is published is a release of a register, and judged as one. That nobody is published too
early or too late can be told by the ledger, which remembers when records happened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.auditing.history import History
from anachron.auditing.verdict import Check
from anachron.auditing.verify.findings import Findings
from anachron.auditing.verify.granules import wrong_granules
from anachron.auditing.verify.invariance import invariance
from anachron.auditing.verify.invariance_groups import HIGHEST, groups_of, places, whole
from anachron.auditing.verify.invariance_modes import formed_now
from anachron.auditing.verify.invariance_people import (
    coverage_check,
    covered,
    people_of,
    role_check,
)
from anachron.auditing.verify.invariance_shape import register_of
from anachron.auditing.verify.invariance_state import Book, state_of
from anachron.auditing.verify.recorded import recorded_checks
from anachron.auditing.verify.reposition_account import account_check
from anachron.auditing.verify.succession import succession
from anachron.engines.local.load import Loaded
from anachron.errors import InputError
from anachron.guarantees import Reposition
from anachron.release.read import Release

__all__ = ["composed"]


@dataclass(frozen=True)
class _Snapshot:
    """What the description says of the one snapshot of the release."""

    promise: Reposition
    zone: str
    label: str
    start: int
    end: int


def composed(release: Release, microdata: Loaded | None, history: History | None) -> Findings:
    """Check a release of a feed whose snapshots are m-invariant."""
    found = invariance(release, None, history)
    snapshot = _snapshot(release)
    promise, support = list(found.promise), [*found.support, _snapshot_check(snapshot)]
    if snapshot is not None and microdata is not None:
        times = np.array([snapshot.start]), np.array([snapshot.end])
        support += recorded_checks(microdata, snapshot.zone, *times)
    if snapshot is not None and history is not None:
        promise.append(_delay_check(snapshot, history.state))
        if microdata is not None and promise[-1].holds:
            promise += _with_microdata(release, snapshot, microdata, history)
        if microdata is not None and history.books is not None:
            account = account_check(
                snapshot.promise, snapshot.zone, history.books, microdata, snapshot.start
            )
            support += [] if account is None else [account]
    return Findings(tuple(promise), tuple(support), found.figures)


def _with_microdata(
    release: Release, snapshot: _Snapshot, loaded: Loaded, history: History
) -> Iterator[Check]:
    """Check that everyone is published as in the record of which the ledger says when it was."""
    shape = register_of(release)
    if shape is None:
        return
    book = Book(exact=shape.exact)
    state = state_of(history.state, book)
    if state is None:
        return
    roles = role_check(shape, loaded)
    yield roles
    if not roles.holds:
        return
    groups = groups_of(shape)
    people = people_of(loaded, groups, state, book, history.pseudonyms, history.marks)
    home = np.append(whole(history.state["home"], HIGHEST), HIGHEST)
    walked = succession(snapshot.promise.snapshot, snapshot.zone, int(home.min()), snapshot.end)
    if walked is None:
        return
    # One record of many is the one that is published: that of the snapshot that is remembered.
    at = places(walked[0], home[people.place])
    until = np.append(walked[1], HIGHEST)[at]
    own = (people.place >= 0) & (at >= 0)
    own &= (loaded.instants >= home[people.place]) & (loaded.instants < until)
    # Of several, the others were left out or came too late, and the account counts them.
    if snapshot.promise.repeated == "one" or snapshot.promise.late != "refuse":
        rows = np.flatnonzero(own)
        fits = covered(shape, loaded, groups, rows, people.group[rows])
        fits &= people.mark[rows] == state.mark[people.place[rows]]
        own[rows] = _one_each(people.place[rows], fits)
    place, group = np.where(own, people.place, -1), np.where(own, people.group, -1)
    last = state_of(history.before[-1], book) if len(history.before) else None
    different = shape.different | formed_now(groups, state, last)
    yield coverage_check(
        shape, groups, replace(people, place=place, group=group), loaded, different
    )
    missing = len(state.present) - len(np.unique(place[own]))
    yield Check(
        "records",
        not missing,
        "a record of everyone, of the snapshot that the ledger remembers",
        f"{missing:,} people without one" if missing else f"{len(state.present):,} people",
        "records of people in the release",
    )


def _one_each(person: Array, fits: Flags) -> Flags:
    """Choose a record of each person: one that fits what is published, if there is one."""
    order = np.lexsort((~fits, person))
    chosen = np.zeros(len(person), dtype=bool)
    chosen[order] = np.diff(person[order], prepend=-1) != 0
    return chosen


def _snapshot(release: Release) -> _Snapshot | None:
    ours: Any = release.description["anachron"]
    try:
        given = ours["snapshot"]
        promise = Reposition.from_dict(ours["guarantee"])
        start, end = int(given["start"]), int(given["end"])
        return _Snapshot(promise, str(ours["time_zone"]), str(given["label"]), start, end)
    except (KeyError, TypeError, ValueError, AttributeError, InputError):
        return None


def _snapshot_check(found: _Snapshot | None) -> Check:
    right = found is not None and not _is_wrong(found)
    return Check(
        "snapshots",
        right,
        "a snapshot of the calendar, with label, start and end that agree",
        "as promised" if right else "none, or called otherwise",
        "the published snapshot",
    )


def _is_wrong(found: _Snapshot) -> bool:
    start, end = np.array([found.start]), np.array([found.end])
    wrong = wrong_granules(found.promise.snapshot, found.zone, start, end, [found.label])
    return bool(wrong.any())


def _delay_check(found: _Snapshot, state: pa.Table) -> Check:
    """Check that nobody is published before he happened, or later than the window allows."""
    there = state["group"].is_valid()
    homes = state["home"].filter(there) if "home" in state.column_names else None
    window = found.promise.window
    wrong, longest = state.num_rows, 0
    if homes is not None and not homes.null_count:
        start = whole(homes, 0)
        low = int(min(start.min(initial=found.start), found.start))
        walked = succession(found.promise.snapshot, found.zone, low, found.end)
        if walked is not None:
            home = places(walked[0], start)
            delay = len(walked[0]) - 1 - home
            wrong = int(((home < 0) | (delay >= window)).sum())
            longest = int(delay[home >= 0].max(initial=0))
    return Check(
        "delay",
        not wrong,
        f"not before it happened, and less than {window:,} snapshots later",
        f"{wrong:,} records at another time" if wrong else f"at most {longest:,}",
        "delay of records",
    )
