"""Are published rows those of the records of a feed, in the snapshots where they belong?"""

from __future__ import annotations

import numpy as np

from anachron.arrays import distinct
from anachron.auditing.check import Found, check
from anachron.auditing.evidence.compared import rows_of_nobody
from anachron.auditing.evidence.feed import UNKNOWN, FeedState
from anachron.auditing.evidence.laid import Laid, on_time
from anachron.auditing.evidence.people import RegisterPeople
from anachron.auditing.evidence.register import RegisterState
from anachron.auditing.reading.columns import exceeds
from anachron.auditing.reading.feed import FeedRows, largest_told
from anachron.auditing.reading.form import Feed
from anachron.behind import Microdata


@check("records", "records of each snapshot")
def published(laid: Laid) -> Found:
    """in each snapshot its own records, less those listed elsewhere, with those listed there

    Where it is known who was dropped, none of those who were planned may lack.
    """
    found = laid.found.compared
    wrong = found.differs(laid.may_lack)
    planned = laid.planned.compared
    if laid.known and not wrong and planned.values.missing + planned.quasi.missing:
        wrong, found = True, planned
    texts = [
        f"{part.missing:,} {name} missing, {part.strange:,} of nobody"
        for name, part in (("values", found.values), ("quasi rows", found.quasi))
        if part.missing or part.strange
    ]
    published = int((laid.found.at.there >= 0).sum())
    return Found({"; ".join(texts): wrong}, f"{published:,} records")


@check("records", "published values and quasi rows")
def could_be_published(form: Feed, rows: FeedRows, unaided: Microdata) -> Found:
    """rows of records of their snapshot or one of the {form.earlier:,} before"""
    strange = rows_of_nobody(form, rows, unaided)
    return Found({"of nobody": strange}, f"{len(rows.row_group):,} rows")


@check("one record each", "records of one person in a published snapshot")
def one_record_each(laid: Laid, state: FeedState) -> Found:
    """one record of each person in a snapshot"""
    records, there = laid.planned.records, laid.planned.at.there
    several = np.bincount(records.person, minlength=1) > 1
    rows = np.flatnonzero(several[records.person] & (there != UNKNOWN))
    key = np.sort(records.person[rows] * max(state.size, 1) + there[rows])
    twice = max(int((key[1:] == key[:-1]).sum()) - laid.lacking, 0)
    return Found({"records too many": twice})


@check("on time", "largest share of one value among those on time")
def diverse_on_time(form: Feed, rows: FeedRows, laid: Laid) -> Found | None:
    """at most one in {form.promise.l}, in each snapshot and each group"""
    if not form.promise.careful or (laid.may_lack and not laid.known):
        return None
    found = on_time(form, rows, laid.planned)
    limit = 1 / form.promise.l
    wrong = exceeds(found.most, found.size, limit)
    alone = exceeds(found.group_most, found.group_size, limit) & found.known
    unknown = int((~found.known).sum())
    judged = f"; {unknown:,} groups cannot be judged" if unknown else ""
    return Found(
        {
            f"more in {int(wrong.sum()):,} of {len(wrong):,} snapshots": bool(wrong.any()),
            "one value too often": alone,
        },
        largest_told(*found.together) + judged,
        rows.number,
    )


@check("coverage", "records in their groups")
def covered(rows: FeedRows, laid: Laid) -> Found | None:
    """every record in the intervals of a group, behind a row of its own with its value"""
    found, planned = laid.found.coverage, laid.planned.coverage
    if found is None or planned is None:
        return None
    outside = 0 if laid.may_lack and not laid.known else planned.outside
    return Found(
        {
            "records in no box with a row for them": outside,
            "rows of nobody": found.empty,
        },
        groups=rows.number,
    )


@check("linked", "values of the groups of records")
def linked(rows: FeedRows, laid: Laid) -> Found | None:
    """in each group the values of its rows"""
    if laid.found.coverage is not None or laid.found.compared.linked is None:
        return None
    return Found({"others": laid.found.compared.linked}, groups=rows.number)


@check("records", "records of people in the release")
def of_everyone(state: RegisterState, people: RegisterPeople) -> Found:
    """a record of everyone, of the snapshot that the ledger remembers"""
    present = len(state.present)
    missing = present - len(distinct(people.place[people.place >= 0]))
    return Found({"people without one": missing}, f"{present:,} people")
