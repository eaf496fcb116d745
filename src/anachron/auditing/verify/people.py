"""Count the people behind a release, from the microdata.

Every row of the microdata is laid against what was published: the granule that holds its time,
and the published value that covers each of its quasi values. That names the group it belongs
to, or would have belonged to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Codes, Numbers
from anachron.auditing.verify.content import combined
from anachron.auditing.verify.granules import gaps_inside
from anachron.auditing.verify.groups import Groups
from anachron.auditing.verify.shape import Shape
from anachron.auditing.verify.spelled import names_of
from anachron.auditing.verify.values import cover
from anachron.engines.local.load import Loaded

__all__ = ["Behind", "behind"]


_DENSE = 1 << 25
_PIECE = 1 << 20
_LARGEST = 2**62


@dataclass(frozen=True, eq=False)
class Behind:
    """What stands behind a release. Arrays have one place for each published group."""

    group_of_row: Codes
    """For each row of the microdata the number of its group, 0 if it was not published."""
    people: Array
    rows: Array
    largest: Array
    """How many of the group's rows belong to the person with the most."""
    subjects: int
    """Different people with a published row."""
    ambiguous: int
    """Published values that overlap, so that a row could fall under two of them."""
    left_out: tuple[Array, Array, Array]
    """People, rows and largest of the groups that were not published."""


def behind(shape: Shape, groups: Groups, loaded: Loaded) -> Behind:
    """Lay the microdata against the groups of a release, and count."""
    key, group_key, size, ambiguous = _keys(shape, groups, loaded)
    number = _numbers(key, group_key, groups.number, size)
    subject, people_in_all = names_of(loaded, exact=shape.exact)
    counted = _count(key, subject, people_in_all)
    place = np.searchsorted(counted["key"], group_key)
    place = np.minimum(place, max(len(counted["key"]) - 1, 0))
    there = (
        counted["key"][place] == group_key if len(counted["key"]) else np.zeros(len(place), bool)
    )
    left_out = np.ones(len(counted["key"]), dtype=bool)
    left_out[place[there]] = False
    measures = [counted[name] for name in ("people", "rows", "largest")]
    people, rows, largest = (
        np.where(there, m[place], 0) if len(m) else np.zeros(len(place), np.int64) for m in measures
    )
    seen = np.zeros(people_in_all, dtype=bool)
    seen[subject[number > 0]] = True
    return Behind(
        number,
        people,
        rows,
        largest,
        int(seen.sum()),
        ambiguous,
        (measures[0][left_out], measures[1][left_out], measures[2][left_out]),
    )


def _keys(shape: Shape, groups: Groups, loaded: Loaded) -> tuple[Array, Array, int, int]:
    """One number for each combination, of rows and of groups; -1 for rows in no granule."""
    columns = [loaded.quasi[meaning.column] for meaning in shape.quasi]
    covers = [
        cover(meaning, column.values.to_pylist(), published)
        for meaning, column, published in zip(shape.quasi, columns, groups.published, strict=True)
    ]
    granule = _granule_of(shape, groups, loaded.instants)
    outside = granule < 0
    granule[outside] = 0

    def parts() -> Iterator[tuple[Numbers, int]]:
        yield np.concatenate([granule, groups.granule.astype(np.int32)]), max(len(groups.start), 1)
        for covered, column, codes in zip(covers, columns, groups.quasi, strict=True):
            behind_it = covered.codes.astype(np.int32)[column.codes]
            yield np.concatenate([behind_it, codes.astype(np.int32)]), covered.size

    key, size = combined(parts())
    key[: loaded.rows][outside] = -1
    ambiguous = sum(covered.ambiguous for covered in covers)
    return key[: loaded.rows], key[loaded.rows :], size, ambiguous


def _granule_of(shape: Shape, groups: Groups, instants: Array) -> Codes:
    """The published granule that holds each instant, by its start and end; -1 for none."""
    found = np.full(len(instants), -1, dtype=np.int32)
    if not len(groups.start):
        return found
    opens, closes = gaps_inside(
        shape.granularity, shape.zone, int(instants.min()), int(instants.max())
    )
    for at in range(0, len(instants), _PIECE):
        piece = instants[at : at + _PIECE]
        place = np.searchsorted(groups.start, piece, side="right") - 1
        place[piece >= groups.end[place]] = -1
        if len(opens):
            gap = np.searchsorted(opens, piece, side="right") - 1
            place[(gap >= 0) & (piece < closes[gap])] = -1
        found[at : at + _PIECE] = place
    return found


def _numbers(key: Array, group_key: Array, number: Array, size: int) -> Codes:
    """The group of each row, by its key; 0 for rows of no published group."""
    if size <= _DENSE:
        # Key -1 finds the last place, which is nobody's.
        lookup = np.zeros(size + 1, dtype=np.int32)
        lookup[group_key] = number
        return lookup[key]
    order = np.argsort(group_key)
    place = np.minimum(np.searchsorted(group_key[order], key), max(len(order) - 1, 0))
    return np.where(group_key[order][place] == key, number[order][place], 0).astype(np.int32)


def _count(key: Array, subject: Codes, subjects: int) -> dict[str, Array]:
    """For each key, in order: people, rows, and the most rows of one person."""
    inside = key >= 0
    # Subjects are the second part, so that sorting brings together the rows of a person.
    names = None
    if (int(key.max(initial=0)) + 1) * subjects > _LARGEST:
        names, key = np.unique(key, return_inverse=True)
    pairs = key[inside]
    pairs *= subjects
    pairs += subject[inside]
    pairs.sort()
    at = _beginnings(pairs)
    times = np.diff(at, append=len(pairs))
    of = pairs[at] // subjects
    del pairs, at
    first = _beginnings(of)
    people = np.diff(first, append=len(of))
    found = of[first] if names is None else names[of[first]]
    if not len(first):
        return {"key": found, "people": people, "rows": people, "largest": people}
    rows, largest = np.add.reduceat(times, first), np.maximum.reduceat(times, first)
    return {"key": found, "people": people, "rows": rows, "largest": largest}


def _beginnings(ascending: Array) -> Array:
    """Where a new number begins."""
    changes = np.ones(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=changes[1:])
    return np.flatnonzero(changes)
