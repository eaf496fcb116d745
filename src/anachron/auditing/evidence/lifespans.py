"""Does everyone keep their signature for life, gaps included, and how many values are left?

The paper's Definition 17 asks for the same signature from a person's first release to the last.
It assumes that nobody returns and no value changes; here both happen. As long as the value of a
person is the same, so is the signature. When it changes, the new signature is the old one, or an
earlier one again, or one that has no value in common with any of them; and, where the guarantee
says which values can change to which, one that knowing so does not narrow.

A person's candidate set (Definition 15) holds the values of all groups whose intervals cover
them. Their own group is one of them, so its values, intersected over all releases, are the least
that any adversary is left with: one who even knows the group. Who is left with fewer than m is
vulnerable (Lemma 1). Releases with different values of one person are not laid together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.auditing.check import SHOWN
from anachron.auditing.evidence.matching import Ways, matched
from anachron.auditing.evidence.register import Book, Hosts, RegisterState, found_in
from anachron.auditing.reading.register import RegisterGroups

__all__ = [
    "Candidates",
    "Changes",
    "Narrowed",
    "PastStates",
    "Sighting",
    "Step",
    "candidates_left",
    "crossing",
    "formed_now",
    "gaps_filled",
    "groups_apart",
    "joining",
    "known_changes",
    "leaves_candidates",
    "narrow",
    "regrouping",
    "step_between",
]

Changes = Mapping[int, frozenset[int]]
"""For each value, by its number in the book, the others that it can become."""
Narrowed = dict[tuple[int | bytes, int], frozenset[int]]
"""Intersections for each person and value, where the sets are not all as they are now.

