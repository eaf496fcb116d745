"""Give people whose value left their signatures a bucket, before balancing.

Notes
-----
They are no part of S−: their new signature may contain none of their old values, and Assign
knows of no such condition. In the paper's mode each takes a place where a bucket lacks his
value, if one is allowed; otherwise he opens a place, with the values that most others could
fill. Balancing does the rest.

In the other modes his signature is drawn from all that are allowed, whatever the others have,
so that an adversary who knows the algorithm learns nothing from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anachron.methods.invariance.buckets import Array, Signature
from anachron.methods.invariance.changes import Transitions, fits, new_signature
from anachron.methods.invariance.choose import Lots
from anachron.methods.invariance.divide import Division

__all__ = ["Changed", "settle_by_lot", "settle_where_lacking"]


@dataclass(frozen=True)
class Changed:
    """A person who needs a signature of free values, and which he had."""

    subject: bytes
    value: int
    latest: Signature
    free: tuple[int, ...]


def settle_by_lot(
    people: Sequence[Changed], m: int, domain: int, lots: Lots, transitions: Transitions | None
) -> list[Signature | None]:
    """Draw the signature of each from those allowed to him."""
    settled = []
    for person in people:
        place = lots.values("changed", domain, person.subject)
        ranked = sorted(person.free, key=place.__getitem__)
        settled.append(new_signature(person.value, ranked, person.latest, m, transitions))
    return settled


def settle_where_lacking(
    people: Sequence[Changed],
    m: int,
    division: Division,
    lots: Array,
    transitions: Transitions | None,
) -> list[Signature | None]:
    """Let each, in turn, fill what a bucket lacks, or open a new place in one.

    ``lots`` ranks the values, and decides between equally good ones.
    """
    lacking = _lacking(division)
    supply = division.new.copy()
    for person in people:
        supply[person.value] += 1
    for value, places in lacking.items():
        supply[value] -= sum(places.values())
    settled: list[Signature | None] = []
    for person in people:
        signature = _place(person, lacking.get(person.value, {}), m, transitions)
        supply[person.value] -= 1
        if signature is not None:
            _take(lacking[person.value], signature)
            supply[person.value] += 1
        else:
            ranked = sorted(person.free, key=lambda code: (-supply[code], lots[code]))
            signature = new_signature(person.value, ranked, person.latest, m, transitions)
            if signature is not None:
                _open(lacking, signature, person.value, supply)
        settled.append(signature)
    return settled


def _lacking(division: Division) -> dict[int, dict[Signature, int]]:
    """For each value, how much of it each bucket lacks."""
    lacking: dict[int, dict[Signature, int]] = {}
    buckets = division.buckets
    shortage = buckets.shortages(division.counts)
    for slot in np.flatnonzero(shortage).tolist():
        signature = buckets.signatures[buckets.bucket[slot]]
        lacking.setdefault(int(buckets.value[slot]), {})[signature] = int(shortage[slot])
    return lacking


def _place(
    person: Changed, places: dict[Signature, int], m: int, transitions: Transitions | None
) -> Signature | None:
    free = set(person.free)
    for signature in places:
        if free.issuperset(signature) and fits(person.latest, signature, m, transitions):
            return signature
    return None


def _open(
    lacking: dict[int, dict[Signature, int]], signature: Signature, value: int, supply: Array
) -> None:
    """Add one to the height of a bucket: it lacks one more of each other value."""
    for other in signature:
        if other != value:
            places = lacking.setdefault(other, {})
            places[signature] = places.get(signature, 0) + 1
            supply[other] -= 1


def _take(places: dict[Signature, int], signature: Signature) -> None:
    places[signature] -= 1
    if not places[signature]:
        del places[signature]
