"""Records, laid against what is published: where is each, by what the ledger remembers?

That is done piece by piece: what is published in some snapshots is laid against the records that
happened in them or are published there, and what is found is added up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.evidence.boxes import coverage_of
from anachron.auditing.evidence.compared import Differences, compare
from anachron.auditing.evidence.feed import UNKNOWN, FeedState
from anachron.auditing.evidence.placed import PlacedRecords, Some
from anachron.auditing.evidence.timely import OnTime, all_on_time, on_time
from anachron.auditing.history import FeedPast
from anachron.auditing.reading.feed import FeedRows
from anachron.auditing.reading.form import Feed
from anachron.auditing.reading.pieces import Published
from anachron.auditing.reading.spelled import keys_of, text_keys

__all__ = ["Became", "Laid", "Recognised", "Side", "figures_of_records", "laid_out"]


@dataclass(frozen=True, eq=False)
class Side:
    """Records, laid against what is published."""

    published: int
    """So many of them."""
    values: Differences
    quasi: Differences
    linked: Array | None
    """The groups whose values are not those of their rows; None if that cannot be told."""
    outside: int | None
    """Records that no row with their value can stand for, if all others have theirs; None where
    quasi values are published as they are."""
    empty: Array
    """The groups in which a row stands for nobody."""
    uncovered: int
    """Records that are missing from their snapshot, and would have found nobody like them."""
    twice: int
    """Records of people who have another one in the same published snapshot."""

    def differs(self, may_lack: bool) -> bool:
        """Whether the release is not that of the records; some ``may lack``, if so many of both."""
        if self.values.strange or self.values != self.quasi:
            return True
        return self.values.missing > 0 and not may_lack


@dataclass(frozen=True)
class Recognised:
    """Records that the ledger lists."""

    found: int
    strangers: int
    """That are no records."""
    doubles: int
    """Records that are like another."""
    moved: int
    """That happened in another snapshot than listed."""


@dataclass(frozen=True, eq=False)
class Became:
    """What became of the records of the release's snapshots."""

    records: int
    delays: Array
    """How many are published so many snapshots later."""
    gone: int
    """Those that can no longer be published."""
    loss: Fraction
    """By those."""


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
    known: bool
    """Whether it is known who was dropped, and somebody was."""
    on_time: OnTime | None
    """Of a careful promise, if it can be told."""
    listed: Recognised
    became: Became
    told: bool
    """Whether it is known of all records what became of them."""


@dataclass(frozen=True, eq=False)
class _Part:
    """What was found of one piece."""

    found: Side
    planned: Side
    on_time: OnTime | None
    became: Became


def laid_out(
    form: Feed, published: Published, state: FeedState, placed: PlacedRecords, history: FeedPast
) -> Laid:
    """Lay records against what is published."""
    late, waited = history.late or form.promise.late, history.waiting is not None
    # Without a list of those who came late and were dropped, whoever is missing may be one.
    may_lack = late == "drop" or (late == "recycle" and not waited)
    unlisted = may_lack
    if placed.dropped is not None:
        may_lack, unlisted = placed.dropped, False
    known = may_lack and not unlisted
    timely = form.promise.careful and (known or not may_lack)
    seen, moved, parts = np.zeros(len(state.key), dtype=np.int64), 0, []
    for rows, some in zip(published, placed.pieces(), strict=True):
        parts.append(_part(form, rows, state, some, (known, timely, placed.ended)))
        moved += _recognise(some, state, seen)
    became = [part.became for part in parts]
    for some in placed.others():
        became.append(_became(form, state, some, placed.ended))
        moved += _recognise(some, state, seen)
    found = _all([part.found for part in parts])
    return Laid(
        found,
        _all([part.planned for part in parts]) if known else found,
        may_lack,
        found.values.missing if unlisted else 0,
        known,
        all_on_time([one for part in parts if (one := part.on_time)]) if timely else None,
        Recognised(
            int(seen.sum()), int((seen == 0).sum()), int(np.maximum(seen - 1, 0).sum()), moved
        ),
        _all_became(became),
        waited or not placed.earlier,
    )


def _recognise(some: Some, state: FeedState, seen: Array) -> int:
    """Count the listed among some records, and give how many happened in another snapshot."""
    at = some.listed
    np.add.at(seen, at, 1)
    known = state.home[at] != UNKNOWN
    return int((some.home_listed != state.home[at])[known].sum())


def _part(
    form: Feed,
    rows: FeedRows,
    state: FeedState,
    some: Some,
    known: tuple[bool, bool, bool],
) -> _Part:
    listed, timely, ended = known
    position = state.due(rows.snapshots.start)
    became = _became(form, state, some, ended)
    found, planned = _side(form, rows, state, some, position), some
    side = found
    if listed and some.records.dropped is not None and some.records.dropped.any():
        planned = some.take(np.flatnonzero(~some.records.dropped))
        side = _side(form, rows, state, planned, position)
    punctual = on_time(form, rows, planned.records, planned.there, position) if timely else None
    return _Part(found, side, punctual, became)


