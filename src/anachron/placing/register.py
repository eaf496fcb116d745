"""Who stands in which group of a release of a register: the ledger remembers everyone's."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags
from anachron.auditing.checks.form import roles_of_register
from anachron.auditing.evidence.people import people_of
from anachron.auditing.evidence.register import Book, register_state
from anachron.auditing.history import History, Past, TablePast
from anachron.auditing.reading.columns import whole
from anachron.auditing.reading.description import register_of
from anachron.auditing.reading.register import register_groups
from anachron.behind import Attribute, Members, Microdata
from anachron.calendar.realise import realise, span
from anachron.guarantees import Reposition
from anachron.placing.members import Finder, quasi_of
from anachron.placing.settling import nth
from anachron.release.read import Release

__all__ = ["REGISTER", "remembered"]


def remembered(release: Release, table: Microdata, past: Past) -> Flags | None:
    """Mark the rows of the people whom the ledger remembers in a group."""
    if not isinstance(past, History | TablePast):
        return None
    who = past.pseudonyms(table.subject_values)
    known = pc.index_in(who, value_set=past.state.table()["subject"].combine_chunks())
    place = whole(known, -1)[table.subject]
    there = np.append(whole(past.state.table()["group"], 0), 0)[place] > 0
    if "home" not in past.state.schema.names:
        return there
    own, several = _own_records(release, table, past.state.table(), place, there)
    return None if several else own


def _members(release: Release, table: Microdata, past: Past) -> Members | None:
    """A value of a group that nobody has is a counterfeit's."""
    form, book = register_of(release), Book()
    if form is None or not isinstance(past, History) or not roles_of_register.holds(form, table):
        return None
    state = register_state(past.state, book)
    if state is None:
        return None
    groups = register_groups(form)
    people = people_of(table, groups, state, book, past)
    there = people.group >= 0
    if "home" in past.state.schema.names:
        there, _ = _own_records(release, table, past.state.table(), people.place, there)
    rows = np.flatnonzero(there)
    value = people.value[rows]
    width = len(groups.domain) + 1
    published = groups.owner * width + groups.value
    group = people.group[rows]
    candidates = None if form.different else groups.value[groups.start[group] + nth(group)]
    held = value if candidates is None else candidates
    spare = np.setdiff1d(published, group * width + held)
    return Members(
        group=group,
        groups=len(groups.number),
        person=table.subject[rows].astype(np.int64),
        quasi=quasi_of(table, rows),
        sensitive=(Attribute(form.sensitive, value, groups.domain),),
        spare=(spare // width, spare % width),
        candidates=candidates,
    )


REGISTER = Finder(remembered, _members)


def _own_records(
    release: Release, table: Microdata, state: pa.Table, place: Array, there: Flags
) -> tuple[Flags, bool]:
    """Of the records of a person in a feed, the first of the snapshot that is remembered.

    Tells, too, whether somebody has several there: which of them is published is not remembered.
    """
    earliest = int(table.instants.min())
    home = np.append(whole(state["home"], earliest), earliest)[place]
    both = np.concatenate([home, table.instants])
    over = span(table.schema.time_zone, int(both.min()), int(both.max()))
    index = realise(Reposition.from_dict(dict(release.guarantee)).snapshot, over).index(both)
    rows = np.flatnonzero(there & (index[: len(home)] == index[len(home) :]))
    rows = rows[np.lexsort((table.instants[rows], place[rows]))]
    first = np.diff(place[rows], prepend=-1) != 0
    own = np.zeros(len(place), dtype=bool)
    own[rows[first]] = True
    return own, not first.all()
