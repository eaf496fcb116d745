"""Is what the ledger remembers right, and is it of these rows?"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.auditing.check import Found, check, groups_named
from anachron.auditing.checks.form import MALFORMED
from anachron.auditing.evidence.events import Behind
from anachron.auditing.evidence.everyone import Everyone
from anachron.auditing.evidence.feed import UNKNOWN, FeedState
from anachron.auditing.evidence.hosts import Hosts
from anachron.auditing.evidence.laid import Laid
from anachron.auditing.evidence.past import PastStates
from anachron.auditing.evidence.remembered import recalled
from anachron.auditing.evidence.shown import Shown
from anachron.auditing.evidence.standing import Remembered
from anachron.auditing.history import TablePast
from anachron.auditing.reading.columns import places, whole
from anachron.auditing.reading.events import EventGroups
from anachron.auditing.reading.register import RegisterGroups
from anachron.auditing.reading.series import SeriesRows
from anachron.behind import Large, Microdata


@check("state", "what the ledger remembers")
def state_of_register(remembered: bool) -> Found:
    """one row for everyone who was ever published"""
    return Found({MALFORMED: not remembered})


@check("remembered people", "people and times that the ledger will recognise")
def remembered_people(
    table: Microdata | Large, groups: EventGroups, behind: Behind, history: TablePast
) -> Found:
    """everyone in the release, from their first published time to their last"""
    found = recalled(table, groups, behind, history)
    return Found(
        {
            "people too many, missing, or at other times": found.strange,
            "people who have the digest of another": found.alike,
        },
        f"{found.people:,} people",
    )


@check("real rows", "people of each group")
def real_rows(groups: RegisterGroups, hosts: Hosts) -> Found:
    """as many people as a group has rows that are not counterfeits"""
    return Found(
        {
            "people and counterfeits are not its rows": hosts.real + groups.counterfeits
            != groups.size,
            "people in groups that are not published": hosts.nowhere,
        },
        f"{int(hosts.real.sum()):,} people",
        groups.number,
    )


@check("signatures", "values of the groups of each person")
def signatures(groups: RegisterGroups, hosts: Hosts) -> Found:
    """the values that the ledger remembers of each person, and no other"""
    where = groups_named(groups.number[hosts.astray].tolist())
    return Found({"people in groups with other values": hosts.differing}, where=where)


@check("marks", "values that the ledger remembers")
def marks(everyone: Everyone) -> Found:
    """the value that is published of each person"""
    return Found({"people remembered with another value": everyone.stale})


@check("memory", "people whom the ledger remembers")
def of_register(past: PastStates) -> Found:
    """everyone who was ever published, for ever"""
    idle = past.memory.people - past.hosts.present if past.first else 0
    vanished, forgotten, rewritten, unpublished = (
        sum(getattr(step, name) for step in past.steps)
        for name in ("vanished", "forgotten", "rewritten", "unpublished")
    )
    unpublished += idle
    return Found(
        {
            "people forgotten": vanished,
            "signatures forgotten": forgotten,
            "absent people remembered otherwise": rewritten,
            "people remembered who were never published": unpublished,
        },
        f"{past.memory.people:,} people",
    )


@check("state", "what the ledger remembers")
def state_of_feed(remembered: bool) -> Found:
    """the records that are not in their own snapshot, and the snapshots that are out"""
    return Found({MALFORMED: not remembered})


@check("state", "what the ledger remembers", state_of_feed.promised)
def state_of_waiting(gathered: bool) -> Found | None:
    """Find a memory of waiting records that is none; otherwise nothing more is said."""
    return None if gathered else Found({MALFORMED: True})


@check("memory", "records that the ledger lists")
def of_feed(laid: Laid) -> Found:
    """records of the microdata, once each, and when they happened"""
    return Found(
        {
            "listed that are not in the microdata": laid.listed.strangers,
            "records that are like another": laid.listed.doubles,
            "that happened in another snapshot than listed": laid.listed.moved,
        },
        f"{laid.listed.found:,} records",
    )


@check("due", "snapshots that the ledger lists")
def due(rows: Shown, state: FeedState) -> Found:
    """all snapshots from the first to the last of the release, empty ones too"""
    strange = int((state.positions(rows.snapshots.start) < 0).sum())
    nowhere = int((~state.lost & (state.there < 0)).sum())
    nowhere += 0 if state.blind else int((state.home == UNKNOWN).sum())
    return Found(
        {
            "other snapshots than the calendar has": not state.complete,
            "published snapshots that are not listed": strange,
            "records of or in a snapshot that there is not": nowhere,
        },
        f"{state.size:,} snapshots",
    )


@check("state", "what the ledger remembers")
def state_of_series(rows: SeriesRows, history: TablePast) -> Found:
    """each person once, with the group of the published row"""
    state = history.state.table()
    names = set(state.column_names)
    if names - {"first", "until"} != {"subject", "group"} or len(names) % 2:
        return Found({"other columns": True})
    if state.schema.field("subject").type != _PSEUDONYM or any(c.null_count for c in state):
        return Found({"other types": True})
    number, size = np.unique(rows.group, return_counts=True)
    place = places(number, whole(state["group"], 0))
    differing = int((np.bincount(place[place >= 0], minlength=len(number)) != size).sum())
    again = len(state) - len(pc.unique(state["subject"]))
    strange = int((place < 0).sum())
    return Found(
        {
            "people more than once": again,
            "people in groups that are not there": strange,
            "groups of another size": differing,
        }
    )


@check("memory", "people whom the ledger remembers")
def of_series(listed: Remembered) -> Found:
    """people of the microdata, and the time of their series"""
    return Found(
        {
            "people who have no series": listed.strangers,
            "people at other times": listed.late,
            "no times": listed.timeless,
        },
        f"{listed.known:,} people",
    )


_PSEUDONYM = pa.binary(32)