def _side(form: Feed, rows: FeedRows, state: FeedState, some: Some, position: Array) -> Side:
    records, there, missing = some.records, some.there, some.missing
    compared = compare(rows, records, there, missing, position)
    linked, none = compared.linked, np.zeros(0, dtype=np.int64)
    outside, empty, uncovered = None, none, compared.uncovered
    if form.value_files is None:
        coverage = coverage_of(form, rows, records, (there, missing, position))
        outside, uncovered = coverage.outside, coverage.uncovered
        empty = rows.number[coverage.empty]
    return Side(
        published=int((there >= 0).sum()),
        values=compared.values,
        quasi=compared.quasi,
        linked=None if linked is None else rows.number[linked],
        outside=outside,
        empty=empty,
        uncovered=uncovered,
        twice=_twice(records.person, there, state),
    )


def _twice(person: Array, there: Array, state: FeedState) -> int:
    several = np.bincount(person, minlength=1) > 1
    rows = np.flatnonzero(several[person] & (there != UNKNOWN))
    key = np.sort(person[rows] * max(state.size, 1) + there[rows])
    return int((key[1:] == key[:-1]).sum())


def _all(several: Sequence[Side]) -> Side:
    def total(of: Callable[[Side], int]) -> int:
        return sum(map(of, several))

    def differences(of: Callable[[Side], Differences]) -> Differences:
        return Differences(total(lambda s: of(s).missing), total(lambda s: of(s).strange))

    linked = [one.linked for one in several if one.linked is not None]
    outside = [one.outside for one in several if one.outside is not None]
    return Side(
        published=total(lambda one: one.published),
        values=differences(lambda one: one.values),
        quasi=differences(lambda one: one.quasi),
        linked=np.concatenate(linked) if len(linked) == len(several) else None,
        outside=sum(outside) if outside else None,
        empty=np.concatenate([one.empty for one in several]),
        uncovered=total(lambda one: one.uncovered),
        twice=total(lambda one: one.twice),
    )


def _became(form: Feed, state: FeedState, some: Some, ended: bool) -> Became:
    records, there = some.records, some.there
    here = (there != UNKNOWN) & (records.home != UNKNOWN)
    delay = (there - records.home)[here]
    gone = some.at_home & _gone(form, some, state, ended)
    own = some.at_home & (records.home >= 0) & (records.home < state.size)
    return Became(
        int(own.sum()),
        np.bincount(delay[delay >= 0], minlength=1),
        int(gone.sum()),
        _suppressed(form, some, gone),
    )


def _all_became(several: Sequence[Became]) -> Became:
    delays = np.zeros(max(len(one.delays) for one in several), dtype=np.int64)
    for one in several:
        delays[: len(one.delays)] += one.delays
    return Became(
        sum(one.records for one in several),
        delays,
        sum(one.gone for one in several),
        sum((one.loss for one in several), Fraction(0)),
    )


def figures_of_records(form: Feed, laid: Laid) -> dict[str, int | str]:
    """What became of the records, and the information that was lost."""
    became = laid.became
    figures: dict[str, int | str] = {
        "records": became.records,
        "moved": int(became.delays[1:].sum()),
        "longest_delay": len(became.delays) - 1,
    }
    if laid.told:
        figures["suppressed"] = became.gone
        figures["loss"] = str(_delayed(form, became.delays) + became.loss)
    figures["uncovered"] = laid.found.uncovered
    return figures


def _gone(form: Feed, some: Some, state: FeedState, ended: bool) -> Flags:
    """Who can no longer be published: their last snapshot is out, or the feed ended."""
    home = some.records.home
    unpublished: Flags = some.unpublished & (home < state.size) & (home != UNKNOWN)
    last = home + form.earlier < state.size
    return unpublished if ended else unpublished & last


def _delayed(form: Feed, delays: Array) -> Fraction:
    costs = form.promise.mu_table
    counts = delays.tolist()
    # What is later than allowed has no price: its own check tells.
    pairs = zip(costs, counts, strict=False)
    return sum((cost * count for cost, count in pairs), Fraction(0))


def _suppressed(form: Feed, some: Some, gone: Flags) -> Fraction:
    costs, otherwise = form.promise.betas, form.promise.beta_default
    value = some.records.value
    code = value.codes[gone]
    count = np.bincount(code[code >= 0], minlength=len(value.values)).tolist()
    kind = value.values.type
    named = dict(zip(text_keys(list(costs), kind, exact=form.exact), costs.values(), strict=True))
    keys = keys_of(value.values, exact=form.exact)
    return sum(
        (named.get(key, otherwise) * n for key, n in zip(keys, count, strict=True) if n),
        Fraction(0),
    )
