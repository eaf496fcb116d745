"""Are margins counts of the published people, rounded as promised?"""

from __future__ import annotations

from collections.abc import Iterable

from anachron.auditing.check import Found, check
from anachron.auditing.evidence.everyone import LaidPeople
from anachron.auditing.evidence.margins import columns_miscounted, columns_out_of_form
from anachron.auditing.evidence.roll import Roll
from anachron.auditing.reading.form import Register
from anachron.auditing.reading.register import RegisterGroups


@check("margins", "published margins")
def in_form(form: Register, step: int, sound: RegisterGroups) -> Found:
    """multiples of {step} in classes of the right width, nowhere more than groups have people"""
    return _wrong(columns_out_of_form(form, sound, step))


@check("margins", "people in the margins")
def counted(form: Register, step: int, laid: LaidPeople, roll: Roll) -> Found:
    """the published people of each class, rounded down to a multiple of {step}"""
    return _wrong(columns_miscounted(form, roll.quasi, laid.counts, step))


@check("margins", "people in the margins")
def could_be_counted(form: Register, step: int, groups: RegisterGroups, unaided: Roll) -> Found:
    """the published people of each class, rounded down to a multiple of {step}"""
    spare = max(unaided.rows - groups.real_rows, 0)
    counts = unaided.counts()
    return _wrong(columns_miscounted(form, unaided.quasi, counts, step, spare=spare))


def _wrong(columns: Iterable[str]) -> Found:
    found = ", ".join(map(repr, columns))
    return Found({f"not so: {found}": bool(found)})
