"""Share of one person: nine of the ten rows are Bob's.

k-anonymity counts people. A group with nine rows of Bob and one of Eve has two people and is
2-anonymous; yet whoever knows that Bob is in the group and picks a row is right in nine of ten
cases, not in one of two. What Bob's rows say can then be told apart from what Eve's say, and the
values that fill the group are mostly his. It happens where people have many events: frequent
visitors of a clinic, cards that are used every day.

The promise covers it only if ``max_share`` is set. Without it the audit prints the largest share.

Measured
    for every published group the largest share that one person has of its rows, and how many
    people have more than one in k somewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, distinct
from anachron.attacking.finding import Finding
from anachron.attacking.known import Known

__all__ = ["NEEDS", "Shares", "attack", "shares"]

NEEDS = "microdata"


@dataclass(frozen=True, eq=False)
class Shares:
    """How many rows each person has in each group: a place for each such pair."""

    person: Array
    rows: Array
    of: Array
    """All rows of the group."""

    def above(self, limit: Fraction) -> Array:
        """The people who have more than this share of some group."""
        many = self.rows * limit.denominator > self.of * limit.numerator
        return distinct(self.person[many])

    @property
    def largest(self) -> Fraction:
        """The largest share of all."""
        if not len(self.rows):
            return Fraction(0)
        at = int(np.argmax(self.rows / self.of))
        return Fraction(int(self.rows[at]), int(self.of[at]))


def shares(group: Array, person: Array) -> Shares:
    """Count the rows of each person in each group; both are numbers from 0, one for each row."""
    width = int(person.max(initial=0)) + 1
    key, rows = np.unique(group * width + person, return_counts=True)
    return Shares(key % width, rows, np.bincount(group, minlength=1)[key // width])


def attack(known: Known) -> Finding | None:
    """Find people whose rows fill a group."""
    members = known.members
    if members is None:
        return None
    promise, k = known.promise, int(known.promise["k"])
    limit = None if promise.get("max_share") is None else Fraction(promise["max_share"])
    found = shares(members.group, members.person)
    exposed = found.above(limit or Fraction(1, k))
    largest = found.largest
    return Finding(
        attack="share",
        title="Share of one person",
        knows="that a person is in a group",
        exposed=len(exposed),
        people=members.people,
        promised=f"at most {limit} of a group's rows are one person's"
        if limit
        else f"nothing: k = {k} counts people, not rows",
        measured=f"up to {largest} ({float(largest):.0%}); {len(found.above(Fraction(1, k))):,} "
        f"people have more than one in {k} of some group",
        holds=None if limit is None else largest <= limit,
        figures={
            "largest_share": round(float(largest), 4),
            "people_above_one_in_k": len(found.above(Fraction(1, k))),
            "people_above_half": len(found.above(Fraction(1, 2))),
        },
        about="Looks for people to whom most rows of a group belong.",
    )
