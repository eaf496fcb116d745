"""Does a release of series keep its promise?"""

from __future__ import annotations

from anachron.auditing.history import SeriesPast
from anachron.auditing.verdict import Check
from anachron.auditing.verify.files import package_check
from anachron.auditing.verify.findings import Findings
from anachron.auditing.verify.patterns_alone import (
    column_checks,
    envelope_check,
    figures_of,
    group_check,
    number_check,
    offer_check,
    order_check,
    smallest_group,
    subgroup_check,
    word_check,
)
from anachron.auditing.verify.patterns_attacks import attacked, breach_check
from anachron.auditing.verify.patterns_attacks import figures_of as figures_of_attacks
from anachron.auditing.verify.patterns_diversity import diversity_check, set_check
from anachron.auditing.verify.patterns_people import (
    own_checks,
    ranges_of,
    suppressed_check,
    unaided_check,
)
from anachron.auditing.verify.patterns_rows import Published, published_of
from anachron.auditing.verify.patterns_series import Misfit, own_series
from anachron.auditing.verify.patterns_shape import Shapes, shapes_of
from anachron.auditing.verify.patterns_state import groups_of, state_check
from anachron.engines.local.load import Loaded
from anachron.release.read import Release

__all__ = ["patterns"]


def patterns(release: Release, microdata: Loaded | None, history: SeriesPast | None) -> Findings:
    """Check all that :class:`anachron.KPAnonymity` promises."""
    shape = shapes_of(release)
    package = package_check(shape is not None)
    if shape is None:
        return Findings((), (package,))
    columns = column_checks(shape)
    if not all(check.holds for check in columns):
        return Findings((), (*columns, package))
    rows = published_of(shape)
    found = [_alone(shape, rows)]
    remembered = None
    if history is not None:
        state = state_check(rows, history)
        found.append(Findings((), (state,)))
        remembered = history if state.holds else None
    if microdata is not None:
        found.append(_with_microdata(shape, rows, microdata, remembered))
    found.append(Findings((), (*columns, package)))
    return Findings(
        tuple(check for part in found for check in part.promise),
        tuple(check for part in found for check in part.support),
        {name: figure for part in found for name, figure in part.figures.items()},
    )


def _alone(shape: Shapes, rows: Published) -> Findings:
    promise = [group_check(shape, rows), subgroup_check(shape, rows)]
    if shape.promise.l is not None and shape.promise.diversity == "subgroup":
        promise.append(diversity_check(shape, rows))
    support = (
        word_check(shape, rows),
        envelope_check(shape, rows),
        offer_check(shape),
        number_check(rows),
        order_check(rows),
    )
    return Findings(tuple(promise), support, figures_of(shape, rows))


def _with_microdata(
    shape: Shapes, rows: Published, loaded: Loaded, history: SeriesPast | None
) -> Findings:
    try:
        own = own_series(shape, loaded)
    except Misfit as misfit:
        return Findings((), (_role_check(str(misfit)),))
    ranges = ranges_of(shape, rows, own)
    promise, support = [suppressed_check(shape, rows, own)], [_role_check("")]
    figures: dict[str, int | str] = {"people": len(own)}
    if history is None:
        check, figures["undecided_rows"] = unaided_check(rows, own, ranges)
        promise.append(check)
    else:
        group, memory = groups_of(own, loaded, history)
        mine = own_checks(rows, own, group, ranges)
        promise += mine
        if mine[-1].holds:  # then every row of a group is another person
            figures["people_in_smallest_group"] = smallest_group(rows)
        support.append(memory)
    attacks = attacked(rows, own, ranges)
    promise.append(breach_check(shape, attacks))
    figures |= figures_of_attacks(shape, rows, attacks)
    if shape.promise.l is not None and shape.promise.diversity == "paper":
        promise.append(set_check(shape, rows, own))
    return Findings(tuple(promise), tuple(support), figures)


def _role_check(misfit: str) -> Check:
    return Check(
        "roles",
        not misfit,
        "the series that were published, in the same roles",
        misfit or "as promised",
        "schema of the microdata",
    )