A person is his place in the state of now, or his pseudonym if he is not in it any more.
"""


@dataclass(frozen=True, eq=False)
class Step:
    """What happened to people from one state to the next."""

    vanished: int
    """People who are not remembered any more."""
    forgotten: int
    """Signatures of people that are not remembered any more."""
    rewritten: int
    """Absent people of whom something else is remembered now."""
    unpublished: int
    """People who are remembered without having been published."""
    moved: int
    """People with another signature although their value is the same."""
    moved_to: tuple[int, ...]
    """Some of the groups in which these people are now."""
    changed: frozenset[tuple[int, int]]
    """Pairs of a signature and the one that followed it."""


@dataclass(frozen=True, eq=False)
class Sighting:
    """What a release showed: for everyone remembered with it, the set of values."""

    state: RegisterState
    signature: Array
    """As published, where the release is at hand; else as remembered."""


@dataclass(frozen=True)
class Candidates:
    """The candidate sets of all people, in two numbers."""

    smallest: int
    vulnerable: int
    groups: tuple[int, ...] = ()
    """The groups of this release in which vulnerable people are."""


@dataclass(frozen=True, eq=False)
class PastStates:
    """The states of a release and of those before it, laid against what was published."""

    book: Book
    state: RegisterState
    last: RegisterState | None
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

    @property
    def numbered(self) -> Iterator[tuple[int, Step]]:
        """The steps, each with the number of the release that it led to."""
        return enumerate(self.steps, self.number - len(self.steps) + 1)


def known_changes(book: Book, said: Mapping[str, Sequence[str]], kind: pa.DataType) -> Changes:
    """What can become what, by what a promise says of values of a type."""
    changes: dict[int, frozenset[int]] = {}
    for value, others in said.items():
        number = book.named(value, kind)
        become = frozenset(book.named(other, kind) for other in others)
        changes[number] = changes.get(number, frozenset()) | become
    return changes


def step_between(before: RegisterState, after: RegisterState, place: Array) -> Step:
    """Compare two states in a row; ``place`` says where those of the first are in the second."""
    old = np.flatnonzero(place >= 0)
    new = place[old]
    same_value = before.mark[old] == after.mark[new]
    same_signature = before.signature[old] == after.signature[new]
    absent = after.group[new] == 0
    fresh = np.ones(len(after.subject), dtype=bool)
    fresh[new] = False
    moved = np.unique(after.group[new[same_value & ~same_signature]])
    turned = np.flatnonzero(~same_signature & ~absent)
    pairs = np.stack([before.signature[old[turned]], after.signature[new[turned]]], axis=1)
    return Step(
        vanished=len(place) - len(old),
        forgotten=_forgotten(before, after, place),
        rewritten=int((absent & ~(same_value & same_signature)).sum()),
        unpublished=int((fresh & (after.group == 0)).sum()),
        moved=int((same_value & ~same_signature).sum()),
        moved_to=tuple(moved[moved > 0][:SHOWN].tolist()),
        changed=frozenset((int(a), int(b)) for a, b in np.unique(pairs, axis=0)),
    )


def _forgotten(before: RegisterState, after: RegisterState, place: Array) -> int:
    """How many signatures the state before lists of people, and this one does not."""
    width = int(
        max(s.max(initial=0) for t in (before, after) for s in (t.signature, t.earlier)) + 1
    )
    # Most have the signature that they had.
    turned = np.flatnonzero((place >= 0) & (after.signature[place] != before.signature))
    owner = np.concatenate([place[turned], place[before.owner]])
    had = owner * width + np.concatenate([before.signature[turned], before.earlier])
    asked = np.zeros(len(after.subject), dtype=bool)
    asked[owner[owner >= 0]] = True
    listed = asked[after.owner]
    has = np.concatenate([np.flatnonzero(asked), after.owner[listed]]) * width
    has += np.concatenate([after.signature[asked], after.earlier[listed]])
    return int((~np.isin(had[owner >= 0], has)).sum())


def crossing(state: RegisterState, book: Book) -> tuple[int, list[int]]:
    """How many people have two signatures that share a value, and the groups they are in."""
    if not len(state.owner):
        return 0, []
    owners, start = np.unique(state.owner, return_index=True)
    kept: dict[tuple[int, ...], bool] = {}
    crossing: list[int] = []
    for person, part in zip(owners, np.split(state.earlier, start[1:]), strict=True):
        held = (int(state.signature[person]), *part.tolist())
        if held not in kept:
            sets = [book.signatures[number] for number in held]
            kept[held] = all(a.isdisjoint(b) for a, b in combinations(sets, 2))
        if not kept[held]:
            crossing.append(int(person))
    groups = np.unique(state.group[np.array(crossing, dtype=np.int64)])
    return len(crossing), groups[groups > 0].tolist()


def leaves_candidates(old: frozenset[int], new: frozenset[int], m: int, changes: Changes) -> bool:
    """Tell whether every old value can become a new one, and m of them different ones."""
    becomes = {a: {b for b in new if a == b or b in changes.get(a, ())} for a in old}
    if not all(becomes.values()) or set().union(*becomes.values()) != new:
        return False
    # A largest matching; where every old value can change, one exists for each that uses it.
    places = {b: at for at, b in enumerate(new)}
    pairs = [(at, places[b]) for at, a in enumerate(old) for b in becomes[a]]
    of, to = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    one = (np.ones(len(old), dtype=np.int64), np.ones(len(new), dtype=np.int64))
    return len(old) - matched(Ways(*one, of, to))[0] >= m


def narrow(sets: Narrowed, now: Sighting, seen: Sighting, place: Array, book: Book) -> None:
    """Intersect the sets of everyone with those of one more release.

    ``place`` says where those of that release are in the one of now.
    """
    known = place >= 0
    same = known.copy()
    same[known] = seen.state.mark[known] == now.state.mark[place[known]]
    same[known] &= seen.signature[known] == now.signature[place[known]]
    for row in np.flatnonzero(~same).tolist():
        at, mark = int(place[row]), int(seen.state.mark[row])
        key = (at if at >= 0 else seen.state.subject[row].as_py(), mark)
        values = book.signatures[seen.signature[row]]
        if at >= 0 and now.state.mark[at] == mark:
            values &= book.signatures[now.signature[at]]
        sets[key] = sets.get(key, values) & values


def candidates_left(now: Sighting, sets: Narrowed, m: int, book: Book) -> Candidates:
    """Count who is left with how many values, once all releases are laid together."""
    left = book.sizes()[now.signature]
    vulnerable: set[int | bytes] = set(np.flatnonzero(left < m).tolist())
    for (person, _mark), values in sets.items():
        if isinstance(person, int):
            left[person] = min(left[person], len(values))
        if len(values) < m:
            vulnerable.add(person)
    here = np.array([person for person in vulnerable if isinstance(person, int)], dtype=np.int64)
    groups = np.unique(now.state.group[here])
    smallest = int(left.min()) if len(left) else 0
    return Candidates(smallest, len(vulnerable), tuple(groups[groups > 0].tolist()))


def gaps_filled(state: RegisterState, before: RegisterState | None, book: Book) -> int:
    """How many signatures do not have equally many new people with each of their values."""
    known = np.zeros(len(state.subject), dtype=bool)
    if before is not None:
        known = found_in(state.subject, before.subject) >= 0
    new = ~known & (state.group > 0)
    pairs = np.stack([state.signature[new], state.mark[new]], axis=1)
    found, count = np.unique(pairs, axis=0, return_counts=True)
    signature, start, values = np.unique(found[:, 0], return_index=True, return_counts=True)
    if not len(signature):
        return 0
    uneven = np.maximum.reduceat(count, start) != np.minimum.reduceat(count, start)
    return int((uneven | (values != book.sizes()[signature])).sum())


def groups_apart(state: RegisterState) -> int:
    """How many published groups are not one standing group, and the other way round."""
    present = state.present
    pairs = np.unique(np.stack([state.standing[present], state.group[present]], axis=1), axis=0)
    standing, group = len(np.unique(pairs[:, 0])), len(np.unique(pairs[:, 1]))
    return max(len(pairs) - standing, len(pairs) - group, int((pairs[:, 0] < 0).sum()))


def regrouping(state: RegisterState, before: RegisterState) -> int:
    """How many known people are in another standing group although their signature is the same."""
    old, new = _known(state, before)
    same = before.signature[old] == state.signature[new]
    return int((same & (before.standing[old] != state.standing[new])).sum())


def _known(state: RegisterState, before: RegisterState) -> tuple[Array, Array]:
    """The places of those who are in both states: before, and now."""
    place = found_in(before.subject, state.subject)
    old = np.flatnonzero(place >= 0)
    return old, place[old]


def joining(state: RegisterState, before: RegisterState) -> int:
    """How many people are in a group that stood before without them."""
    present = state.present
    place = found_in(state.subject, before.subject)[present]
    stood = np.append(before.standing, -1)[place]
    now = state.standing[present]
    return int((np.isin(now, before.standing) & (stood != now)).sum())


def settled_together(state: RegisterState, before: RegisterState) -> int:
    """How many people with another signature than before share their group with somebody."""
    old, now = _known(state, before)
    moved = now[(before.signature[old] != state.signature[now]) & (state.group[now] > 0)]
    return int((np.bincount(state.group)[state.group[moved]] > 1).sum())


def formed_now(groups: RegisterGroups, state: RegisterState, before: RegisterState | None) -> Flags:
    """Of each published group of sticky mode, whether it is new, as far as the states tell."""
    new = np.zeros(len(groups.number), dtype=bool)
    if before is not None:
        present = state.present
        place = groups.places(state.group[present])
        fresh = ~np.isin(state.standing[present], before.standing)
        new[place[fresh & (place >= 0)]] = True
    return new
