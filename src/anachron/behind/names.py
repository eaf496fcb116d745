"""The people of a table that is not held: a number for each of them, and their names on a disk.

People are known by the hashes of their names, of which no two are alike: that is looked at first.
Their numbers are in the order of the hashes, so eight bytes a person are held, and no name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Codes, Words
from anachron.behind.dealt import Dealt, dealt, ranges, ways
from anachron.behind.folding import folded_names, looks
from anachron.behind.naming import Naming
from anachron.behind.opened import Opened
from anachron.errors import Problem, TableError

__all__ = ["Names", "names_aside"]

_TRIES = 8
_HASH = pa.field("hash", pa.uint64())


@dataclass(frozen=True, eq=False)
class Names:
    """All people of a table, by their numbers."""

    hashes: Words = field(repr=False)
    """Of the name of each person, ascending."""
    _salt: int
    _dealt: Dealt = field(repr=False)
    _opened: Opened = field(repr=False)
    _at_once: int
    _aside: Path

    def __len__(self) -> int:
        return len(self.hashes)

    def __iter__(self) -> Iterator[tuple[int, pa.Array]]:
        """Give the names of all people, some at a time, and the number of the first of them."""
        first = 0
        for some in self._dealt:
            names = _once(some)[1]
            yield first, names
            first += len(names)

    def codes(self, names: pa.Array) -> Codes:
        """The number of the person of each name."""
        hashes = self._opened.hashes(names, self._salt)
        # Near ones are looked up one after the other.
        order = np.argsort(hashes)
        place = np.empty(len(hashes), dtype=np.int32)
        place[order] = np.searchsorted(self.hashes, hashes[order])
        return place

    def folded(self, *, exact: bool) -> tuple[Codes, int]:
        """A number for each person, the same where names count as one; and how many there are."""
        if exact not in self._folded:
            self._folded[exact] = self._numbered(exact)
        return self._folded[exact]

    @cached_property
    def _folded(self) -> dict[bool, tuple[Codes, int]]:
        return {}

    def _numbered(self, exact: bool) -> tuple[Codes, int]:
        own: Codes = np.arange(len(self), dtype=np.int32)
        if self._are_plain(exact):
            return own, len(self)
        parts = ways(len(self), self._at_once)
        kinds = pa.schema({"name": pa.string(), "code": pa.int32()}.items())

        def forms() -> Iterator[tuple[Array, pa.Table]]:
            for first, names in self:
                folded = folded_names(names, exact=exact, whole=False)
                codes = pa.array(own[first : first + len(names)])
                place = ranges(self._opened.hashes(folded), parts)
                yield place, pa.table([folded, codes], schema=kinds)

        people = 0
        for some in dealt(forms(), kinds, parts, self._aside, self._at_once):
            found = some.column("name").combine_chunks().dictionary_encode()
            own[some.column("code").to_numpy()] = np.asarray(found.indices) + people
            people += len(found.dictionary)
        return own, people

    def _are_plain(self, exact: bool) -> bool:
        """Whether no two names can count as one, as far as a look at their bytes can tell."""
        kind = self._dealt.schema.field("name").type
        if not pa.types.is_string(kind):
            return bool(pa.types.is_integer(kind))
        plain, small, capital = np.array([looks(names) for _, names in self if len(names)]).T
        return bool(plain.all()) and (exact or not (small.any() and capital.any()))


def names_aside(opened: Opened, naming: Naming, at_once: int, aside: Path) -> Names:
    """Gather the names of all people of a table on the disk."""
    for salt in range(_TRIES):
        found = _gathered(opened, naming, salt, at_once, aside)
        hashes = _all_hashes(found)
        if hashes is not None:
            return Names(hashes, salt, found, opened, at_once, aside)
    raise TableError(Problem("has names that cannot be told apart by their hashes.", opened.name))


def _gathered(opened: Opened, naming: Naming, salt: int, at_once: int, aside: Path) -> Dealt:
    """The names of the rows with their hashes, dealt out by ranges of these."""
    parts = ways(opened.rows, at_once)

    def hashed() -> Iterator[tuple[Array, pa.Table]]:
        first = 0
        for batch in opened.batches(at_once, **naming.asked):
            names = naming.names(batch, first)
            first += len(batch)
            hashes, alone = _once(pa.table({"hash": opened.hashes(names, salt), "name": names}))
            yield ranges(hashes, parts), pa.table({"hash": hashes, "name": alone})

    kind = naming.kind(opened)
    kinds = pa.schema([_HASH, pa.field("name", kind)])
    return dealt(hashed(), kinds, parts, aside, at_once)


def _all_hashes(found: Dealt) -> Words | None:
    """The different hashes, ascending; None if two names have the same."""
    parts = []
    for some in found:
        hashes, _ = _once(some)
        if (hashes[1:] == hashes[:-1]).any():
            return None
        parts.append(hashes)
    return np.concatenate(parts)


def _once(some: pa.Table) -> tuple[Words, pa.Array]:
    """Different names and their hashes, by these."""
    hashes = some.column("hash").to_numpy()
    order = np.argsort(hashes)  # those of one hash have one name, or are refused
    hashes = hashes[order]
    names = some.column("name").combine_chunks().take(pa.array(order))
    if not len(hashes):
        return hashes, names
    same = hashes[1:] == hashes[:-1]
    later, earlier = names.slice(1), names.slice(0, len(names) - 1)
    near = pa.array(same)
    same[same] = np.asarray(pc.equal(later.filter(near), earlier.filter(near)))
    kept = np.append(True, ~same)
    return hashes[kept], names.filter(pa.array(kept))
