"""Does a release of a feed keep its promise?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from anachron.arrays import Array
from anachron.auditing.history import FeedPast, History
from anachron.auditing.verify.files import package_check
from anachron.auditing.verify.findings import Findings, witnesses
from anachron.auditing.verify.invariance_intervals import interval_check, offer_check
from anachron.auditing.verify.recorded import recorded_checks
from anachron.auditing.verify.reposition_account import account_check
from anachron.auditing.verify.reposition_alone import (
    column_checks,
    count_check,
    diversity_check,
    eligibility_check,
    figures_of,
    snapshot_check,
    torn_check,
)
from anachron.auditing.verify.reposition_composed import composed
from anachron.auditing.verify.reposition_content import (
    Compared,
    compare,
    content_check,
    linked_check,
    value_codes,
)
from anachron.auditing.verify.reposition_coverage import Coverage, coverage_check, coverage_of
from anachron.auditing.verify.reposition_ontime import on_time_check
from anachron.auditing.verify.reposition_order import number_check, order_check
from anachron.auditing.verify.reposition_places import (
    Placed,
    memory_check,
    person_check,
    placed,
)
from anachron.auditing.verify.reposition_places import (
    figures_of as figures_of_records,
)
from anachron.auditing.verify.reposition_records import Records, records_of, role_check
from anachron.auditing.verify.reposition_rows import Published, published_of
from anachron.auditing.verify.reposition_shape import Feed, feed_of
from anachron.auditing.verify.reposition_state import (
    State,
    delay_check,
    due_check,
    forward_check,
    once_check,
    state_check,
    state_of,
)
from anachron.auditing.verify.reposition_unaided import unaided_check
from anachron.engines.local.load import Loaded
from anachron.release.read import Release

__all__ = ["reposition"]


def reposition(
    release: Release, microdata: Loaded | None, history: FeedPast | History | None
) -> Findings:
    """Check all that :class:`anachron.Reposition` promises."""
    if not isinstance(release.guarantee.get("then"), str):
        return composed(release, microdata, history if isinstance(history, History) else None)
    past = history if isinstance(history, FeedPast) else None
    return _anonymised(release, microdata, past)


def _anonymised(release: Release, microdata: Loaded | None, history: FeedPast | None) -> Findings:
    """Check a release by anatomy or by generalisation."""
    shape = feed_of(release)
    package = package_check(shape is not None)
    if shape is None:
        return Findings((), (package,))
    columns = column_checks(shape)
    if not all(check.holds for check in columns):
        return Findings((), (*columns, package))
    rows = published_of(shape)
    # What the files tell by themselves is worked out beside what the records say of them.
    with ThreadPoolExecutor(max_workers=1) as beside:
        alone = beside.submit(_alone, shape, rows)
        found = []
        if microdata is not None:
            roles = role_check(shape, microdata, rows)
            times = rows.snapshots.start, rows.snapshots.end
            found.append(Findings((), (roles, *recorded_checks(microdata, shape.zone, *times))))
            microdata = microdata if roles.holds else None
        if history is not None:
            found += _with_history(shape, rows, microdata, history)
        elif microdata is not None:
            found.append(Findings((unaided_check(shape, rows, microdata),), ()))
        found = [alone.result(), *found, Findings((), (*columns, package))]
    figures = {name: figure for part in found for name, figure in part.figures.items()}
    return Findings(
        tuple(check for part in found for check in part.promise),
        tuple(check for part in found for check in part.support),
        figures,
    )


def _alone(shape: Feed, rows: Published) -> Findings:
    promise = (diversity_check(shape, rows), eligibility_check(shape, rows))
    support = [snapshot_check(shape, rows), torn_check(rows)]
    if shape.value_file is None:
        support.append(interval_check(shape.intervals, rows))
        support.append(offer_check(shape.promise, shape.intervals, rows))
    else:
        support.append(count_check(shape, rows))
    support += [order_check(rows), number_check(rows)]
    return Findings(promise, tuple(support), figures_of(rows))


def _with_history(
    shape: Feed, rows: Published, loaded: Loaded | None, history: FeedPast
) -> list[Findings]:
    state = state_of(shape, history.state)
    if state is None:
        return [Findings((), (state_check(False),))]
    promise = (
        forward_check(state),
        delay_check(shape, state),
        once_check(shape, state, history.before),
    )
    found = [Findings(promise, (due_check(rows, state), state_check(True)))]
    if loaded is None and history.waiting is None:
        return found
    if loaded is not None and history.books is not None:
        until = int(state.start[-1])
        account = account_check(shape.promise, shape.zone, history.books, loaded, until)
        found.append(Findings((), () if account is None else (account,)))
    records = records_of(shape, state, loaded, history, rows)
    if records is None:
        return [*found, Findings((), (state_check(False),))]
    late = history.late or shape.promise.late
    return [*found, _with_records(shape, rows, state, records, history.waiting is not None, late)]


def _with_records(
    shape: Feed, rows: Published, state: State, records: Records, waited: bool, late: str
) -> Findings:
    found = planned = _laid(shape, rows, state, records)
    # Without a list of those who came late and were dropped, whoever is missing may be one.
    may_lack = late == "drop" or (late == "recycle" and not waited)
    lacking = found.compared.values.missing if may_lack else 0
    if records.dropped is not None:
        may_lack, lacking = bool(records.dropped.any()), 0
        if may_lack:
            planned = _laid(shape, rows, state, records.take(np.flatnonzero(~records.dropped)))
    published = int((found.at.there >= 0).sum())
    sure = planned.compared if planned is not found else None
    promise = [
        content_check(found.compared, sure, published, may_lack),
        person_check(planned.records, state, planned.at, lacking),
    ]
    if shape.promise.careful and (planned is not found or not may_lack):
        value = value_codes(planned.records.value, rows)
        there, position = planned.at.there, _positions(rows, state)
        promise.append(on_time_check(shape, rows, planned.records, value, there, position))
    uncovered = found.compared.uncovered
    if found.coverage is not None and planned.coverage is not None:
        outside = 0 if may_lack and planned is found else planned.coverage.outside
        promise.append(coverage_check(rows, replace(found.coverage, outside=outside)))
        uncovered = found.coverage.uncovered
    elif found.compared.linked is not None:
        linked = linked_check(rows, found.compared.linked)
        promise.append(replace(linked, witnesses=witnesses(rows.number, found.compared.linked)))
    figures = figures_of_records(shape, records, state, found.at, waited)
    figures["uncovered"] = uncovered
    if promise[1].holds:  # then every row of a group is another person
        figures["people_in_smallest_group"] = int(rows.size.min(initial=len(rows.row_group)))
    return Findings(tuple(promise), (memory_check(records, state, found.at),), figures)


@dataclass(frozen=True, eq=False)
class _Laid:
    """Records, laid against what is published."""

    records: Records
    at: Placed
    compared: Compared
    coverage: Coverage | None
    """None where quasi values are published as they are."""


def _laid(shape: Feed, rows: Published, state: State, records: Records) -> _Laid:
    at, position = placed(records, state), _positions(rows, state)
    compared = compare(rows, records, at.there, at.missing, position)
    if shape.value_file is not None:
        return _Laid(records, at, compared, None)
    value = value_codes(records.value, rows)
    where = (at.there, at.missing, position)
    return _Laid(records, at, compared, coverage_of(shape, rows, records, value, where))


def _positions(rows: Published, state: State) -> Array:
    """The position of each published snapshot; of one that is not due, the one after the last."""
    position = state.positions(rows.snapshots.start)
    return np.where((position >= 0) & (position < state.size), position, state.size)
