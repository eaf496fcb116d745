"""Who stands in which group of a release of events: every row falls into one."""

from __future__ import annotations

import numpy as np

from anachron.arrays import Codes, Flags
from anachron.auditing.evidence.events import behind
from anachron.auditing.history import Past
from anachron.auditing.reading.columns import places
from anachron.auditing.reading.database import reading
from anachron.auditing.reading.description import events_of
from anachron.auditing.reading.events import EventGroups, event_groups
from anachron.behind import Members, Microdata
from anachron.placing.members import Finder, quasi_of, sensitive_of
from anachron.release.read import Release

__all__ = ["EVENTS"]


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


EVENTS = Finder(_rows, _members)
