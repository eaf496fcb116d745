"""Give people whose value left their signatures a bucket, before balancing.

Notes
-----
They are no part of S−: their new signature may contain none of their old values, and Assign
knows of no such condition. In the paper's mode each takes a place where a bucket lacks his
value, if one is allowed; otherwise he opens a place, with the values that most others could
fill. Balancing does the rest.

In the other modes nobody's value is looked at. All values that are free for a person are dealt by
lot into signatures of m, what is left over being added to the last; and they get the one that has
their value. Given the signature, each value of it is as likely as any other; and whatever their
value has become, there is a signature for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import islice

import numpy as np

from anachron.arrays import Array
from anachron.methods.invariance.buckets import Signature, canonical
from anachron.methods.invariance.changes import Transitions, dealt, fits, new_signature
from anachron.methods.invariance.divide import Division
from anachron.methods.invariance.lots import Lots

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
    people: Sequence[Changed], m: int, values: Sequence[int], lots: Lots,
    transitions: Transitions | None,
) -> list[Signature | None]:  # fmt: skip
    """Deal the free values of each by lot, and give them the signature with their own.

    ``values`` are all that a signature can be made of, ascending; what is taken is among them.
    """
    settled: list[Signature | None] = []
    for person in people:
        if transitions is None:
            size = _size(len(values) - len(person.taken), m, person.subject, lots)
            others = _drawn(values, {*person.taken, person.value}, person.subject, lots)
            settled.append(canonical((person.value, *islice(others, size - 1))))
        else:
            free = _drawn(values, person.taken, person.subject, lots)
            among = dealt(free, person.latest, m, transitions)
            settled.append(next((s for s in among if person.value in s), None))
    return settled


def _drawn(
    values: Sequence[int], without: AbstractSet[int], subject: bytes, lots: Lots
) -> Iterator[int]:
    """Draw the ascending values that are left without some of them, one after the other."""
    passed = sorted(bisect_left(values, code) for code in without)
    for place in lots.drawn("changed", len(values) - len(passed), subject):
        for at in passed:
            if at > place:
                break
            place += 1
        yield values[place]


def _size(free: int, m: int, subject: bytes, lots: Lots) -> int:
    """Draw the size of somebody's signature, if so many values are dealt into signatures of m.

    Which one has their value is a matter of chance, so the values need not all be dealt to know.
    """
    last = m + free % m
    if last == m:
        return m
    return last if next(lots.drawn("size", free, subject)) < last else m


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
