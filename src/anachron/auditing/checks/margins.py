"""Are margins counts of the published people, rounded as promised?"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from anachron.auditing.check import Found, check
from anachron.auditing.evidence.margins import columns_miscounted, columns_out_of_form
from anachron.auditing.evidence.people import RegisterPeople
from anachron.auditing.reading.form import Register
from anachron.auditing.reading.register import RegisterGroups
from anachron.behind import Microdata


@check("margins", "published margins")
def in_form(form: Register, step: int, sound: RegisterGroups) -> Found:
    """multiples of {step} in classes of the right width, nowhere more than groups have people"""
    return _wrong(columns_out_of_form(form, sound, step))


@check("margins", "people in the margins")
def counted(form: Register, step: int, people: RegisterPeople, table: Microdata) -> Found:
    """the published people of each class, rounded down to a multiple of {step}"""
    return _wrong(columns_miscounted(form, table, people.group >= 0, step))


@check("margins", "people in the margins")
def could_be_counted(
    form: Register, step: int, groups: RegisterGroups, unaided: Microdata
) -> Found:
    """the published people of each class, rounded down to a multiple of {step}"""
    everybody, spare = np.ones(unaided.rows, dtype=bool), unaided.rows - groups.real_rows
    return _wrong(columns_miscounted(form, unaided, everybody, step, spare=max(spare, 0)))


def _wrong(columns: Iterable[str]) -> Found:
    found = ", ".join(map(repr, columns))
    return Found({f"not so: {found}": bool(found)})
