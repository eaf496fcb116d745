"""Count the people behind a release of events whose table is not held.

Its rows pass by once. Each finds its group, and is put aside with what is compared later, in a file
that has all rows of some groups: such a file is held and judged as a small table would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from anachron.arrays import Array, Codes, Numbers
from anachron.auditing.evidence.events import (
    Aside,
    Behind,
    compared,
    count,
    covers_of,
    dictionary,
    granule_of,
)
from anachron.auditing.reading.columns import HIGHEST
from anachron.auditing.reading.events import EventGroups
from anachron.auditing.reading.form import Events
from anachron.behind import Large, Passing
from anachron.behind.dealt import MOST, Dealt, dealt
from anachron.errors import PlanError

__all__ = ["WholeGroups", "passed", "pieces_of"]

_WIDEST = 1 << 62
_DENSE, _FEW = 8, 1 << 17
"""Groups are found in a table of all keys that is at most so many times larger, or than so few."""
_GROUP, _PERSON = "group", "person"


def passed(form: Events, groups: EventGroups, table: Large) -> Behind:
    """Lay the rows of a table against the groups of a release, and count."""
    person, people = table.who.folded(exact=form.exact)
    finder = _Finder.of(form, groups, table)
    pieces, left_out = _laid(form, finder, table)
    measures = np.zeros((3, len(groups.rows)), dtype=np.int64)
    seen = np.zeros(people, dtype=bool)
    first = np.full(table.people, HIGHEST)
    until = np.full(table.people, -HIGHEST)
    differing: list[int] = []
    for piece, groups_here in pieces.published():
        place, code = _numbers(piece, _GROUP), _numbers(piece, _PERSON)
        granule = groups.granule[place]
        np.minimum.at(first, code, groups.start[granule])
        np.maximum.at(until, code, groups.end[granule])
        seen[person[code]] = True
        counted, found = count(place.copy(), person[code], people)
        measures[:, counted] = found
        differing += _differing(form, groups, piece, place, groups_here)
    others = [
        count(_numbers(piece, _GROUP).copy(), person[_numbers(piece, _PERSON)], people)[1]
        for piece in pieces.others()
    ]
    return Behind(
        np.zeros(0, dtype=np.int32),
        people=measures[0],
        rows=measures[1],
        largest=measures[2],
        subjects=int(seen.sum()),
        ambiguous=finder.ambiguous,
        left_out=tuple(np.concatenate([np.zeros((3, 0), dtype=np.int64), *others], axis=1)),
        aside=Aside(left_out, first, until, sorted(differing)),
    )


def pieces_of(form: Events, groups: EventGroups, table: Large) -> Iterator[WholeGroups]:
    """Give the published rows of a table, all those of some groups at a time."""
    files, _ = _laid(form, _Finder.of(form, groups, table), table)
    for rows, _ in files.published():
        columns = rows.select(list(form.sensitive)) if rows.num_rows else None
        if columns is not None:
            yield WholeGroups(_numbers(rows, _GROUP), _numbers(rows, _PERSON), columns)


@dataclass(frozen=True, eq=False)
class WholeGroups:
    """All published rows of some groups."""

    group: Array
    """The place of the group among all."""
    person: Array
    """The number of the person's name."""
    sensitive: pa.Table


_LAID: WeakKeyDictionary[Large, tuple[tuple[Path, ...], _Files, int]] = WeakKeyDictionary()
"""Of each table the release against which it was laid last, and what was put aside then."""


def _laid(form: Events, finder: _Finder, table: Large) -> tuple[_Files, int]:
    """Put the rows of a table aside by groups, once; and count those that are not published."""
    known = _LAID.get(table)
    if known is None or known[0] != form.files:
        files = _Files.of(finder, table)
        known = _LAID[table] = form.files, files, table.rows - files.there
    return known[1:]


@dataclass(frozen=True, eq=False)
class _Finder:
    """Finds the group of rows."""

    form: Events
    groups: EventGroups
    names: Sequence[str]
    covers: Sequence[Array]
    sizes: Sequence[int]
    ambiguous: int
    keys: Array
    order: Array
    table: Codes | None
    """For each key that there can be the place of its group, -1 for none; if they are few."""

    @classmethod
    def of(cls, form: Events, groups: EventGroups, table: Large) -> _Finder:
        names = [meaning.column for meaning in form.quasi]
        covers = covers_of(form, groups, [table.values[name] for name in names])
        sizes = [cover.size for cover in covers]
        size = max(len(groups.start), 1)
        for one in sizes:
            size *= max(one, 1)
        if size > _WIDEST:
            raise PlanError(
                "its quasi columns have too many values together to be verified on a disk.",
                remedy="Set ANACHRON_MEMORY higher, or publish fewer rows at a time.",
            )
        key = _key(groups.granule, groups.quasi, sizes)
        ambiguous = sum(cover.ambiguous for cover in covers)
        codes = [cover.codes for cover in covers]
        if size <= _DENSE * max(len(key), _FEW):
            none = key[:0]
            return cls(form, groups, names, codes, sizes, ambiguous, none, none, _table(key, size))
        order = np.argsort(key, kind="stable")
        return cls(form, groups, names, codes, sizes, ambiguous, key[order], order, None)

    def find(self, rows: Passing) -> tuple[Array, Array]:
        """The place of the group of each row, -1 for none; and its key, -1 in no granule."""
        granule = granule_of(self.form, self.groups, rows.instants).astype(np.int64)
        codes = [
            cover[rows.quasi[name].codes]
            for cover, name in zip(self.covers, self.names, strict=True)
        ]
        key = np.where(granule < 0, -1, _key(np.maximum(granule, 0), codes, self.sizes))
        if self.table is not None:
            # Key -1 finds the last place, which is nobody's.
            return self.table[key].astype(np.int64), key
        at = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        return np.where(self.keys[at] == key, self.order[at], -1), key


