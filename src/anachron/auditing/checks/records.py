"""Are published rows those of the records of a feed, in the snapshots where they belong?"""

from __future__ import annotations

from anachron.arrays import distinct
from anachron.auditing.check import Found, check, every
from anachron.auditing.evidence.compared import rows_of_nobody
from anachron.auditing.evidence.laid import Laid
from anachron.auditing.evidence.nobody import strange_in_passing
from anachron.auditing.evidence.people import RegisterPeople
from anachron.auditing.evidence.register import RegisterState
from anachron.auditing.evidence.shown import Shown
from anachron.auditing.reading.feed import feed_rows, told
from anachron.auditing.reading.form import Feed
from anachron.auditing.reading.pieces import Published
from anachron.behind import Large, Microdata


@check("records", "records of each snapshot")
def published(laid: Laid) -> Found:
    """in each snapshot its own records, less those listed elsewhere, with those listed there

    Where it is known who was dropped, none of those who were planned may lack.
    """
    found, planned = laid.found, laid.planned
    wrong = found.differs(laid.may_lack)
    if laid.known and not wrong and planned.values.missing + planned.quasi.missing:
        wrong, found = True, planned
    texts = [
        f"{part.missing:,} {name} missing, {part.strange:,} of nobody"
        for name, part in (("values", found.values), ("quasi rows", found.quasi))
        if part.missing or part.strange
    ]
    return Found({"; ".join(texts): wrong}, f"{laid.found.published:,} records")


@check("records", "published values and quasi rows")
def could_be_published(
    form: Feed, rows: Shown, published: Published, unaided: Microdata | Large
) -> Found:
    """rows of records of their snapshot or one of the {form.earlier:,} before"""
    if isinstance(unaided, Large):
        strange = strange_in_passing(form, published, unaided)
    else:
        strange = rows_of_nobody(form, feed_rows(form), unaided)
    return Found({"of nobody": strange}, f"{rows.rows:,} rows")


@check("one record each", "records of one person in a published snapshot")
def one_record_each(laid: Laid) -> Found:
    """one record of each person in a snapshot"""
    return Found({"records too many": max(laid.planned.twice - laid.lacking, 0)})


@check("on time", "largest share of one value among those on time")
def diverse_on_time(form: Feed, laid: Laid) -> Found | None:  # noqa: ARG001
    """at most one in {form.promise.l}, in each snapshot and each group"""
    found = laid.on_time
    if found is None:
        return None
    judged = f"; {found.unknown:,} groups cannot be judged" if found.unknown else ""
    return Found(
        {
            f"more in {found.wrong:,} of {found.snapshots:,} snapshots": bool(found.wrong),
            "one value too often": every(found.alone),
        },
        told(found.largest) + judged,
        found.alone,
    )


@check("coverage", "records in their groups")
def covered(laid: Laid) -> Found | None:
    """every record in the intervals of a group, behind a row of its own with its value"""
    found, planned = laid.found, laid.planned
    if found.outside is None or planned.outside is None:
        return None
    return Found(
        {
            "records in no box with a row for them": 0
            if laid.may_lack and not laid.known
            else planned.outside,
            "rows of nobody": every(found.empty),
        },
        groups=found.empty,
    )


@check("linked", "values of the groups of records")
def linked(laid: Laid) -> Found | None:
    """in each group the values of its rows"""
    if laid.found.outside is not None or laid.found.linked is None:
        return None
    return Found({"others": every(laid.found.linked)}, groups=laid.found.linked)


@check("records", "records of people in the release")
def of_everyone(state: RegisterState, people: RegisterPeople) -> Found:
    """a record of everyone, of the snapshot that the ledger remembers"""
    present = len(state.present)
    missing = present - len(distinct(people.place[people.place >= 0]))
    return Found({"people without one": missing}, f"{present:,} people")
