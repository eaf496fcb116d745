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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.auditing.check import SHOWN
from anachron.auditing.evidence.matching import Ways, matched
from anachron.auditing.evidence.register import Book, RegisterState

__all__ = [
    "Candidates",
    "Changes",
    "Crossing",
    "Narrowed",
    "Sighting",
    "Step",
    "candidates_left",
    "crossing",
    "known_changes",
    "leaves_candidates",
    "narrow",
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

    @classmethod
    def together(cls, several: Sequence[Step]) -> Step:
        """The same of all people, given of those of some."""
        return cls(
            **{name: sum(getattr(one, name) for one in several) for name in _COUNTED},
            moved_to=_least(one.moved_to for one in several),
            changed=frozenset().union(*(one.changed for one in several)),
        )


_COUNTED = ("vanished", "forgotten", "rewritten", "unpublished", "moved")


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
    """Some of the groups of this release in which vulnerable people are."""
    people: int = 1
    """How many are remembered."""

    @classmethod
    def together(cls, several: Sequence[Candidates]) -> Candidates:
        """The same of all people, given of those of some."""
        return cls(
            min((one.smallest for one in several if one.people), default=0),
            sum(one.vulnerable for one in several),
            _least(one.groups for one in several),
            sum(one.people for one in several),
        )


@dataclass(frozen=True)
class Crossing:
    """People who have two signatures that share a value."""

    people: int
    groups: tuple[int, ...]
    """Some of the groups they are in."""

    @classmethod
    def together(cls, several: Sequence[Crossing]) -> Crossing:
        """The same of all people, given of those of some."""
        return cls(sum(one.people for one in several), _least(one.groups for one in several))


def _least(several: Iterable[Iterable[int]]) -> tuple[int, ...]:
    """The first of the groups that are shown of several pieces."""
    return tuple(sorted(set().union(*several))[:SHOWN])


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
    turned = np.flatnonzero(
        (place >= 0) & (np.append(after.signature, -1)[place] != before.signature)
    )
    owner = np.concatenate([place[turned], place[before.owner]])
    had = owner * width + np.concatenate([before.signature[turned], before.earlier])
    asked = np.zeros(len(after.subject), dtype=bool)
    asked[owner[owner >= 0]] = True
    listed = asked[after.owner]
    has = np.concatenate([np.flatnonzero(asked), after.owner[listed]]) * width
    has += np.concatenate([after.signature[asked], after.earlier[listed]])
    return int((~np.isin(had[owner >= 0], has)).sum())


def crossing(state: RegisterState, book: Book) -> Crossing:
    """Find the people who have two signatures that share a value."""
    if not len(state.owner):
        return Crossing(0, ())
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
    return Crossing(len(crossing), tuple(groups[groups > 0][:SHOWN].tolist()))


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
    some = tuple(groups[groups > 0][:SHOWN].tolist())
    return Candidates(smallest, len(vulnerable), some, len(left))
