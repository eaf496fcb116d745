"""Which rows of the microdata are in a release? The bounds of its answers speak of these.

==============  ==========================================================================
granularity     rows whose group is published; the release and the rows tell it
invariance      people whom the ledger remembers in a group of the release
reposition      records in their own snapshot, but for those the ledger lists as elsewhere
patterns        people whom the ledger remembers in a group of the release
==============  ==========================================================================

Without the ledger it is known only if everybody is published.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Codes, Flags, Words
from anachron.auditing.evidence.digests import find
from anachron.auditing.evidence.events import behind
from anachron.auditing.evidence.feed import feed_state
from anachron.auditing.evidence.records import homes_of
from anachron.auditing.history import FeedPast, History, TablePast
from anachron.auditing.reading.database import reading
from anachron.auditing.reading.description import events_of, feed_of
from anachron.auditing.reading.events import event_groups
from anachron.behind import Microdata
from anachron.calendar.realise import realise, span
from anachron.guarantees import Reposition
from anachron.release.read import Release

__all__ = ["Past", "present"]

Past = History | FeedPast | TablePast | None


def present(release: Release, loaded: Microdata, past: Past) -> Flags | None:
    """Mark the rows that are in a release; None if that cannot be told."""
    if release.guarantee.get("method") == "granularity":
        return _by_group(release, loaded)
    if isinstance(past, FeedPast):
        return _by_record(release, loaded, past)
    if isinstance(past, History | TablePast):
        found = _by_person(loaded, past)
        composed = "home" in past.state.column_names
        return _by_home(release, found, loaded, past) if composed else found
    return np.ones(loaded.rows, dtype=np.bool_) if _all_there(release, loaded) else None


def _by_group(release: Release, loaded: Microdata) -> Flags | None:
    shape = events_of(release)
    if shape is None:
        return None
    with reading(shape.file) as con:
        groups = event_groups(con, shape)
    return behind(shape, groups, loaded).group_of_row > 0


def _by_person(loaded: Microdata, past: History | TablePast) -> Flags:
    here = past.state.filter(pc.greater(pc.fill_null(past.state["group"], 0), 0))
    who = past.pseudonyms(loaded.subject_values)
    known = pc.is_in(who, value_set=here["subject"].combine_chunks())
    return np.asarray(known, dtype=np.bool_)[loaded.subject]


def _by_home(release: Release, there: Flags, loaded: Microdata, past: Past) -> Flags | None:
    """Of the records of a person in a feed, the one of the snapshot that is remembered."""
    if past is None:
        return None
    homes = past.state["home"].combine_chunks().cast(pa.int64())
    who = past.pseudonyms(loaded.subject_values)
    place = pc.index_in(who, value_set=past.state["subject"].combine_chunks())
    home = np.asarray(homes.take(place).fill_null(int(loaded.instants.min())))[loaded.subject]
    both = np.concatenate([home, loaded.instants])
    over = span(loaded.schema.time_zone, int(both.min()), int(both.max()))
    index = realise(Reposition.from_dict(dict(release.guarantee)).snapshot, over).index(both)
    own = there & (index[: len(home)] == index[len(home) :])
    _, several = np.unique(loaded.subject[own], return_counts=True)
    return None if (several > 1).any() else own


def _by_record(release: Release, loaded: Microdata, past: FeedPast) -> Flags | None:
    shape = feed_of(release)
    state = None if shape is None else feed_state(shape, past.state)
    if shape is None or state is None:
        return None
    home = homes_of(loaded.instants, state.start, state.end) - state.first
    found = (home >= 0) & (home < state.size)
    key = loaded.row_keys(past.secret)
    listed = find(key, state.key)
    at = np.flatnonzero(listed >= 0)
    found[at] = ~state.lost[listed[at]]
    if shape.promise.repeated == "one":
        # Rows that are the same in all columns have the same hash: only one of them is meant.
        found &= _first_of_person(home, loaded.subject, key)
    return found


def _first_of_person(home: Array, person: Codes, key: Words) -> Flags:
    """Of several records of a person in a snapshot one takes part: that with the least hash."""
    order = np.lexsort((key[:, 1], key[:, 0], person, home))
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (home[order[1:]] != home[order[:-1]]) | (person[order[1:]] != person[order[:-1]])
    found = np.empty(len(order), dtype=np.bool_)
    found[order] = first
    return found


def _all_there(release: Release, loaded: Microdata) -> bool:
    false_ones = int(release.description["anachron"].get("counterfeits", 0))
    return release.rows - false_ones == loaded.rows
