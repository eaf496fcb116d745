"""Records, laid against what is published: where is each, by what the ledger remembers?

Who came late had a value that was too frequent, and can be seen. So a careful promise counts only
those who are on time: in each snapshot, and in each group, no value may have more than one in l of
them. Of snapshots that is counted. Of groups it can be told where every latecomer that may be in
one can be in no other, by their quasi values.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags, distinct
from anachron.auditing.evidence.boxes import Coverage, coverage_of, holders, planted_boxes
from anachron.auditing.evidence.compared import Compared, compare, quasi_numbers, value_places
from anachron.auditing.evidence.digests import find
from anachron.auditing.evidence.feed import UNKNOWN, FeedState
from anachron.auditing.evidence.records import Records
from anachron.auditing.history import FeedPast
from anachron.auditing.reading.columns import joined, spread
from anachron.auditing.reading.feed import FeedRows
from anachron.auditing.reading.form import Feed
from anachron.auditing.reading.spelled import keys_of, kinds_of, text_keys

__all__ = [
    "Laid",
    "OnTime",
    "Placed",
    "Side",
    "figures_of_records",
    "laid_out",
    "on_time",
    "placed",
]


@dataclass(frozen=True, eq=False)
class Placed:
    """Where each record is published."""

    there: Array
    """The position of the snapshot; ``UNKNOWN`` for none of this release."""
    listed: Array
    """The place of the record in the state; -1 for those that are not listed."""
    missing: Flags
    """Whether its snapshot is one of the release and it is not published there."""


@dataclass(frozen=True, eq=False)
class Side:
    """Records, laid against what is published."""

    records: Records
    at: Placed
    position: Array
    """Of each published snapshot; of one that is not due, the one after the last."""
    compared: Compared
    coverage: Coverage | None
    """None where quasi values are published as they are."""


@dataclass(frozen=True, eq=False)
class Laid:
    """All records, laid against what is published; and those that had to be planned."""

    found: Side
    planned: Side
    """The same as ``found``, unless it is known who came late and was dropped."""
    may_lack: bool
    """Whether records may be missing: they came late, and were dropped."""
    lacking: int
    """How many are taken for such, where there is no list of them."""
    waited: bool
    """Whether it is known who was waiting before the release."""

    @property
    def known(self) -> bool:
        """Whether it is known who was dropped, and somebody was."""
        return self.planned is not self.found


def laid_out(
    form: Feed, rows: FeedRows, state: FeedState, records: Records, history: FeedPast
) -> Laid:
    """Lay records against what is published."""
    found = planned = _side(form, rows, state, records)
    late, waited = history.late or form.promise.late, history.waiting is not None
    # Without a list of those who came late and were dropped, whoever is missing may be one.
    may_lack = late == "drop" or (late == "recycle" and not waited)
    lacking = found.compared.values.missing if may_lack else 0
    if records.dropped is not None:
        may_lack, lacking = bool(records.dropped.any()), 0
        if may_lack:
            planned = _side(form, rows, state, records.take(np.flatnonzero(~records.dropped)))
    return Laid(found, planned, may_lack, lacking, waited)


def _side(form: Feed, rows: FeedRows, state: FeedState, records: Records) -> Side:
    at, position = placed(records, state), state.due(rows.snapshots.start)
    compared = compare(rows, records, at.there, at.missing, position)
    coverage = None
    if form.value_files is None:
        coverage = coverage_of(form, rows, records, (at.there, at.missing, position))
    return Side(records, at, position, compared, coverage)


def placed(records: Records, state: FeedState) -> Placed:
    """Put each record where the ledger lists it, and else into its own snapshot."""
    listed = find(records.key, state.key)
    own = (records.home >= 0) & (records.home < state.size)
    there = np.where(own, records.home, UNKNOWN)
    elsewhere = np.flatnonzero(listed >= 0)
    at = listed[elsewhere]
    there[elsewhere] = np.where(state.lost[at], UNKNOWN, state.there[at])
    return Placed(there, listed, own & (there != records.home))


def figures_of_records(form: Feed, state: FeedState, laid: Laid) -> dict[str, int | str]:
    """What became of the records, and the information that was lost."""
    records, there = laid.found.records, laid.found.at.there
    own = (records.home >= 0) & (records.home < state.size)
    here = (there != UNKNOWN) & (records.home != UNKNOWN)
    delay = (there - records.home)[here]
    delays = np.bincount(delay[delay >= 0], minlength=1)
    figures: dict[str, int | str] = {
        "records": int(own.sum()),
        "moved": int((delay > 0).sum()),
        "longest_delay": len(delays) - 1,
    }
    if laid.waited or not (records.home < 0).any():
        gone = _gone(form, records, state, there)
        figures["suppressed"] = int(gone.sum())
        figures["loss"] = str(_delayed(form, delays) + _suppressed(form, records, gone))
    found, coverage = laid.found.compared, laid.found.coverage
    figures["uncovered"] = found.uncovered if coverage is None else coverage.uncovered
    return figures


def _gone(form: Feed, records: Records, state: FeedState, there: Array) -> Flags:
    """Who can no longer be published: their last snapshot is out, or the feed ended."""
    ended = not (records.home >= state.size).any()
    unpublished: Flags = (there == UNKNOWN) & (records.home < state.size)
    unpublished &= records.home != UNKNOWN
    last = records.home + form.earlier < state.size
    return unpublished if ended else unpublished & last


def _delayed(form: Feed, delays: Array) -> Fraction:
    costs = form.promise.mu_table
    counts = delays.tolist()
    # What is later than allowed has no price: its own check tells.
    pairs = zip(costs, counts, strict=False)
    return sum((cost * count for cost, count in pairs), Fraction(0))


def _suppressed(form: Feed, records: Records, gone: Flags) -> Fraction:
    costs, otherwise = form.promise.betas, form.promise.beta_default
    code = records.value.codes[gone]
    count = np.bincount(code[code >= 0], minlength=len(records.value.values)).tolist()
    kind = records.value.values.type
    named = dict(zip(text_keys(list(costs), kind, exact=form.exact), costs.values(), strict=True))
    keys = keys_of(records.value.values, exact=form.exact)
    return sum(
        (named.get(key, otherwise) * n for key, n in zip(keys, count, strict=True) if n),
        Fraction(0),
    )


def _of_snapshots(home: Array, value: Array) -> tuple[Array, Array]:
    """Of each snapshot: how many have its most frequent value, and how many there are."""
    width = int(value.max(initial=0)) + 2
    cell, count = np.unique(home * width + value + 1, return_counts=True)
    snapshots, at = np.unique(cell // width, return_inverse=True)
    most = np.zeros(len(snapshots), dtype=np.int64)
    np.maximum.at(most, at, count)
    return most, np.bincount(at, count, len(snapshots)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class OnTime:
    """How often the most frequent value occurs among those on time, and how many they are."""

    most: Array
    """Of each snapshot."""
    size: Array
    group_most: Array
    """Of each group."""
    group_size: Array
    known: Flags
    """Of each group, whether its latecomers are known."""

    @property
    def together(self) -> tuple[Array, Array]:
        """Snapshots and groups together; a group of nobody on time hides nobody."""
        judged = self.known & (self.group_size > 0)
        return (
            np.concatenate([self.most, self.group_most[judged]]),
            np.concatenate([self.size, self.group_size[judged]]),
        )


def on_time(form: Feed, rows: FeedRows, laid: Side) -> OnTime:
    """Count values among those on time, in each snapshot and each group."""
    records, there = laid.records, laid.at.there
    # Two spellings of a value are one.
    kind = np.append(kinds_of(rows.domain, exact=rows.exact), -1)
    value = kind[value_places(records.value, rows)]
    here = there != UNKNOWN
    own = here & (there == records.home)
    most, size = _of_snapshots(records.home[own], value[own])
    late = np.flatnonzero(here & (there != records.home))
    known, table = _without(rows, kind, value[late], _candidates(form, rows, laid, late))
    return OnTime(most, size, table.max(axis=1, initial=0), table.sum(axis=1), known)


def _without(
    rows: FeedRows, kind: Array, late: Array, candidates: tuple[Array, Array]
) -> tuple[Flags, Array]:
    """Of each group: whether its latecomers are known, and how often each value occurs without.

    ``late`` has the values of latecomers, and ``candidates`` the groups that may hold them.
    """
    each, group = candidates
    who, group = np.divmod(distinct(each * len(rows.number) + group), len(rows.number))
    sure = np.bincount(who, minlength=len(late))[who] == 1
    known = np.ones(len(rows.number), dtype=bool)
    known[group[~sure]] = False
    cells = rows.values
    there = cells.place >= 0
    left = np.zeros((len(rows.number), rows.width), dtype=np.int64)
    np.add.at(left, (cells.place[there], kind[cells.value[there]]), cells.count[there])
    np.subtract.at(left.reshape(-1), group[sure] * rows.width + late[who[sure]], 1)
    return known, left


def _candidates(form: Feed, rows: FeedRows, laid: Side, late: Array) -> tuple[Array, Array]:
    """Pairs of a latecomer, as a place among them, and a group that may hold them."""
    if not len(late):
        return joined(())
    there = laid.at.there[late]
    if form.value_files is None:
        tree, points = planted_boxes(form, rows, laid.records, laid.position)
        return joined(holders(tree, there, [p[late] for p in points]))
    mine, theirs, _ = quasi_numbers(rows.quasi, laid.records.quasi)
    near = np.flatnonzero(np.isin(theirs, mine[late]))
    where = np.concatenate([there, laid.position[rows.row_snapshot[near]]])
    _, code = np.unique(np.concatenate([mine[late], theirs[near]]), return_inverse=True)
    # Snapshot and quasi values as one number, so small that a group can stand beside it.
    _, key = np.unique(where * len(code) + code, return_inverse=True)
    pairs = distinct(key[len(late) :] * len(rows.number) + rows.row_place[near])
    held, group = np.divmod(pairs, len(rows.number))
    first, behind = (np.searchsorted(held, key[: len(late)], side=s) for s in ("left", "right"))
    who, at = spread(first, behind - first)
    return who, group[at]
