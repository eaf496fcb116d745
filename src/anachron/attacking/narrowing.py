"""Intersection for an adversary who knows quasi values and not groups.

Then the values of all groups that could hold a person are the candidates (Definition 15).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Words, distinct
from anachron.attacking.known import Known
from anachron.attacking.register import Registered, Seen
from anachron.attacking.sights import Sight, bits_of, sizes
from anachron.auditing.checks.form import roles_of_register
from anachron.auditing.evidence.apart import holding_rows
from anachron.auditing.evidence.boxes import Boxes, holders, planted
from anachron.auditing.evidence.records import value_column
from anachron.auditing.evidence.register import found_in
from anachron.auditing.history import History
from anachron.auditing.reading.columns import places
from anachron.auditing.reading.description import register_of
from anachron.auditing.reading.form import Register, is_legible
from anachron.auditing.reading.intervals import code_ranges
from anachron.auditing.reading.register import RegisterGroups, register_groups
from anachron.behind import Microdata
from anachron.release.read import Release

__all__ = ["by_quasi", "uncertain"]

_AT_ONCE = 4096
"""People whose groups are looked up together: each may be covered by hundreds."""


def by_quasi(known: Known, history: Registered, person: Array, value: Array, m: int) -> int:
    """Count who of these is left with fewer than m values if only quasi values are known.

    They are those who are exposed to an adversary who knows their groups. A release in which a
    person's group does not cover the quasi values of the table is taken with its group alone:
    what the quasi values were then is not known here, and the group is the least it can be.
    """
    loaded, past = known.microdata, known.past
    if loaded is None or not isinstance(past, History) or not len(person):
        return 0
    at_hand = {release.number: release for release in (*past.releases, known.release)}
    row = np.full(len(history.subject) + 1, -1, dtype=np.int64)
    place = found_in(past.pseudonyms(loaded.subject_values), history.subject)
    row[place[loaded.subject]] = np.arange(loaded.rows)
    row[-1] = -1
    slots = history.slots
    sets = bits_of(slots.owner, slots.value, len(slots.start) - 1, history.values)
    left = np.full((len(person), sets.shape[1]), ~np.uint64(0))
    for number, seen in enumerate(history.seen, known.release.number - len(history.seen) + 1):
        here, entry = _met(seen, person, value, history.values)
        bits = sets[seen.signature[entry]]
        if number in at_hand:
            rows = row[person[here]]
            bits |= _more(at_hand[number], loaded, rows, history, seen.group[entry])
        left[here] &= bits
    return len(distinct(person[sizes(left) < m]))


def uncertain(known: Known) -> tuple[list[Sight], int, str | None] | None:
    """See the people of the table in all releases at hand, by quasi values alone.

    Gives the sights, the number of values, and what was sampled; None if there is nothing to see.
    """
    loaded = known.microdata
    if loaded is None or len(loaded.schema.sensitive) != 1:
        return None
    rows, sampled = np.arange(loaded.rows), None
    if loaded.rows > known.limit:
        rows = np.sort(np.random.default_rng(known.seed).permutation(loaded.rows)[: known.limit])
        sampled = f"{known.limit:,} of {loaded.rows:,} people"
    column = value_column(loaded)
    names = column.values.cast(pa.string()).to_pylist()
    texts = {name: number for number, name in enumerate(names)}
    value = column.codes[rows].astype(np.int64)
    covers = [cover(one, loaded, rows, texts) for one in (*known.earlier, known.release)]
    person = loaded.subject[rows].astype(np.int64)
    sights = [_sight(person, value, found.bits) for found in covers if found is not None]
    return (sights, len(texts), sampled) if sights else None


def _met(seen: Seen, person: Array, value: Array, values: int) -> tuple[Array, Array]:
    """Which of these people, with these values, a release showed; and where it did."""
    own, wanted = seen.person * values + seen.value, person * values + value
    order = np.argsort(own)
    at = places(own[order], wanted)
    here = np.flatnonzero(at >= 0)
    return here, order[at[here]]


def _more(
    release: Release, loaded: Microdata, rows: Array, history: Registered, hosts: Array
) -> Words:
    """The values of the other groups that cover people, where their own does, too."""
    words = max(1, -(-history.values // 64))
    more = np.zeros((len(rows), words), dtype=np.uint64)
    tabled = np.flatnonzero(rows >= 0)
    found = cover(release, loaded, rows[tabled], dict(history.book.texts), hosts[tabled])
    if found is not None:
        more[tabled] = np.where(found.by_host[:, None], found.bits[:, :words], np.uint64(0))
    return more


def _sight(person: Array, value: Array, bits: Words) -> Sight:
    """See everyone among what covers him, if his value is there: else he is in another place."""
    word, bit = value // 64, (value % 64).astype(np.uint64)
    there = np.zeros(len(value), dtype=bool)
    known = (value >= 0) & (word < bits.shape[1])
    there[known] = (bits[known, word[known]] >> bit[known]) & np.uint64(1) == 1
    bits = bits[there]
    spread = np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")
    holder, held = np.nonzero(spread)
    share = 1 / sizes(bits)[holder]
    among = np.arange(len(bits))
    return Sight(person[there], value[there], among, len(bits), holder, held, share)


@dataclass(frozen=True, eq=False)
class Cover:
    """For each of some rows of the microdata, what covers it in a release of a register."""

    bits: Words
    """The values of all groups that cover the row."""
    by_host: Flags
    """Whether the person's own group is among them."""


