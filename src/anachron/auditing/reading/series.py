"""The rows and envelopes of a release of series, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Bytes, Flags, Floats, distinct
from anachron.auditing.reading.columns import coded, plain_zero, ranked, read, whole
from anachron.auditing.reading.form import Series, bounds_at
from anachron.auditing.reading.letters import FINEST
from anachron.auditing.reading.spelled import kinds_of, places_in

__all__ = ["Combined", "SeriesRows", "places_of", "series_rows"]


@dataclass(frozen=True, eq=False)
class Combined:
    """What the sensitive columns of a row say together, as one number."""

    code: Array
    """Of each row, ascending in the order of the columns."""
    domains: tuple[pa.Array, ...]
    """The published values of each column, ascending."""
    known: tuple[Array, ...]
    """After each column, the different numbers so far, ascending."""
    exact: bool
    """Whether values count as they are spelled."""
    kind: Array
    """Of each row: the same number for values that count as one."""


@dataclass(frozen=True, eq=False)
class SeriesRows:
    """What is published. A *subgroup* are the rows of a group with the same level and pattern."""

    group: Array
    """Of each row of the file, in its order; 0 if it is missing."""
    level: Array
    """Likewise."""
    word: Array
    """The pattern of each row as a place among all patterns, ascending."""
    value: Combined
    sensitive: tuple[pa.ChunkedArray, ...]
    """The sensitive columns as they are."""
    number: Array
    """Of each envelope, in the order of its file."""
    low: Floats
    """One row for each envelope; NaN where a bound is missing."""
    high: Floats
    subgroup: Array
    """Of each row."""
    size: Array
    """The rows of each subgroup."""
    subgroup_group: Array
    subgroup_level: Array
    subgroup_letters: Bytes
    """All of a wrong pattern are 255, which is no letter."""
    misspelled: Flags
    """Whether the level or the pattern of a subgroup is none."""

    @cached_property
    def groups(self) -> Array:
        """The numbers of all groups that have rows, ascending."""
        return distinct(self.group)

    @property
    def smallest_group(self) -> int:
        """How many rows the smallest group has."""
        return int(np.unique(self.group, return_counts=True)[1].min(initial=len(self.group)))

    def groups_with(self, subgroups: Flags) -> Flags:
        """Of each group, whether it has such a subgroup."""
        return np.isin(self.groups, self.subgroup_group[subgroups])


def series_rows(form: Series) -> SeriesRows:
    """Read a release, whose columns were checked before."""
    rows, envelopes = read(form.files), read(form.envelope_files)
    group, level = whole(rows["group"], 0), whole(rows["level"], 0)
    word, texts = ranked(rows["pattern"])
    wide = len(texts) + 1
    key = (group * (FINEST + 2) + np.clip(level, -1, FINEST + 1)) * wide + word
    _, first, subgroup, size = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    spelt = np.append(np.zeros(len(texts), dtype=bool), False)
    letters = np.full((wide, len(form.segments)), 255, dtype=np.uint8)
    spelt[:-1], letters[:-1] = _letters(texts, len(form.segments))
    of_subgroup = letters[word[first]]
    known = np.clip(level[first], 0, FINEST)
    wrong = ~spelt[word[first]] | (level[first] != known) | (known < 1)
    wrong |= known > form.promise.max_level
    wrong |= (of_subgroup >= known[:, None]).any(axis=1)
    sides = [
        np.stack(
            [np.asarray(envelopes[name].cast(pa.float64()).fill_null(np.nan)) for name in names]
        ).T
        for names in zip(*map(bounds_at, form.values), strict=True)
    ]
    sensitive = tuple(rows[name] for name in form.sensitive)
    return SeriesRows(
        group=group,
        level=level,
        word=word,
        value=_combined(sensitive, len(group), form.exact),
        sensitive=sensitive,
        number=whole(envelopes["group"], 0),
        low=sides[0],
        high=sides[1],
        subgroup=subgroup,
        size=size,
        subgroup_group=group[first],
        subgroup_level=known,
        subgroup_letters=of_subgroup,
        misspelled=wrong,
    )


def _combined(sensitive: Sequence[pa.ChunkedArray], rows: int, exact: bool) -> Combined:
    """Number the different values of all sensitive columns together, in their order."""
    code, kind = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
    domains, known = [], []
    for column in sensitive:
        rank, domain = ranked(plain_zero(column))
        alike = np.arange(len(domain) + 1) if exact else kinds_of(domain, exact=exact)
        kind = np.unique(kind * (len(domain) + 1) + alike[rank], return_inverse=True)[1]
        found, code = np.unique(code * (len(domain) + 1) + rank, return_inverse=True)
        domains.append(domain)
        known.append(found)
    return Combined(code, tuple(domains), tuple(known), exact, kind)


def places_of(sensitive: Sequence[pa.ChunkedArray], people: int, value: Combined) -> Array:
    """The number of what these people have in all sensitive columns; -1 if nobody has it."""
    code = np.zeros(people, dtype=np.int64)
    for column, domain, known in zip(sensitive, value.domains, value.known, strict=True):
        own = coded(plain_zero(column))
        rank = places_in(domain, own.dictionary, exact=value.exact)
        place = np.append(rank, len(domain))[whole(own.indices, -1)]
        # What is not there stays so: below all known numbers.
        key = np.where((code < 0) | (place < 0), -1, code * (len(domain) + 1) + place)
        at = np.minimum(np.searchsorted(known, key), max(len(known) - 1, 0))
        code = np.where(known[at] == key, at, -1) if len(known) else np.full(len(key), -1)
    return code


def _letters(texts: pa.Array, length: int) -> tuple[Flags, Bytes]:
    """Which texts are as long as wanted, and the letters of those."""
    right = np.asarray(pc.binary_length(texts)) == length
    some = texts.filter(pa.array(right)) if not right.all() else texts
    letters = np.full((len(texts), length), 255, dtype=np.uint8)
    if len(some):
        some = pa.concat_arrays([some])
        start = np.frombuffer(some.buffers()[1], np.int32)[some.offset]
        content = np.frombuffer(some.buffers()[2], np.uint8)[start : start + len(some) * length]
        # What comes before a turns into what comes after z.
        letters[right] = content.reshape(-1, length) - np.uint8(ord("a"))
    return right, letters
