"""Who stands behind the rows, and is what is published theirs?"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Flags
from anachron.auditing.check import (
    SHOWN,
    Found,
    check,
    groups_named,
    measured,
    such_as,
    witnesses,
)
from anachron.auditing.evidence.apart import QuasiNumbers, rows_of_nobody
from anachron.auditing.evidence.breaches import Attacks
from anachron.auditing.evidence.draw import Draw
from anachron.auditing.evidence.events import Behind, differing_groups, percent
from anachron.auditing.evidence.everyone import Everyone, LaidPeople
from anachron.auditing.evidence.homeless import homeless_of
from anachron.auditing.evidence.roll import Roll
from anachron.auditing.evidence.series import Own
from anachron.auditing.evidence.standing import Possibly, StandingPeople
from anachron.auditing.reading.columns import exceeds
from anachron.auditing.reading.events import EventGroups
from anachron.auditing.reading.form import Events, Register, Series
from anachron.auditing.reading.register import Apart, RegisterGroups
from anachron.auditing.reading.series import SeriesRows
from anachron.behind import Microdata
from anachron.guarantees import KPAnonymity, MInvariance, TimeGranularity


@check("stated suppression", "rows stated to be left out")
def stated_suppression(form: Events) -> Found:
    """Find more rows stated to be left out than promised."""
    total, limit = form.rows + form.suppressed, form.promise.max_suppressed
    text, right = f"{form.suppressed:,} of {total:,} rows", form.suppressed <= limit * total
    return measured(text, right, promised=f"at most {percent(limit)} of all rows")


@check("people", "people in the smallest group")
def in_groups(promise: TimeGranularity, groups: EventGroups, behind: Behind) -> Found:
    """at least {promise.k:,}"""
    few = behind.people < promise.k
    smallest = int(behind.people.min(initial=behind.subjects))
    text = f"{smallest:,}{such_as(groups.number, few)}"
    right = len(behind.people) > 0 and smallest >= promise.k
    return measured(text, right, witnesses(groups.number, few))


@check("share", "largest share of one person in the rows of a group")
def share(promise: TimeGranularity, groups: EventGroups, behind: Behind) -> Found | None:
    """Find people with too many of the rows of their group."""
    limit, largest = promise.max_share, behind.largest_share
    if limit is None:
        return None
    broken = np.zeros(len(behind.rows), dtype=bool)
    if largest > limit:
        broken = exceeds(behind.largest, behind.rows, limit)
    where, promised = witnesses(groups.number, broken), f"at most {percent(limit)}"
    return measured(percent(largest), largest <= limit, where, promised=promised)


@check("suppression", "rows left out")
def suppression(form: Events, table: Microdata, behind: Behind) -> Found:
    """Find more rows left out than promised, or others than stated."""
    count, limit = behind.rows_left_out, form.promise.max_suppressed
    promised = f"at most {percent(limit)} of {table.rows:,} rows"
    right = count <= limit * table.rows and count == form.suppressed
    return measured(
        f"{count:,} rows", right, promised=f"{promised}, and {form.suppressed:,} as stated"
    )


@check("whole groups", "rows of each group")
def whole_groups(groups: EventGroups, behind: Behind) -> Found:
    """every group whole, or left out whole"""
    return Found({"rows missing or too many": groups.rows != behind.rows}, groups=groups.number)


@check("sensitive values", "published sensitive values")
def sensitive_values(form: Events, table: Microdata, behind: Behind) -> Found:
    """in each group those of its own rows"""
    aside = behind.aside
    differing = aside.differing if aside else differing_groups(form, table, behind.group_of_row)
    shown = ", ".join(map(str, differing[:SHOWN]))
    text = f"groups differ, as in {shown}"
    return Found({text: len(differing)}, where=groups_named(differing))


@check("one group", "groups that could hold a row")
def one_group(behind: Behind) -> Found:
    """every row falls into at most one group"""
    return Found({"published values overlap": behind.ambiguous})


@check("left out", "groups left out")
def needlessly_left_out(promise: TimeGranularity, behind: Behind) -> Found:
    """only groups that would break the promise"""
    people, rows, largest = behind.left_out
    fine = people >= promise.k
    if promise.max_share is not None:
        fine[fine] = ~exceeds(largest[fine], rows[fine], promise.max_share)
    count = int(fine.sum())
    return Found({"groups that would keep it": count})


@check("coverage", "people in their groups")
def covered(groups: RegisterGroups, laid: LaidPeople, different: Flags) -> Found:
    """Find people outside the intervals of their group, or without one of its values.

    In groups that are ``different`` nobody has the same one as another. Of rows that stand apart
    from values there is a check of its own.
    """
    found = laid.covering
    return Found(
        {
            f"{found.outside:,} people outside their intervals": found.of_outside,
            f"{found.strange:,} whose value is not in their group": found.of_strange,
            f"{found.shared:,} who share a row with another": found.of_shared,
        },
        f"{found.people:,} people",
        groups.number,
        promised=_promised(groups.apart is None, bool(different.all())),
    )


def _promised(boxed: bool, different: bool) -> str:
    if not boxed:
        new = "" if different else " where the group is new"
        return f"everyone with one of the values of their group; no two with the same one{new}"
    if different:
        return "everyone in the intervals of their group, behind one row with their value"
    return (
        "everyone in the intervals of their group, with one of its values; no two with the "
        "same one where the group is new"
    )


@check("exact rows", "quasi values of people")
def own_rows(groups: RegisterGroups, apart: Apart, laid: LaidPeople) -> Found:
    """in each group those of its own people, as they are"""
    del apart  # only where there are such rows
    wrong = np.zeros(len(groups.number), dtype=bool) if laid.own is None else laid.own
    return Found({"rows missing, too many, or of others": wrong}, groups=groups.number)


@check("exact rows", "quasi values of people")
def could_be_own_rows(form: Register, apart: Apart, unaided: Roll) -> Found:
    """those of people of the register, as they are"""
    numbers = QuasiNumbers(form, apart, unaided.quasi)
    return Found({"rows of nobody": rows_of_nobody(numbers, unaided)})


@check("coverage", "people in some group")
def could_be_covered(form: Register, groups: RegisterGroups, unaided: Roll) -> Found:
    """everyone who is published in a group that holds him, behind a row with his value"""
    real = groups.real_rows
    held = unaided.rows - real
    may_hold = form.promise.when_ineligible == "hold"
    homeless, of_value = homeless_of(form, groups, unaided)
    # How many people of each value there can be: one behind each row, or all people of a group.
    people = np.ones_like(groups.size) if form.different else groups.size - groups.counterfeits
    room = np.bincount(groups.value, np.repeat(people, groups.size), minlength=len(groups.domain))
    left = of_value - room[: len(groups.domain)].astype(np.int64)
    crowded = int(np.maximum(left, 0).sum())
    return Found(
        {
            f"{homeless:,} people in no group": homeless > max(held, 0),
            f"{crowded:,} people without a row of their value": crowded > max(held, 0),
            f"{real:,} real rows for {unaided.rows:,} people": held < 0
            or (held > 0 and not may_hold),
        },
        f"{real:,} people",
    )


@check("held back", "people who are not published")
def held_back(promise: MInvariance, everyone: Everyone) -> Found:
    """Find people who are held back without a reason, or published without being there."""
    may_hold = promise.when_ineligible == "hold"
    only = "only people with a value too frequent, or changed too often"
    return Found(
        {
            "people published who are not in the microdata": everyone.strangers,
            "people held back": everyone.held if not may_hold else 0,
            "known people held back whose value is the same": everyone.needless,
        },
        f"{everyone.held:,} people",
        promised=only if may_hold else "nobody",
    )


@check("one row each", "rows of the microdata")
def one_row_each(groups: RegisterGroups, roll: Roll, everyone: Everyone) -> Found:
    """one row for each person"""
    people = min(roll.people(exact=groups.exact), everyone.different)
    return Found({"rows too many": roll.rows - people})


@check("draw", "how new people came to their sets of values")
def drawn_by_lot(drawn: Draw) -> Found:
    """by lot, whatever their quasi values"""
    text = f"column {drawn.column!r} tells: {drawn.excess:.0f} standard deviations"
    fine = f"{drawn.compared:,} people compared" if drawn.compared else "too few to compare"
    return Found({text: drawn.is_no_chance}, fine)


@check("coverage", "values of people")
def values_covered(standing: StandingPeople) -> Found:
    """values in the envelope of the group"""
    return _not_so(standing, ~standing.inside)


@check("shape", "patterns of people")
def own_pattern(standing: StandingPeople) -> Found:
    """the own pattern at the published level"""
    return _not_so(standing, ~standing.shaped)


@check("value", "sensitive values of people")
def own_value(standing: StandingPeople) -> Found:
    """the own value"""
    return _not_so(standing, standing.shaped & ~standing.valued)


def _not_so(standing: StandingPeople, wrong: Flags) -> Found:
    """Find people of whom it is not so, and name their groups: with an envelope or without."""
    text, groups = f"{int(wrong.sum()):,} people not so", np.unique(standing.number[wrong])
    return Found({text: np.ones(len(groups), dtype=bool)}, groups=groups)


@check("rows", "people behind rows")
def behind_each_row(rows: SeriesRows, standing: StandingPeople) -> Found:
    """one person behind each row, and one row for each"""
    vacant = rows.groups_with(standing.vacant)
    text = f"{standing.without:,} people without a row; nobody behind a row"
    return Found(
        {text + such_as(rows.groups, vacant): bool(standing.without or vacant.any())},
        f"{len(standing.number):,} people",
        where=witnesses(rows.groups, vacant),
    )


@check("rows", "people behind rows")
def for_each_row(rows: SeriesRows, possibly: Possibly) -> Found:
    """for each row a person with such values, such a pattern and such a sensitive value"""
    return Found({"there is nobody": rows.groups_with(possibly.vacant)}, groups=rows.groups)


@check("suppressed", "people who are not published")
def suppressed(form: Series, promise: KPAnonymity, rows: SeriesRows, own: Own) -> Found:
    """Find that P or more people are not published, or others than stated.

    Where values are diverse in every subgroup, nobody may be missing: whoever knows all values
    of the table knows those of the missing.
    """
    lost = len(own) - len(rows.group)
    diverse = promise.l is not None and promise.diversity == "subgroup"
    most = 0 if diverse else promise.P - 1
    return Found(
        {
            f"{lost:,} people": not 0 <= lost <= most or lost != form.suppressed,
            f"{own.dropped:,} left out for gaps": own.dropped != form.dropped,
        },
        f"{lost:,} people",
        promised=f"at most {most:,}: {form.suppressed:,}, and {form.dropped:,} with gaps",
    )


@check("breach", "the chance to find a person's row by values and shape")
def breach(promise: KPAnonymity, attacks: Attacks) -> Found:
    """at most one in {promise.P:,}"""
    least = int(attacks.rows.min(initial=len(attacks.rows) and attacks.rows.max()))
    wrong = (attacks.rows < promise.P) | (attacks.groups < 1)
    text = f"one in {least:,}, of {len(attacks.rows):,} people who were looked for"
    return measured(text, not wrong.any())