def cover(
    release: Release,
    loaded: Microdata,
    rows: Array,
    texts: dict[str, int],
    hosts: Array | None = None,
) -> Cover | None:
    """Find the values of all groups that cover these rows.

    ``texts`` numbers sensitive values; those that it lacks are added. ``hosts`` has the place of
    each row's own group. None if the release is not one of a register with these columns.
    """
    shape = register_of(release)
    if shape is None or not is_legible(shape):
        return None
    if not roles_of_register.holds(shape, loaded):
        return None
    groups = register_groups(shape)
    names = groups.domain.cast(pa.string()).to_pylist()
    number = np.array([texts.setdefault(name, len(texts)) for name in names], dtype=np.int64)
    there = groups.value < len(names)  # a missing value is none
    of_group = bits_of(
        groups.owner[there], number[groups.value[there]], len(groups.size), len(texts)
    )
    bits = np.zeros((len(rows), of_group.shape[1]), dtype=np.uint64)
    by_host = np.zeros(len(rows), dtype=bool)
    for some, group in _pairs(shape, groups, loaded, rows):
        np.bitwise_or.at(bits, some, of_group[group])
        if hosts is not None:
            by_host[some[hosts[some] == group]] = True
    return Cover(bits, by_host)


def _pairs(
    shape: Register, groups: RegisterGroups, loaded: Microdata, rows: Array
) -> Iterator[tuple[Array, Array]]:
    """Pair places in ``rows`` with groups that cover them, some at a time."""
    if groups.apart is not None:
        yield holding_rows(shape, groups.apart, loaded.quasi, rows)
        return
    points, firsts, lasts = [], [], []
    for interval, low, high in zip(shape.intervals, groups.low, groups.high, strict=True):
        column = loaded.quasi[interval.column]
        rank, first, last = code_ranges(interval, column.values, low, high)
        points.append(rank[column.codes[rows]])
        firsts.append(np.asarray(first, dtype=np.int64))
        lasts.append(np.asarray(last, dtype=np.int64))
    tree = planted(Boxes(np.zeros(len(groups.number), dtype=np.int64), firsts, lasts))
    for at in range(0, len(rows), _AT_ONCE):
        some = [point[at : at + _AT_ONCE] for point in points]
        for here, group in holders(tree, np.zeros(len(some[0]), dtype=np.int64), some):
            yield here + at, group
