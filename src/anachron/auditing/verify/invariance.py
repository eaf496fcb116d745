"""Does a release of a register keep its promise?"""

from __future__ import annotations

from fractions import Fraction

from anachron.auditing.history import History
from anachron.auditing.verify.files import package_check
from anachron.auditing.verify.findings import Findings, fraction
from anachron.auditing.verify.invariance_alone import (
    column_checks,
    counterfeit_check,
    number_check,
    order_check,
    unique_check,
)
from anachron.auditing.verify.invariance_draw import draw_check, draw_of
from anachron.auditing.verify.invariance_groups import Groups, groups_of
from anachron.auditing.verify.invariance_intervals import interval_check, offer_check
from anachron.auditing.verify.invariance_modes import formed_now
from anachron.auditing.verify.invariance_past import Past, past_findings, past_of, state_check
from anachron.auditing.verify.invariance_people import (
    coverage_check,
    held_check,
    identity_check,
    mark_check,
    people_of,
    role_check,
)
from anachron.auditing.verify.invariance_shape import Register, register_of
from anachron.auditing.verify.invariance_unaided import unaided_check
from anachron.engines.local.load import Loaded
from anachron.release.read import Release

__all__ = ["invariance"]

_HEADLINES = {"candidates": 0, "m-unique": 1}
"""What people ask about first comes first."""


def invariance(release: Release, microdata: Loaded | None, history: History | None) -> Findings:
    """Check all that :class:`anachron.MInvariance` promises."""
    shape = register_of(release)
    package = package_check(shape is not None)
    if shape is None:
        return Findings((), (package,))
    columns = column_checks(shape)
    if not all(check.holds for check in columns):
        return Findings((), (*columns, package))
    groups = groups_of(shape)
    found = [_alone(shape, groups)]
    if history is not None:
        found += _with_history(release, shape, groups, microdata, history)
    elif microdata is not None:
        found.append(_unaided(shape, groups, microdata))
    files = Findings((), (*columns, package))
    return _together([*reversed(found), files])


def _together(found: list[Findings]) -> Findings:
    """The strongest findings first, then the others, in the order given."""
    promise = [check for part in found for check in part.promise]
    support = [check for part in found for check in part.support]
    figures = {name: figure for part in reversed(found) for name, figure in part.figures.items()}
    promise.sort(key=lambda check: _HEADLINES.get(check.name, len(_HEADLINES)))
    return Findings(tuple(promise), tuple(support), figures)


def _alone(shape: Register, groups: Groups) -> Findings:
    promise = (unique_check(shape, groups), counterfeit_check(shape, groups))
    support = (
        interval_check(shape.quasi, groups),
        offer_check(shape.promise, shape.quasi, groups),
        order_check(groups),
        number_check(groups),
    )
    smallest = int(groups.size.min()) if len(groups.size) else 0
    figures: dict[str, int | str] = {
        "rows": len(groups.row_group),
        "groups": len(groups.number),
        "counterfeits": int(groups.table.count.sum()),
        "smallest_signature": smallest,
        "largest_share_of_a_value": fraction(Fraction(1, max(smallest, 1))),
        "largest_posterior": fraction(Fraction(1, max(smallest, 1))),
    }
    return Findings(promise, support, figures)


def _with_history(
    release: Release, shape: Register, groups: Groups, loaded: Loaded | None, history: History
) -> list[Findings]:
    past = past_of(release, shape, groups, history)
    if past is None:
        return [Findings((), (state_check(False),))]
    found = [past_findings(shape, groups, past)]
    if loaded is not None:
        found.append(_with_microdata(shape, groups, past, loaded, history))
    return found


def _with_microdata(
    shape: Register, groups: Groups, past: Past, loaded: Loaded, history: History
) -> Findings:
    roles = role_check(shape, loaded)
    if not roles.holds:
        return Findings((), (roles,))
    people = people_of(loaded, groups, past.state, past.book, history.pseudonyms, history.marks)
    held, count = held_check(shape, past.state, people)
    different = shape.different | formed_now(groups, past.state, past.last)
    promise = (coverage_check(shape, groups, people, loaded, different), held)
    support = [mark_check(past.state, people), identity_check(people), roles]
    if past.first or past.last is not None:
        support.insert(0, draw_check(draw_of(past.state, past.last, people, loaded)))
    return Findings(promise, tuple(support), {"held_back": count})


def _unaided(shape: Register, groups: Groups, loaded: Loaded) -> Findings:
    roles = role_check(shape, loaded)
    if not roles.holds:
        return Findings((), (roles,))
    coverage, held = unaided_check(shape, groups, loaded)
    return Findings((coverage,), (roles,), {"people": loaded.rows - held, "held_back": held})
