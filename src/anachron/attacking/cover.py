"""Cover of moved records: who is missing on Monday had Monday's too frequent value.

A feed moves records to a later snapshot, or leaves them out, when a value is too frequent in their
own. So being moved is telling. Somebody who knows that Ann was admitted on Monday looks for her in
Monday's release. If no group there can hold her (nobody of her age, or no box around it), she was
moved or left out, and that happens to the values that are at the limit of what Monday may publish.
If only one value is at the limit, it is hers.

The promise of a feed speaks of those who are in a published group, and holds. To those who are
missing it promises nothing; ``then="generalize"`` widens a group of their snapshot to cover them,
so that they cannot be told from those in it, unless the snapshot has no group at all. With
``then="anatomy"`` quasi values are exact, and nothing covers anybody.

Measured
    for each record that is not published in its own snapshot: whether a published group of that
    snapshot could hold it. If none, the values at the maximum of the snapshot are the candidates,
    and people with fewer than l are exposed. If some, the chance of the true value in all groups
    that could hold it until the window ends, which no l-diverse groups raise above 1/l.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from anachron.arrays import Array, Flags, Floats, distinct
from anachron.attacking.finding import Finding, percent
from anachron.attacking.known import Known
from anachron.auditing.reading.columns import places
from anachron.placing.feed import FeedView

__all__ = ["NEEDS", "at_the_limit", "attack"]

NEEDS = "microdata and ledger"


@dataclass(frozen=True, eq=False)
class _Missing:
    """The records that are not published in their own snapshot."""

    covered: Flags
    candidates: Array
    """How many values are possible for those who are not covered."""
    chance: Floats
    """Of the true value, for those who are."""
    empty: Flags
    """Whether nothing is published in their snapshot."""


def at_the_limit(snapshot: Array, count: Array, snapshots: int) -> Array:
    """How many values of each snapshot are as frequent as its most frequent one.

    Given the snapshot and the count of each value that is published in it.

    >>> at_the_limit(np.array([0, 0, 0, 1]), np.array([4, 4, 1, 2]), 3)
    array([2, 1, 0])
    """
    most = np.zeros(snapshots, dtype=np.int64)
    np.maximum.at(most, snapshot, count)
    return np.bincount(snapshot[count == most[snapshot]], minlength=snapshots)


def attack(known: Known) -> Finding | None:
    """Look for the records that were moved or left out."""
    view = known.feed
    if view is None:
        return None
    found = _missing(view)
    ell, anatomy = view.shape.promise.l, view.shape.value_files is not None
    few = ~found.covered & (found.candidates < ceil(ell))
    one = ~found.covered & (found.candidates == 1)
    bare = ~found.covered & ~found.empty
    lost = view.records.person[view.missing]
    exposed = len(distinct(lost[few]))
    total, largest = len(found.covered), float(found.chance.max(initial=0.0))
    covered = int(found.covered.sum())
    measured = f"{total:,} records not in their own snapshot"
    if total:
        measured += (
            f", {percent(covered / total)} of them covered; {int(few.sum()):,} left with fewer "
            f"than {ell} values, {int(one.sum()):,} with one"
        )
    return Finding(
        attack="cover",
        title="Cover of moved records",
        knows="when a person's record happened, and its quasi values",
        exposed=exposed,
        people=len(distinct(lost)),
        promised="nothing for those who are missing: quasi values are exact"
        if anatomy
        else "cover for all who are missing from a snapshot that has a group",
        measured=measured,
        holds=None if anatomy else not bare.any(),
        figures={
            "moved_or_left_out": total,
            "covered": covered,
            "left_with_fewer": int(few.sum()),
            "left_with_one": int(one.sum()),
            "snapshot_without_groups": int(found.empty.sum()),
            "largest_chance_if_covered": round(largest, 4),
            "promised_chance": round(float(1 / Fraction(ell)), 4),
        },
        about="Looks for people in the snapshot where they must be, and learns from not finding "
        "them.",
    )


def _missing(view: FeedView) -> _Missing:
    rows = view.rows
    lost = np.flatnonzero(view.missing)
    home = view.records.home[lost]
    held, _ = view.look.groups(lost, home)
    covered = np.bincount(held, minlength=len(lost)) > 0
    snapshots = int(max(view.position.max(initial=0), home.max(initial=0))) + 1
    key, count, _ = rows.by_snapshot(view.position)
    cell, at = np.unique(key, return_inverse=True)
    total = np.bincount(at, count).astype(np.int64)
    limit = at_the_limit(cell // rows.width, total, snapshots)
    everything = len(rows.domain)
    empty = limit[home] == 0
    candidates = np.where(empty, everything, limit[home])
    chance = np.zeros(len(lost))
    some = np.flatnonzero(covered)
    chance[some] = _chances(view, lost[some], home[some])
    return _Missing(covered, candidates, chance, empty)


def _chances(view: FeedView, lost: Array, home: Array) -> Floats:
    """The share of the true value in all rows that could be a record's, until its window ends."""
    rows, look = view.rows, view.look
    cells, width = rows.values, rows.width
    order = np.argsort(cells.place * width + cells.value, kind="stable")
    known = (cells.place * width + cells.value)[order]
    right, all_ = np.zeros(len(lost)), np.zeros(len(lost))
    for later in range(view.shape.promise.window):
        who, group = look.groups(lost, home + later)
        at = places(known, group * width + view.value[lost[who]])
        share = np.where(at >= 0, cells.count[order][at], 0) / rows.size[group]
        # A row of exact values counts once; a box counts with all its rows.
        weight = np.ones(len(who)) if look.tree is None else rows.size[group].astype(np.float64)
        right += np.bincount(who, share * weight, len(lost))
        all_ += np.bincount(who, weight, len(lost))
    return right / np.maximum(all_, 1e-300)
