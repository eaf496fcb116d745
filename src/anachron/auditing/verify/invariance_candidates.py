"""How many values remain possible for each person when all releases are laid together?

A person's candidate set (Definition 15) holds the values of all groups whose intervals cover
him. His own group is one of them, so its values, intersected over all releases, are the least
that any adversary is left with: one who even knows the group. Who is left with fewer than m is
vulnerable (Lemma 1). Releases with different values of one person are not laid together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array
from anachron.auditing.verdict import Check
from anachron.auditing.verify.findings import groups_named
from anachron.auditing.verify.invariance_state import Book, State

__all__ = ["Candidates", "Narrowed", "Sighting", "candidate_check", "candidates", "narrow"]

Narrowed = dict[tuple[int | bytes, int], frozenset[int]]
"""Intersections for each person and value, where the sets are not all as they are now.

A person is his place in the state of now, or his pseudonym if he is not in it any more.
"""


@dataclass(frozen=True, eq=False)
class Sighting:
    """What a release showed: for everyone remembered with it, the set of values."""

    state: State
    signature: Array
    """As published, where the release is at hand; else as remembered."""


@dataclass(frozen=True)
class Candidates:
    """The candidate sets of all people, in two numbers."""

    smallest: int
    vulnerable: int
    groups: tuple[int, ...] = ()
    """The groups of this release in which vulnerable people are."""


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


def candidates(now: Sighting, sets: Narrowed, m: int, book: Book) -> Candidates:
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


def candidate_check(found: Candidates, releases: int, m: int) -> Check:
    """Check that nobody is left with fewer than m values."""
    return Check(
        "candidates",
        found.vulnerable == 0,
        f"at least {m:,}",
        f"{found.smallest:,}; {found.vulnerable:,} people with fewer than {m:,}"
        if found.vulnerable
        else f"{found.smallest:,}",
        f"values in the smallest candidate set over {releases:,} releases"
        if releases > 1
        else "values in the smallest candidate set",
        groups_named(found.groups),
    )
