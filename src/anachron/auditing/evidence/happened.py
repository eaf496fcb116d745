"""How many rows of a table happened in each snapshot, and how many of them can never be planned."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Numbers
from anachron.auditing.evidence.barred import listed_people
from anachron.auditing.evidence.records import homes_of
from anachron.auditing.history import Books
from anachron.behind import Large, Microdata, Passing
from anachron.behind.dealt import dealt, ways
from anachron.guarantees import Reposition

__all__ = ["first_instant", "rows_of_snapshots"]


def first_instant(table: Microdata | Large) -> int:
    """When the first row of a table happened."""
    several = table.passing() if isinstance(table, Large) else [table]
    return min(int(rows.instants.min(initial=np.iinfo(np.int64).max)) for rows in several)


def rows_of_snapshots(
    walked: tuple[Array, Array],
    last: int,
    promise: Reposition,
    books: Books,
    table: Microdata | Large,
) -> tuple[Array, Array]:
    """Count the rows of each snapshot up to the ``last``; and those that are dropped.

    These are rows of barred people, or beyond one of a person, where that is all there may be.
    """
    happened, never = np.zeros((2, len(walked[0])), dtype=np.int64)
    listed = listed_people(books.memory)
    barred = listed is not None and len(listed.subject) > 0
    if not isinstance(table, Large):
        home, here = _homes(table, walked, last, happened)
        if listed is not None and barred:
            who = books.pseudonyms(table.subject_values).take(pa.array(table.subject))
            useless = here & listed.useless(who, walked[0][np.where(here, home, 0)])
            never += np.bincount(home[useless], minlength=len(never))
            here &= ~useless
        if promise.repeated == "one":
            never += _doubles(home[here], table.subject[here], len(never))
        return happened, never

    def left() -> Iterator[tuple[Array, pa.Array]]:
        """When rows happened that are of use, and whose each is."""
        for rows in table.passing():
            home, here = _homes(rows, walked, last, happened)
            if listed is not None and barred:
                who = books.pseudonyms(rows.names)
                useless = here & listed.useless(who, walked[0][np.where(here, home, 0)])
                np.add.at(never, home[useless], 1)
                here &= ~useless
            yield home[here], rows.names.filter(pa.array(here))

    if promise.repeated != "one":
        for _ in left():
            pass
        return happened, never
    parts = ways(table.rows, table.at_once)
    kinds = pa.schema({"home": pa.int64(), "who": table.names_kind}.items())
    by_people = (
        (
            (table.hashes(who) % np.uint64(parts)).astype(np.int64),
            pa.table([home, who], schema=kinds),
        )
        for home, who in left()
    )
    for some in dealt(by_people, kinds, parts, table.aside, table.at_once):
        who = some["who"].combine_chunks().dictionary_encode().indices
        never += _doubles(some["home"].to_numpy(), np.asarray(who), len(never))
    return happened, never


def _homes(
    rows: Microdata | Passing, walked: tuple[Array, Array], last: int, happened: Array
) -> tuple[Array, Flags]:
    """The place of the snapshot of each row, and whether it was pushed; these are counted."""
    home = homes_of(rows.instants, *walked)
    here = (home >= 0) & (home <= last)
    happened += np.bincount(home[here], minlength=len(happened))
    return home, here


def _doubles(home: Array, person: Numbers, size: int) -> Array:
    """How many rows there are of each snapshot, beyond one of each person."""
    cells = np.sort(person.astype(np.int64) * size + home)
    return np.bincount(cells[1:][cells[1:] == cells[:-1]] % max(size, 1), minlength=size)
