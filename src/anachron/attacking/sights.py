"""What releases showed of people: among which values each was seen, one release after the other.

Sets of values are bits: one row for each set, sixty-four values in each word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Floats, Words
from anachron.attacking.known import Known
from anachron.attacking.register import Registered
from anachron.auditing.history import FeedPast
from anachron.behind import Attribute, Members

__all__ = ["Sight", "bits_of", "of_groups", "of_members", "of_register", "sizes"]


@dataclass(frozen=True, eq=False)
class Sight:
    """What a release showed: records of people, each seen among a set of values."""

    person: Array
    value: Array
    """What each really has."""
    among: Array
    """The set that each was seen among."""
    sets: int
    """How many sets there are."""
    holder: Array
    """For each value of each set: the set,"""
    held: Array
    """the value,"""
    share: Floats
    """and how likely it is that of a person who is seen among the set."""

    def bits(self, values: int) -> Words:
        """The sets as bits, of that many possible values."""
        return bits_of(self.holder, self.held, self.sets, values)


def of_groups(person: Array, value: Array, group: Array, extra: tuple[Array, Array]) -> Sight:
    """See people among the values of their groups, as often as these occur there.

    ``extra`` has group and value of rows that are nobody's.
    """
    groups = int(max(group.max(initial=-1), extra[0].max(initial=-1))) + 1
    all_groups, all_values = np.concatenate([group, extra[0]]), np.concatenate([value, extra[1]])
    width = int(all_values.max(initial=0)) + 1
    cells, count = np.unique(all_groups * width + all_values, return_counts=True)
    holder = cells // width
    share = count / np.bincount(all_groups, minlength=groups)[holder]
    return Sight(person, value, group, groups, holder, cells % width, share)


def of_register(history: Registered) -> tuple[Sight, ...]:
    """See people among their signatures: each value of one is as likely as the others."""
    slots, size = history.slots, history.book.sizes()
    share = 1 / size[slots.owner]
    return tuple(
        Sight(one.person, one.value, one.signature, len(size), slots.owner, slots.value, share)
        for one in history.seen
    )


def of_members(known: Known) -> list[tuple[tuple[Sight, ...], int]]:
    """See the people of the microdata in all releases: for each sensitive column, with its values.

    Of a feed, all releases that the ledger remembers; of events, the release itself.
    """
    found = [members for one in _releases(known) if (members := one.members) is not None]
    columns = len(found[0].sensitive) if found else 0
    return [_column(found, at) for at in range(columns)]


def _releases(known: Known) -> list[Known]:
    past = known.past
    if not isinstance(past, FeedPast):
        return [known]
    before = {release.number: release for release in known.earlier}
    first = known.release.number - len(past.before)
    return [
        replace(known, release=before[number], past=replace(past, state=state, before=()))
        for number, state in enumerate(past.before, first)
        if number in before
    ] + [known]


def _column(found: Sequence[Members], at: int) -> tuple[tuple[Sight, ...], int]:
    """One sensitive column of all releases, its values numbered alike."""
    domains = [members.sensitive[at].domain for members in found]
    everything = pa.concat_arrays([domain.cast(domains[0].type) for domain in domains]).unique()
    sights = []
    for members in found:
        number = _numbers(members.sensitive[at], everything)
        value = number[members.sensitive[at].code]
        group, spare = members.spare
        sights.append(of_groups(members.person, value, members.group, (group, number[spare])))
    return tuple(sights), len(everything) + 1


def _numbers(column: Attribute, everything: pa.Array) -> Array:
    """The number of each code of a column; a missing value has the last."""
    place = pc.index_in(column.domain.cast(everything.type), value_set=everything)
    return np.append(np.asarray(place, dtype=np.int64), len(everything))


def bits_of(of: Array, value: Array, sets: int, values: int) -> Words:
    """Gather ``sets`` sets of ``values`` possible values, from pairs of a set and a value in it.

    >>> sizes(bits_of(np.array([0, 0, 1]), np.array([3, 70, 3]), 2, 80))
    array([2, 1])
    """
    words = max(1, -(-values // 64))
    bits = np.zeros((sets, words), dtype=np.uint64)
    bit = np.left_shift(np.uint64(1), (value % 64).astype(np.uint64))
    np.bitwise_or.at(bits, (of, value // 64), bit)
    return bits


def sizes(bits: Words) -> Array:
    """Count the values of each set."""
    counted: Array = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
    return counted
