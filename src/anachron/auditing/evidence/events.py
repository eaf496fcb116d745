"""Count the people behind a release of events, from the microdata.

Every row of the microdata is laid against what was published: the granule that holds its time,
and the published value that covers each of its quasi values. That names the group it belongs
to, or would have belonged to. In each group the published sensitive values must be, value for
value and as often, those of its rows: both sides are turned into numbers by one dictionary, sorted,
and compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Codes, Flags, Numbers, distinct
from anachron.auditing.reading.columns import HIGHEST, combined, largest_share, places, read, runs
from anachron.auditing.reading.events import EventGroups
from anachron.auditing.reading.form import Events
from anachron.auditing.reading.granules import gaps_inside
from anachron.auditing.reading.spelled import names_of
from anachron.auditing.reading.values import cover
from anachron.behind import Microdata

__all__ = ["Behind", "behind", "differing_groups", "percent"]


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
    left_out: tuple[Array, ...]
    """People, rows and largest of the groups that were not published."""

    @property
    def rows_left_out(self) -> int:
        """Rows of the microdata that were not published."""
        return len(self.group_of_row) - int((self.group_of_row > 0).sum())

    @property
    def largest_share(self) -> Fraction:
        """The largest share of one person in the rows of a group."""
        return largest_share(self.largest, self.rows)


def spans(table: Microdata, groups: EventGroups, behind: Behind) -> tuple[Array, Array]:
    """From when to when each person is published; of others, the first is after the last."""
    rows = np.flatnonzero(behind.group_of_row)
    granule = groups.granule[places(groups.number, behind.group_of_row[rows].astype(np.int64))]
    people = len(table.subject_values)
    first, until = np.full(people, HIGHEST), np.full(people, -HIGHEST)
    np.minimum.at(first, table.subject[rows], groups.start[granule])
    np.maximum.at(until, table.subject[rows], groups.end[granule])
    return first, until


_DENSE, _PIECE, _LARGEST = 1 << 25, 1 << 20, 1 << 62


def behind(form: Events, groups: EventGroups, table: Microdata) -> Behind:
    """Lay the microdata against the groups of a release, and count."""
    key, group_key, size, ambiguous = _keys(form, groups, table)
    number = _numbers(key, group_key, groups.number, size)
    subject, people_in_all = names_of(table, exact=form.exact)
    counted, measures = _count(key, subject, people_in_all)
    place = places(counted, group_key)
    # Of a group with nobody, the place is that of the zeros behind all others.
    people, rows, largest = np.pad(measures, ((0, 0), (0, 1)))[:, place]
    left_out = np.ones(len(counted), dtype=bool)
    left_out[place[place >= 0]] = False
    seen = np.zeros(people_in_all, dtype=bool)
    seen[subject[number > 0]] = True
    return Behind(
        number,
        people,
        rows,
        largest,
        int(seen.sum()),
        ambiguous,
        tuple(measures[:, left_out]),
    )


def _keys(form: Events, groups: EventGroups, loaded: Microdata) -> tuple[Array, Array, int, int]:
    """One number for each combination, of rows and of groups; -1 for rows in no granule."""
    columns = [loaded.quasi[meaning.column] for meaning in form.quasi]
    covers = [
        cover(meaning, column.values.to_pylist(), published)
        for meaning, column, published in zip(form.quasi, columns, groups.published, strict=True)
    ]
    granule = _granule_of(form, groups, loaded.instants)
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


def _granule_of(form: Events, groups: EventGroups, instants: Array) -> Codes:
    """The published granule that holds each instant, by its start and end; -1 for none."""
    found = np.full(len(instants), -1, dtype=np.int32)
    if not len(groups.start):
        return found
    opens, closes = gaps_inside(
        form.granularity, form.zone, int(instants.min()), int(instants.max())
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


def _count(key: Array, subject: Codes, subjects: int) -> tuple[Array, Array]:
    """The different keys, ascending; of each, people, rows, and the most rows of one person.

    Keys are written over: there are as many as rows.
    """
    inside = key >= 0
    if not inside.all():
        key, subject = key[inside], subject[inside]
    # Subjects are the second part, so that sorting brings together the rows of a person.
    names = None
    if (int(key.max(initial=0)) + 1) * subjects > _LARGEST:
        names, key = np.unique(key, return_inverse=True)
    pairs = key
    pairs *= subjects
    pairs += subject
    pairs.sort()
    at, times = runs(pairs)
    of = pairs[at]
    of //= subjects
    del at
    first, people = runs(of)
    found = of[first] if names is None else names[of[first]]
    if not len(first):
        return found, np.zeros((3, 0), dtype=np.int64)
    rows, largest = np.add.reduceat(times, first), np.maximum.reduceat(times, first)
    return found, np.stack([people, rows, largest])


def differing_groups(form: Events, loaded: Microdata, group_of_row: Numbers) -> list[int]:
    """The groups whose published sensitive values are not those of the microdata."""
    if not form.sensitive:
        return []
    rows = int((group_of_row > 0).sum())
    key, _ = combined(_both_sides(form, loaded, group_of_row))
    ours, theirs = key[:rows], key[rows:]
    ours.sort()
    theirs.sort()
    if np.array_equal(ours, theirs):
        return []
    # Rare, and worth the time: look again, to see where the two sides differ.
    key, _ = combined(_both_sides(form, loaded, group_of_row))
    group, _ = next(_both_sides(form, loaded, group_of_row))
    keys, first, number = np.unique(key, return_index=True, return_inverse=True)
    ours, theirs = (
        np.bincount(side, minlength=len(keys)) for side in (number[:rows], number[rows:])
    )
    return [int(n) for n in distinct(group[first[ours != theirs]])]


def _both_sides(
    form: Events, loaded: Microdata, group_of_row: Numbers
) -> Iterator[tuple[Numbers, int]]:
    """Group and sensitive columns as codes: first rows of the microdata, then published ones."""
    kept = group_of_row > 0
    # Nothing is held here while it is used there: each part is as long as both tables.
    yield _groups(form, group_of_row[kept])
    behind = _encoded(loaded)
    for name in form.sensitive:
        yield _joint(behind.pop(0), kept, form, name)


def _groups(form: Events, behind: Numbers) -> tuple[Numbers, int]:
    group = read(form.files, ["group"]).column(0).fill_null(0).to_numpy()
    if len(group) and group.min() >= 0 and group.max() < 2**31:
        group = group.astype(np.int32)
    size = int(max(group.max(initial=0), behind.max(initial=0))) + 1
    return np.concatenate([behind, group]), size


def _encoded(loaded: Microdata) -> list[list[pa.DictionaryArray]]:
    """Each sensitive column of the microdata as chunks with a dictionary each."""
    columns: list[list[pa.DictionaryArray]] = [[] for _ in loaded.sensitive_schema]
    for batch in loaded.sensitive(_BATCH):
        for chunks, column in zip(columns, batch.columns, strict=True):
            chunks.append(_dictionary(column, column.type))
    return columns


def _joint(
    behind: list[pa.DictionaryArray], kept: Flags, form: Events, name: str
) -> tuple[Numbers, int]:
    """Codes of a column by one dictionary, behind only of those kept.

    A missing value is a value of its own.
    """
    joint, size = _unified(behind, form, name)
    behind.clear()
    rows = sum(map(len, joint)) - len(kept) + int(kept.sum())
    codes: Codes = np.empty(rows, dtype=np.int32)
    read = at = 0
    for chunk in joint:
        part = chunk.indices.fill_null(size).to_numpy(zero_copy_only=False)
        if read < len(kept):
            read, part = read + len(part), part[kept[read : read + len(part)]]
        codes[at : at + len(part)] = part
        at += len(part)
    return codes, size + 1


def _unified(
    behind: list[pa.DictionaryArray], form: Events, name: str
) -> tuple[list[pa.DictionaryArray], int]:
    """Chunks of a column, those behind first, with one dictionary, and how many values it has."""
    kind = behind[0].type.value_type
    published = read(form.files, [name], coded=True).column(0)
    chunks = [*behind, *(_dictionary(chunk, kind) for chunk in published.chunks)]
    joint = pa.chunked_array(chunks).unify_dictionaries().chunks
    return joint, max((len(chunk.dictionary) for chunk in joint), default=0)


def _dictionary(column: pa.Array, kind: pa.DataType) -> pa.DictionaryArray:
    if not pa.types.is_dictionary(column.type):
        return column.cast(kind).dictionary_encode()
    if column.type.value_type == kind and column.type.index_type == pa.int32():
        return column
    return column.cast(pa.dictionary(pa.int32(), kind))


_BATCH = 1 << 17


def percent(share: Fraction) -> str:
    """Write a share in hundredths, beside the fraction if it is not whole."""
    return f"{share} ({float(share):.4%})" if share.denominator > 1 else f"{float(share):.0%}"
