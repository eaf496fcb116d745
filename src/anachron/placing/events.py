"""Who stands in which group of a release of events: every row falls into one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anachron.arrays import Codes, Flags
from anachron.auditing.evidence.events import behind
from anachron.auditing.evidence.passing import pieces_of
from anachron.auditing.history import Past
from anachron.auditing.reading.columns import places, ranked
from anachron.auditing.reading.database import reading
from anachron.auditing.reading.description import events_of
from anachron.auditing.reading.events import EventGroups, event_groups
from anachron.behind import Attribute, Large, Members, Microdata
from anachron.placing.members import Finder, quasi_of, sensitive_of
from anachron.release.read import Release

__all__ = ["EVENTS", "passing_members"]


def _laid(release: Release, table: Microdata) -> tuple[EventGroups, Codes] | None:
    """The groups, and the number of that of each row, 0 for none: by granule and values."""
    form = events_of(release)
    if form is None or set(table.schema.quasi) != {meaning.column for meaning in form.quasi}:
        return None
    with reading(form.files) as con:
        groups = event_groups(con, form)
    return groups, behind(form, groups, table).group_of_row


def _rows(release: Release, table: Microdata, _past: Past) -> Flags | None:
    found = _laid(release, table)
    return None if found is None else found[1] > 0


def _members(release: Release, table: Microdata, _past: Past) -> Members | None:
    found = _laid(release, table)
    if found is None:
        return None
    groups, number = found
    rows = np.flatnonzero(number > 0)
    return Members(
        group=places(groups.number, number[rows].astype(np.int64)),
        groups=len(groups.number),
        person=table.subject[rows].astype(np.int64),
        quasi=quasi_of(table, rows),
        sensitive=sensitive_of(table, rows),
    )


def passing_members(release: Release, table: Large) -> Iterator[Members]:
    """Find the group of everyone who is published, all people of some groups at a time."""
    form = events_of(release)
    if form is None:
        return
    with reading(form.files) as con:
        groups = event_groups(con, form)
    for piece in pieces_of(form, groups, table):
        columns = piece.sensitive
        ranks = ((name, *ranked(columns[name])) for name in columns.column_names)
        yield Members(
            group=piece.group,
            groups=len(groups.number),
            person=piece.person.astype(np.int64),
            quasi=(),
            sensitive=tuple(Attribute(name, rank, domain) for name, rank, domain in ranks),
        )


EVENTS = Finder(_rows, _members)
