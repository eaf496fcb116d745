"""Does a release by time granularity keep its promise?"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check
from anachron.auditing.verify.content import differing_groups
from anachron.auditing.verify.database import reading
from anachron.auditing.verify.files import column_check, package_check
from anachron.auditing.verify.findings import (
    SHOWN,
    Findings,
    fraction,
    groups_named,
    such_as,
    witnesses,
)
from anachron.auditing.verify.groups import (
    Groups,
    granule_check,
    groups_of,
    largest_share,
    offer_check,
    value_check,
)
from anachron.auditing.verify.people import Behind, behind
from anachron.auditing.verify.recorded import recorded_checks
from anachron.auditing.verify.rows import row_checks
from anachron.auditing.verify.shape import Shape, shape_of
from anachron.engines.local.load import Loaded
from anachron.release.read import Release

__all__ = ["granularity"]


_INSTANT = pa.timestamp("us", "UTC")


def granularity(release: Release, microdata: Loaded | None) -> Findings:
    """Check all that :class:`anachron.TimeGranularity` promises."""
    shape = shape_of(release)
    package = package_check(shape is not None)
    if shape is None:
        return Findings((), (package,))
    types = {"group": pa.int64(), shape.start: _INSTANT, shape.end: _INSTANT}
    columns = column_check(shape.file, shape.columns, types)
    if not columns.holds:
        return Findings((), (columns, package))
    with reading(shape.file) as con:
        found = row_checks(con, shape)
        groups = groups_of(con, shape)
        share = largest_share(con, shape)
    alone = _alone(shape, groups, share)
    support = (*alone.support, *found, columns, package)
    if microdata is None:
        return Findings(alone.promise, support, alone.figures)
    roles = _roles_check(shape, microdata)
    if not roles.holds:
        return Findings(alone.promise, (roles, *support), alone.figures)
    full = _with_microdata(shape, groups, microdata)
    figures = {**alone.figures, **full.figures}
    return Findings(full.promise, (*full.support, *alone.promise, *support), figures)


def _alone(shape: Shape, groups: Groups, share: Fraction) -> Findings:
    """What the release alone tells: it can refute the promise, not prove it."""
    k = shape.promise.k
    smallest = int(groups.rows.min(initial=shape.rows))
    rows = int(groups.rows.sum())
    small = such_as(groups.number, groups.rows < k)
    enough = Check(
        "rows",
        rows == shape.rows and rows > 0 and smallest >= k,
        f"at least {k:,} in each group, {shape.rows:,} in all",
        f"{smallest:,} in the smallest group, {rows:,} in all{small}",
        "published rows",
        witnesses(groups.number, groups.rows < k),
    )
    total = shape.rows + shape.suppressed
    limit = shape.promise.max_suppressed
    stated = Check(
        "stated suppression",
        shape.suppressed <= limit * total,
        f"at most {_percent(limit)} of all rows",
        f"{shape.suppressed:,} of {total:,} rows",
        "rows stated to be left out",
    )
    figures: dict[str, int | str] = {
        "rows": rows,
        "groups": len(groups.number),
        "rows_in_smallest_group": smallest,
        "granules": len(groups.start),
        "groups_with_one_sensitive_value": int(groups.alike.sum()),
    }
    if shape.sensitive:
        figures |= {
            "largest_share_of_a_value": fraction(share),
            "largest_posterior": fraction(share),
        }
    support = (granule_check(shape, groups), value_check(shape, groups), offer_check(shape))
    return Findings((enough, stated), support, figures)


def _roles_check(shape: Shape, loaded: Loaded) -> Check:
    schema = loaded.schema
    same = (
        schema.time == shape.time
        and schema.time_zone == shape.zone
        and set(schema.quasi) == {meaning.column for meaning in shape.quasi}
        and schema.sensitive == shape.sensitive
    )
    return Check(
        "roles",
        same,
        "the roles of the published columns",
        "as promised" if same else "other columns, roles or time zone",
        "schema of the microdata",
    )


def _with_microdata(shape: Shape, groups: Groups, loaded: Loaded) -> Findings:
    found = behind(shape, groups, loaded)
    differing = differing_groups(shape, loaded, found.group_of_row)
    left_out = loaded.rows - int((found.group_of_row > 0).sum())
    share = _largest_share(found.largest, found.rows)
    promise = [_people_check(shape, groups, found), _suppression_check(shape, loaded, left_out)]
    if shape.promise.max_share is not None:
        promise.insert(1, _share_check(shape.promise.max_share, share, groups, found))
    figures: dict[str, int | str] = {
        "people_in_smallest_group": int(found.people.min(initial=found.subjects)),
        "people": found.subjects,
        "people_in_the_microdata": len(loaded.subject_values),
        "rows_in_the_microdata": loaded.rows,
        "rows_left_out": left_out,
        "largest_share_of_one_person": _percent(share),
    }
    support = (
        _whole_check(groups, found),
        _content_check(differing),
        _one_group_check(found),
        _needless_check(shape, found),
        *recorded_checks(loaded, shape.zone, groups.start, groups.end),
    )
    return Findings(tuple(promise), support, figures)


def _people_check(shape: Shape, groups: Groups, found: Behind) -> Check:
    k, smallest = shape.promise.k, int(found.people.min(initial=found.subjects))
    return Check(
        "people",
        len(found.people) > 0 and smallest >= k,
        f"at least {k:,}",
        f"{smallest:,}{such_as(groups.number, found.people < k)}",
        "people in the smallest group",
        witnesses(groups.number, found.people < k),
    )


def _share_check(limit: Fraction, share: Fraction, groups: Groups, found: Behind) -> Check:
    broken = np.zeros(len(found.rows), dtype=bool)
    if share > limit:
        broken = ~_within(limit, found.largest, found.rows)
    return Check(
        "share",
        share <= limit,
        f"at most {_percent(limit)}",
        _percent(share),
        "largest share of one person in the rows of a group",
        witnesses(groups.number, broken),
    )


def _suppression_check(shape: Shape, loaded: Loaded, left_out: int) -> Check:
    limit = shape.promise.max_suppressed
    return Check(
        "suppression",
        left_out <= limit * loaded.rows and left_out == shape.suppressed,
        f"at most {_percent(limit)} of {loaded.rows:,} rows, and {shape.suppressed:,} as stated",
        f"{left_out:,} rows",
        "rows left out",
    )


def _whole_check(groups: Groups, found: Behind) -> Check:
    wrong = groups.rows != found.rows
    return Check(
        "whole groups",
        not wrong.any(),
        "every group whole, or left out whole",
        f"rows missing or too many{such_as(groups.number, wrong)}"
        if wrong.any()
        else "as promised",
        "rows of each group",
        witnesses(groups.number, wrong),
    )


def _content_check(differing: list[int]) -> Check:
    shown = ", ".join(map(str, differing[:SHOWN]))
    return Check(
        "sensitive values",
        not differing,
        "in each group those of its own rows",
        f"{len(differing):,} groups differ, as in {shown}" if differing else "as promised",
        "published sensitive values",
        groups_named(differing),
    )


def _one_group_check(found: Behind) -> Check:
    return Check(
        "one group",
        not found.ambiguous,
        "every row falls into at most one group",
        f"{found.ambiguous:,} published values overlap" if found.ambiguous else "as promised",
        "groups that could hold a row",
    )


def _needless_check(shape: Shape, found: Behind) -> Check:
    """Groups are left out because they break the rule, and for no other reason."""
    people, rows, largest = found.left_out
    fine = people >= shape.promise.k
    if shape.promise.max_share is not None:
        fine[fine] = _within(shape.promise.max_share, largest[fine], rows[fine])
    count = int(fine.sum())
    return Check(
        "left out",
        count == 0,
        "only groups that would break the promise",
        f"{count:,} groups that would keep it" if count else "as promised",
        "groups left out",
    )


def _largest_share(largest: Array, rows: Array) -> Fraction:
    pairs = np.unique(np.stack([largest, np.maximum(rows, 1)]), axis=1)
    return max((Fraction(int(n), int(of)) for n, of in pairs.T), default=Fraction(0))


def _within(limit: Fraction, largest: Array, rows: Array) -> Flags:
    """Exactly: limits such as 1/3 are no binary fractions, and products may be long."""
    return np.array(
        [
            int(n) * limit.denominator <= limit.numerator * int(of)
            for n, of in zip(largest, rows, strict=True)
        ],
        dtype=bool,
    )


def _percent(share: Fraction) -> str:
    return f"{share} ({float(share):.4%})" if share.denominator > 1 else f"{float(share):.0%}"
