"""Who is alone by what was published: for the owner's ledger, and never part of the release.

The promise may be kept while most people have a row that nobody shares, because content is
published as it is. Whoever publishes should hear of it before others find out.
"""

from __future__ import annotations

from fractions import Fraction

from anachron.attacking.known import Known
from anachron.attacking.uniqueness import (
    Alone,
    By,
    alone_in_passing,
    alone_in_snapshots,
    found_alone,
)
from anachron.behind import Large, Microdata
from anachron.published.ways import Snapshots
from anachron.registry import METHODS
from anachron.release import Release

__all__ = ["MANY", "notes_of", "opened_by"]

MANY = Fraction(1, 20)
"""If more than this share of people is alone, the owner is told so. Those who are alone are found
for certain: with one in 20 of them, the mean chance to be found is that of groups of 20 people, and
larger groups are hardly ever asked for. Below it, the attack and the certificate tell the number.
"""
_WHY: dict[By, str] = {
    "content": "whoever knows all of it but one column finds their row, and learns that one. "
    "Published as they are: {columns}. Name in schema.quasi what an outsider may know of a person, "
    "or keep it home",
    "quasi": "whoever knows {columns} of a person{when} finds the row, though not "
    "the value. To hide who has a row, publish intervals, with then = 'generalize'",
    "shape": "whoever knows values and shape of a person's series finds the row. Raise P",
    "group": "their group has nobody else. Raise what is promised, or publish fewer columns",
}


def opened_by(release: Release, microdata: Microdata | Large | None) -> Alone | None:
    """Count who is alone by what a release publishes: people, where the table tells them apart."""
    applies = "uniqueness" in METHODS[release.guarantee["method"]].attacks
    layout = release.form.layout
    if layout.apart and Snapshots in layout.ways:
        return alone_in_snapshots(release)
    if isinstance(microdata, Large):
        alone = Known(release)
        if not (applies and _can_be(alone)):
            return None
        # Where everyone has one row, the release tells as much as the table does.
        timed = any(way.role == "time" for way in alone.release.form.columns.values())
        return alone_in_passing(release, microdata) if timed else found_alone(alone)
    known = Known(release, microdata=microdata)
    return found_alone(known) if applies and _can_be(known) else None


def _can_be(known: Known) -> bool:
    """Whether the promise, which was verified just now, leaves room for somebody to be alone.

    Groups of registers and of boxes have two rows at least, and where no row is counterfeit, two
    people. One column of content is the secret itself.
    """
    form, promise = known.release.form, known.promise
    content = sum(way.role == "sensitive" for way in form.columns.values())
    return (
        (known.value_share is None and content > 1)
        or form.layout.apart
        or bool(form.facts.get("counterfeits"))
        or int(promise.get("P", promise.get("k", 2))) < 2
    )


def notes_of(found: Alone | None) -> list[str]:
    """Say how many are alone, by which columns, and what helps; nothing if they are few."""
    if found is None or found.exposed <= MANY * found.people:
        return []
    whom = f"{found.exposed:,} of {found.people:,} {found.counted}"
    when = ", and when it happened," if found.timed else ""
    why = _WHY[found.by].format(columns=", ".join(map(repr, found.columns)), when=when)
    return [f"{whom} ({100 * found.share:.1f} %) are alone by what is published: {why}"]
