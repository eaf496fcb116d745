"""The records behind a release of a feed: rows of the microdata, and those that were waiting."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Codes, Flags, Words, distinct
from anachron.auditing.evidence.digests import find
from anachron.auditing.evidence.feed import UNKNOWN, FeedState
from anachron.auditing.history import FeedPast
from anachron.auditing.reading.columns import (
    NO_MEMORY,
    coded,
    notes_of,
    of_loaded,
    one_each,
    plain_zero,
    plain_zero_values,
    whole,
)
from anachron.auditing.reading.feed import FeedRows
from anachron.auditing.reading.form import Feed
from anachron.behind import Microdata

__all__ = [
    "RecordColumn",
    "Records",
    "behind",
    "homes_of",
    "one_type",
    "planned_ones",
    "quasi_columns",
    "records_of",
    "value_column",
    "waiting_of",
]


@dataclass(frozen=True, eq=False)
class RecordColumn:
    """A column of the records: a code for each, and the values that codes stand for."""

    codes: Array | Codes
    values: pa.Array
    """Not in order, and some perhaps twice."""

    def take(self, rows: Array) -> RecordColumn:
        """Some of the records."""
        return RecordColumn(self.codes[rows], self.values)


@dataclass(frozen=True, eq=False)
class Records:
    """Everybody who can be in a release, one place for each."""

    home: Array
    """Position of the snapshot in which it happened; after the last, if that is not out yet."""
    key: Words
    person: Array
    value: RecordColumn
    quasi: tuple[RecordColumn, ...]
    dropped: Flags | None = None
    """Whether the ledger lists it among those that came late and were dropped. It may be published
    all the same, if what was dropped was the same record, given once more. None if no such list
    is at hand, or it is not complete."""

    def __len__(self) -> int:
        return len(self.home)

    def take(self, rows: Array) -> Records:
        """Some of the records."""
        quasi = tuple(column.take(rows) for column in self.quasi)
        parts = (self.home[rows], self.key[rows], self.person[rows])
        dropped = None if self.dropped is None else self.dropped[rows]
        return Records(*parts, self.value.take(rows), quasi, dropped)


def records_of(
    form: Feed,
    state: FeedState,
    history: FeedPast,
    published: Iterable[FeedRows],
    table: Microdata | None = None,
) -> Records | None:
    """Gather the records; None if what was waiting does not have the form of a memory.

    Those that no look at the state needs to recognise may have the key 0.
    """
    if table is None and history.waiting is None:
        return None
    waiting = history.waiting if history.waiting is not None and len(history.waiting) else None
    waited = None if waiting is None else waiting_of(form, waiting)
    if waiting is not None and waited is None:
        return None
    found = waited
    if table is not None:
        found = _pushed(form, state, table, history, published)
        if waited is not None and waiting is not None:
            known = waiting["subject"].combine_chunks()
            found = _joined(waited, _among(found, known, table, history))
    if found is not None and form.promise.repeated == "one":
        waits = np.arange(len(found)) < (0 if waited is None else len(waited))
        found = found.take(planned_ones(found, waits))
    return found


def homes_of(instants: Array, start: Array, end: Array) -> Array:
    """Of each instant the place of the span that holds it; ``UNKNOWN`` before all, else after."""
    width = int(end[0] - start[0])
    if (np.diff(start) == width).all() and (end - start == width).all():
        # Spans of one length, one after the other: as quick as can be.
        place: Array = (instants - start[0]) // width
        np.minimum(place, len(start), out=place)
        place[place < 0] = UNKNOWN
        return place
    place = np.searchsorted(start, instants, side="right") - 1
    inside = (place >= 0) & (instants < end[np.maximum(place, 0)])
    after = instants >= end[-1]
    return np.where(inside, place, np.where(after, len(start), UNKNOWN))


def value_column(loaded: Microdata) -> RecordColumn:
    """The sensitive value of each row."""
    found = coded(of_loaded(loaded).column(0))
    return RecordColumn(whole(found.indices, -1), found.dictionary)


def quasi_columns(form: Feed, loaded: Microdata) -> tuple[RecordColumn, ...]:
    """The quasi values of each row."""
    columns = (loaded.quasi[name] for name in form.names)
    return tuple(RecordColumn(c.codes, plain_zero_values(c.values)) for c in columns)


def _pushed(
    form: Feed,
    state: FeedState,
    loaded: Microdata,
    history: FeedPast,
    published: Iterable[FeedRows],
) -> Records:
    home = homes_of(loaded.instants, state.start, state.end)
    value = value_column(loaded)
    found = Records(
        home=np.where(home == UNKNOWN, UNKNOWN, home - state.first),
        key=np.zeros((loaded.rows, 2), dtype=np.uint64),
        person=loaded.subject.astype(np.int64),
        value=value,
        quasi=quasi_columns(form, loaded),
    )
    books = history.books if history.waiting is None else None
    dropped = None if books is None else books.dropped
    partly = form.promise.repeated == "refuse" and history.waiting is None
    if partly:
        # Hashing takes long. Values of which each snapshot has as many as happened in it have
        # most likely nobody elsewhere; if one who is listed is not found, all are hashed.
        key = loaded.row_keys(history.secret, _unlike(found, state, published))
        if all(_all_found(key, listed) for listed in (state.key, dropped) if listed is not None):
            return _recognised(found, key, dropped)
    return _recognised(found, loaded.row_keys(history.secret), dropped)


def _recognised(records: Records, key: Words, dropped: Words | None) -> Records:
    listed = None if dropped is None else find(key, dropped) >= 0
    return replace(records, key=key, dropped=listed)


def _unlike(records: Records, state: FeedState, published: Iterable[FeedRows]) -> list[str]:
    """The values of which some snapshot has more or fewer than happened in it, as texts."""
    texts = records.value.values.cast(pa.string())
    width = len(texts) + 1
    own = (records.home >= 0) & (records.home < state.size)
    cell = records.home[own] * width + records.value.codes[own] + 1
    happened = np.bincount(cell, minlength=state.size * width).reshape(-1, width)
    shown = np.zeros_like(happened)
    for rows in published:
        key, count, _ = rows.by_snapshot(state.due(rows.snapshots.start))
        place = whole(pc.index_in(rows.domain.cast(pa.string()), value_set=texts), -1)
        where, value = key // rows.width, np.concatenate([place, [-1, -1]])[key % rows.width]
        due = where < state.size
        np.add.at(shown, (where[due], value[due] + 1), count[due])
    return [str(text) for text in texts.filter((happened != shown).any(axis=0)[1:]).to_pylist()]


def _all_found(key: Words, listed: Words) -> bool:
    at = find(key, listed)
    return len(distinct(at[at >= 0])) == len(listed)


def waiting_of(form: Feed, table: pa.Table) -> Records | None:
    """The records that wait; None if that does not have the form of a memory."""
    try:
        return _waiting(form, table)
    except NO_MEMORY:
        return None


def _waiting(form: Feed, table: pa.Table) -> Records:
    """Records that wait carry the position of their home, and the number of their value."""
    said = notes_of(table)
    first = said["window"]["clock"][1]
    words = [np.asarray(table[f"key_{word}"], dtype=np.uint64) for word in ("high", "low")]
    quasi = [coded(plain_zero(table[f"quasi {name}"])) for name in form.names]
    people = coded(table["subject"])
    texts = pa.array(said["values"], pa.string())
    return Records(
        home=whole(table["home"], 0) - int(first),
        key=np.stack(words, axis=1),
        person=whole(people.indices, -1),
        value=RecordColumn(whole(table["value"], -1), texts),
        quasi=tuple(RecordColumn(whole(c.indices, -1), c.dictionary) for c in quasi),
    )


def _among(pushed: Records, known: pa.Array, loaded: Microdata, history: FeedPast) -> Records:
    """Give a person who was waiting and is pushed again the same number."""
    new = history.pseudonyms(loaded.subject_values)
    first = known.dictionary_encode()
    everyone = pa.concat_arrays([first.dictionary, new]).dictionary_encode()
    person = whole(everyone.indices, -1)[len(first.dictionary) :][pushed.person]
    return replace(pushed, person=person)


def _joined(waiting: Records, pushed: Records) -> Records:
    """Lay pushed records behind waiting ones; what is pushed again is the same record."""
    known = waiting.key[np.lexsort((waiting.key[:, 1], waiting.key[:, 0]))]
    return behind(waiting, pushed.take(np.flatnonzero(find(pushed.key, known) < 0)))


def behind(some: Records, others: Records) -> Records:
    """Lay other records behind some; who was dropped is only known if it is of both."""

    def both(ours: RecordColumn, theirs: RecordColumn) -> RecordColumn:
        values = one_type(ours.values, theirs.values)
        codes = np.where(theirs.codes < 0, -1, theirs.codes + len(ours.values))
        return RecordColumn(np.concatenate([ours.codes, codes]), values)

    dropped = None
    if some.dropped is not None and others.dropped is not None:
        dropped = np.concatenate([some.dropped, others.dropped])
    return Records(
        home=np.concatenate([some.home, others.home]),
        key=np.concatenate([some.key, others.key]),
        person=np.concatenate([some.person, others.person]),
        value=both(some.value, others.value),
        quasi=tuple(both(a, b) for a, b in zip(some.quasi, others.quasi, strict=True)),
        dropped=dropped,
    )


def one_type(ours: pa.Array, theirs: pa.Array) -> pa.Array:
    """Lay one behind the other: in the type of the second, or else as texts."""
    try:
        return pa.concat_arrays([ours.cast(theirs.type), theirs])
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return pa.concat_arrays([ours.cast(pa.string()), theirs.cast(pa.string())])


def planned_ones(records: Records, waits: Flags) -> Array:
    """Of several records of a person in one snapshot, the one that was planned.

    It is the one that waits; or else the one whose hash is the least, of those that did not come
    later than it.
    """
    rows = np.flatnonzero(np.bincount(records.person, minlength=1)[records.person] > 1)
    later = ~waits[rows] if records.dropped is None else records.dropped[rows]
    kept = np.ones(len(records), dtype=bool)
    same = (records.home[rows], records.person[rows])
    kept[rows] = one_each(same, (later, *records.key[rows].T))
    return np.flatnonzero(kept)
