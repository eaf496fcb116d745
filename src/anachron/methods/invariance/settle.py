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
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from anachron.methods.invariance.buckets import Array, Signature
from anachron.methods.invariance.changes import Transitions, fits, new_signature
from anachron.methods.invariance.choose import Lots
from anachron.methods.invariance.divide import Division

__all__ = ["Changed", "settle_by_lot", "settle_where_lacking"]


@dataclass(frozen=True)
class Changed:
    """A person who needs a signature of values that were in none of theirs."""

    subject: bytes
    value: int
    latest: Signature
    taken: AbstractSet[int]
    """The values of all their signatures."""


def settle_by_lot(
    people: Sequence[Changed], m: int, domain: int, lots: Lots, transitions: Transitions | None
) -> list[Signature | None]:
    """Draw the signature of each from those allowed to him."""
    settled = []
    for person in people:
        drawn = lots.drawn("changed", domain, person.subject)
        ranked = (code for code in drawn if code not in person.taken)
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
    supply = _supply(people, division, lacking, lots)
    some = None if transitions is not None else m - 1
    settled: list[Signature | None] = []
    for person in people:
        signature = _place(person, lacking.get(person.value, {}), m, transitions)
        if signature is not None:
            _take(lacking[person.value], signature)
        else:
            supply.change(person.value, -1)
            ranked = supply.most({*person.taken, person.value}, some)
            signature = new_signature(person.value, ranked, person.latest, m, transitions)
            if signature is not None:
                _open(lacking, signature, person.value, supply)
        settled.append(signature)
    return settled


class _Supply:
    """How many there are of each value beyond what buckets lack, most first."""

    def __init__(self, counts: Array, lots: Array) -> None:
        self._count, self._lot = counts.tolist(), lots.tolist()
        # Entries of counts that were are left where they are, and passed over when they come up.
        self._heap = [(-n, self._lot[code], code) for code, n in enumerate(self._count)]
        heapify(self._heap)

    def change(self, code: int, by: int) -> None:
        self._count[code] += by
        heappush(self._heap, (-self._count[code], self._lot[code], code))

    def most(self, without: AbstractSet[int], some: int | None) -> list[int]:
        """Give ``some`` of the values with the largest supply, or all, in order."""
        found: list[int] = []
        seen: list[tuple[int, int, int]] = []
        while self._heap and (some is None or len(found) < some):
            entry = heappop(self._heap)
            if -entry[0] != self._count[entry[2]] or (seen and entry == seen[-1]):
                continue
            seen.append(entry)
            if entry[2] not in without:
                found.append(entry[2])
        for entry in seen:
            heappush(self._heap, entry)
        return found


def _supply(
    people: Sequence[Changed],
    division: Division,
    lacking: dict[int, dict[Signature, int]],
    lots: Array,
) -> _Supply:
    counts = division.new.copy()
    for person in people:
        counts[person.value] += 1
    for value, places in lacking.items():
        counts[value] -= sum(places.values())
    return _Supply(counts, lots)


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
    for signature in places:
        if person.taken.isdisjoint(signature) and fits(person.latest, signature, m, transitions):
            return signature
    return None


def _open(
    lacking: dict[int, dict[Signature, int]], signature: Signature, value: int, supply: _Supply
) -> None:
    """Add one to the height of a bucket: it lacks one more of each other value."""
    for other in signature:
        if other != value:
            places = lacking.setdefault(other, {})
            places[signature] = places.get(signature, 0) + 1
            supply.change(other, -1)


def _take(places: dict[Signature, int], signature: Signature) -> None:
    places[signature] -= 1
    if not places[signature]:
        del places[signature]