def _table(key: Array, size: int) -> Codes:
    found = np.full(size + 1, -1, dtype=np.int32)
    # Of groups with the same key, the first.
    found[key[::-1]] = np.arange(len(key) - 1, -1, -1)
    return found


def _key(granule: Array, codes: Sequence[Numbers], sizes: Sequence[int]) -> Array:
    key = granule.astype(np.int64)
    for code, size in zip(codes, sizes, strict=True):
        key = key * size + code
    return key


def _found(finder: _Finder, table: Large) -> Iterator[tuple[Array, Array, pa.Table]]:
    """Of rows in granules: the place of the group, or -1; the key; and what is put aside."""
    for rows in table.passing():
        place, key = finder.find(rows)
        columns = dict(zip(rows.sensitive.column_names, rows.sensitive.columns, strict=True))
        kept = pa.table({_column(_PERSON): pa.array(rows.subject), **columns})
        inside = key >= 0
        if not inside.all():
            place, key, kept = place[inside], key[inside], kept.filter(pa.array(inside))
        yield place, key, kept


def _column(name: str) -> str:
    """No sensitive column is called so."""
    return f"\0{name}"


@dataclass(frozen=True, eq=False)
class _Files:
    """Rows by groups: files of published ones, by their places, and as many of the others."""

    dealt: Dealt
    file: Array
    """Of each published group."""
    many: int

    @classmethod
    def of(cls, finder: _Finder, table: Large) -> _Files:
        """Put rows where they belong."""
        rows = finder.groups.rows
        size = max(table.at_once, table.rows // MOST + 1)
        file, many = (np.cumsum(rows) - rows) // size, max(-(-table.rows // size), 1)

        def placed() -> Iterator[tuple[Array, pa.Table]]:
            for place, key, some in _found(finder, table):
                there = place >= 0
                group = pa.array(np.where(there, place, key))
                to = many + key % many
                to[there] = file[place[there]]
                yield to, some.append_column(_column(_GROUP), group)

        kinds = [(_column(_PERSON), pa.int32()), (_column(_GROUP), pa.int64())]
        schema = pa.schema([*kinds, *table.sensitive_schema])
        dealt_ = dealt(placed(), schema, 2 * many, table.aside, table.at_once)
        return cls(dealt_, file, many)

    @property
    def there(self) -> int:
        """How many rows are of published groups."""
        return int(self.dealt.rows[: self.many].sum())

    def published(self) -> Iterator[tuple[pa.Table, tuple[int, int]]]:
        """The rows of each file of published groups, and which groups should be there."""
        starts = np.searchsorted(self.file, np.arange(self.many + 1))
        for number, (start, end) in enumerate(pairwise(starts)):
            if self.dealt.rows[number] or start < end:
                yield self.dealt.read(number), (int(start), int(end))

    def others(self) -> Iterator[pa.Table]:
        """The rows of each file of groups that are not published."""
        return map(self.dealt.read, range(self.many, 2 * self.many))


def _numbers(piece: pa.Table, name: str) -> Array:
    found: Array = piece.column(_column(name)).to_numpy()
    return found


def _differing(
    form: Events,
    groups: EventGroups,
    piece: pa.Table,
    place: Array,
    here: tuple[int, int],
) -> list[int]:
    """The groups of a file whose published sensitive values are not those of its rows."""
    if not form.sensitive:
        return []
    start, end = here
    before = int(groups.rows[:start].sum())
    many = int(groups.rows[start:end].sum())
    published = _published(form, before, many)
    group = np.asarray(published.column("group").fill_null(0), dtype=np.int64)
    both = np.concatenate([groups.number[place], group])
    least = int(both.min()) if len(both) else 0

    def sides() -> Iterator[tuple[Numbers, int]]:
        yield both - least, int(both.max(initial=least)) - least + 1
        for name in form.sensitive:
            yield _joint(piece, published, name)

    return [least + number for number in compared(len(place), sides)]


def _published(form: Events, first: int, many: int) -> pa.Table:
    """Some rows of a release as they stand in its files."""
    names, at, begin = ["group", *form.sensitive], 0, 0
    parts: list[pa.Table] = []
    for path in form.files:
        with pq.ParquetFile(path, read_dictionary=list(form.sensitive)) as file:
            for number in range(file.metadata.num_row_groups):
                end = at + file.metadata.row_group(number).num_rows
                if at < first + many and end > first:
                    begin = begin if parts else at
                    parts.append(file.read_row_group(number, names))
                at = end
            if not parts:
                empty = file.schema_arrow.empty_table().select(names)
    rows = pa.concat_tables(parts, promote_options="permissive") if parts else empty
    return rows.slice(first - begin, many)


def _joint(piece: pa.Table, published: pa.Table, name: str) -> tuple[Numbers, int]:
    """Codes of a column by one dictionary; a missing value is a value of its own."""
    theirs = published.column(name).chunks
    if name not in piece.column_names:
        kind = published.schema.field(name).type
        ours = []
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    else:
        kind = piece.schema.field(name).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        ours = piece.column(name).chunks
    chunks = [dictionary(chunk, kind) for chunk in (*ours, *theirs)]
    if not chunks:
        return np.zeros(0, dtype=np.int32), 1
    joint = pa.chunked_array(chunks).unify_dictionaries().chunks
    size = max(len(chunk.dictionary) for chunk in joint)
    codes = [np.asarray(chunk.indices.fill_null(size), dtype=np.int32) for chunk in joint]
    return np.concatenate(codes), size + 1
