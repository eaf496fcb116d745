"""Everyone in the microdata of a register, laid against what is remembered and what is published.

The table and the states of the release and of the one before are looked at by ranges of digests, so
that a person is in the same piece of each; what is found is added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow.compute as pc

from anachron.arrays import Array, Flags, Numbers
from anachron.auditing.evidence.apart import OwnRows, QuasiNumbers
from anachron.auditing.evidence.covering import Axes, Coverings, Covers
from anachron.auditing.evidence.draw import Draw, Newcomers, draw_of
from anachron.auditing.evidence.modes import pairs_of
from anachron.auditing.evidence.past import PastStates
from anachron.auditing.evidence.people import Recognised, RegisterPeople
from anachron.auditing.evidence.register import RegisterState, found_in, parts_of
from anachron.auditing.evidence.roll import Roll, RollPiece
from anachron.auditing.evidence.tally import paired
from anachron.auditing.history import History
from anachron.auditing.reading.form import Register
from anachron.auditing.reading.register import RegisterGroups

__all__ = ["Everyone", "InGroups", "LaidPeople", "drawn", "everyone_of", "holding"]


@dataclass(frozen=True, eq=False)
class LaidPeople:
    """Published people, laid against their groups."""

    covering: Coverings
    own: Flags | None
    """Of each group whether it has other rows than its people; None if it has rows of values."""
    counts: Mapping[str, Array]
    """How many of them have each value of a quasi column."""


class InGroups:
    """Lays people against their groups, some at a time."""

    def __init__(
        self, form: Register, groups: RegisterGroups, roll: Roll, different: Flags
    ) -> None:
        """Lay out groups, and where the values of the microdata are in them."""
        held = holding(form, groups, roll)
        self._own = held if isinstance(held, OwnRows) else None
        self._covers = Covers(groups, held if isinstance(held, Axes) else None, different)
        self._counts = {n: np.zeros(len(v), dtype=np.int64) for n, v in roll.quasi.items()}

    def add(self, rows: RollPiece, group: Array, value: Array) -> None:
        """Lay rows against groups; -1 for those that are in none."""
        there = np.flatnonzero(group >= 0)
        quasi: dict[str, Numbers] = {name: codes[there] for name, codes in rows.quasi.items()}
        self._covers.add(quasi, group[there], value[there])
        if self._own is not None:
            self._own.take(quasi, group[there])
        for name, count in self._counts.items():
            count += np.bincount(quasi[name], minlength=len(count))

    def found(self) -> LaidPeople:
        """Say what was found of all."""
        own = None if self._own is None else self._own.differing()
        return LaidPeople(self._covers.found(), own, self._counts)


def holding(form: Register, groups: RegisterGroups, roll: Roll) -> Axes | OwnRows:
    """What tells whether groups hold people: their intervals, or their own rows."""
    if groups.apart is None:
        return Axes(form, groups, roll.quasi)
    return OwnRows(groups, groups.apart, QuasiNumbers(form, groups.apart, roll.quasi))


@dataclass
class Everyone:
    """All people of the microdata, counted."""

    laid: LaidPeople | None = field(default=None)
    different: int = 0
    """By their digests."""
    held: int = 0
    """Who are not published,"""
    needless: int = 0
    """and those of them who are known, with the value that they have."""
    strangers: int = 0
    """Who are published and not in the microdata."""
    stale: int = 0
    """Who are remembered with another value."""

    def add(self, sight: _Sight) -> None:
        """Count some more."""
        people, state = sight.people, sight.state
        held, place = people.held(state), people.place
        same = np.append(state.mark, -1)[place] == people.mark
        missing = state.group > 0
        missing[place[~held]] = False
        self.different += len(pc.unique(sight.rows.who))
        self.held += int(held.sum())
        self.needless += int((held & (place >= 0) & same).sum())
        self.strangers += int(missing.sum())
        self.stale += int((~held & ~same).sum())


@dataclass(frozen=True, eq=False)
class _Sight:
    """Some rows of the microdata, and what is remembered of their people."""

    rows: RollPiece
    people: RegisterPeople
    state: RegisterState
    before: RegisterState | None


def everyone_of(
    form: Register,
    groups: RegisterGroups,
    past: PastStates,
    roll: Roll,
    history: History,
    different: Flags,
) -> Everyone:
    """Look at everyone; in groups that are ``different`` nobody has the same value as another."""
    found, laying = Everyone(), InGroups(form, groups, roll, different)
    for sight in _sights(groups, past, roll, history):
        found.add(sight)
        laying.add(sight.rows, sight.people.group, sight.people.value)
    found.laid = laying.found()
    return found


def drawn(groups: RegisterGroups, past: PastStates, roll: Roll, history: History) -> Draw | None:
    """Look at the draw of new people; None if it is not known who is new."""
    if not past.first and past.last is None:
        return None

    def newcomers() -> Iterator[Newcomers]:
        for sight in _sights(groups, past, roll, history):
            state, people = sight.state, sight.people
            rows = np.flatnonzero(people.group >= 0)
            if sight.before is not None:
                known = np.append(found_in(state.subject, sight.before.subject) >= 0, True)
                rows = rows[~known[people.place[rows]]]
            place = people.place[rows]
            cell = paired(state.mark[place], state.signature[place])
            yield Newcomers(cell, {n: codes[rows] for n, codes in sight.rows.quasi.items()})

    return draw_of(newcomers, {name: len(values) for name, values in roll.quasi.items()})


def _sights(
    groups: RegisterGroups, past: PastStates, roll: Roll, history: History
) -> Iterator[_Sight]:
    parts = parts_of(max(past.memory.people, roll.rows))
    recognised = Recognised(roll, groups, past.book, history.marks)
    pairs = pairs_of(past.memory, past.last, parts)
    for rows, (state, before) in zip(roll.pieces(parts, history.pseudonyms), pairs, strict=True):
        yield _Sight(rows, recognised.people(rows, state), state, before)
