"""Homogeneity: whoever is in the group has the value, whichever row is theirs.

If all five people of a group have diabetes, nobody needs to know which row is Ann's: she has
diabetes. The same goes for numbers that are nearly equal. Wages of 2010, 2015 and 2020 are three
different values, and all say "about two thousand"; 55, 54.99 and 55.01 all say 55. The first is
called homogeneity (Machanavajjhala et al., *l-Diversity*, ICDE 2006), the second proximity
(Li, Tao, Xiao: *Preservation of Proximity Privacy*, SIGMOD 2008).

k-anonymity promises nothing against it. Feeds (l), registers (m) and series with ``l`` promise that
at most one in l rows of a group has the same value; about nearly equal numbers they promise
nothing, except series with ``noise``.

Measured
    for each group the number of different values and the largest share of one; for numbers, the
    largest share within a tolerance: ``noise`` if it is set, else a twentieth of the range in which
    nine in ten of the published numbers lie. Rows of a pattern in a group are one group.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags, Floats, distinct
from anachron.attacking.finding import Figures, Finding
from anachron.attacking.known import Known
from anachron.auditing.reading.columns import ranked, whole
from anachron.behind import Attribute
from anachron.published.coded import same_codes
from anachron.published.layouts import COUNT

__all__ = ["NEEDS", "Alike", "alike", "attack", "near"]

NEEDS = "release"


@dataclass(frozen=True, eq=False)
class Alike:
    """How alike the values of each group are."""

    rows: Array
    different: Array
    """How many different values there are: l, in the simplest sense."""
    most: Array
    """How many rows have the most frequent one."""

    def above(self, limit: Fraction) -> Flags:
        """The groups of which more than this share has the same value."""
        return self.most * limit.denominator > self.rows * limit.numerator


def alike(group: Array, value: Array, count: Array) -> Alike:
    """Measure groups, given how often each value is in each; all are numbers from 0."""
    groups = int(group.max(initial=-1)) + 1
    width = int(value.max(initial=0)) + 1
    cell, at = np.unique(group * width + value, return_inverse=True)
    many = np.bincount(at, count).astype(np.int64)
    most = np.zeros(groups, dtype=np.int64)
    np.maximum.at(most, cell // width, many)
    rows = np.bincount(group, count, groups).astype(np.int64)
    return Alike(rows, np.bincount(cell // width, minlength=groups), most)


def near(group: Array, number: Floats, tolerance: float) -> Floats:
    """Of each row: which share of its group has a number no farther than the tolerance."""
    missing = np.isnan(number)
    domain, rank = np.unique(np.where(missing, 0.0, number), return_inverse=True)
    here, wide = np.where(missing, 0.0, number), len(domain) + 1
    first = np.searchsorted(domain, here - tolerance, side="left")
    end = np.searchsorted(domain, here + tolerance, side="right")
    key = np.sort((group * wide + rank)[~missing])
    base = group * wide
    about = np.searchsorted(key, base + end) - np.searchsorted(key, base + first)
    share: Floats = about / np.bincount(group, minlength=1)[group]
    return np.where(missing, 0.0, share)


def attack(known: Known) -> Finding | None:
    """Find groups that have one value, or nearly one."""
    group, count, columns = _published(known)
    if not columns or not len(group):
        return None
    promised = known.value_share
    one, close, broken = (np.zeros(int(group.max()) + 1, dtype=bool) for _ in range(3))
    least, share = len(group), Fraction(0)
    for column in columns:
        found = alike(group, column.code, count)
        one |= (found.different == 1) & (found.rows > 0)
        least = min(least, int(found.different.min()))
        at = int(np.argmax(found.most / np.maximum(found.rows, 1)))
        share = max(share, Fraction(int(found.most[at]), max(int(found.rows[at]), 1)))
        broken |= found.above(promised or Fraction(1))
        if column.numbers is not None:
            close |= _close(known, np.repeat(group, count), np.repeat(column.numbers, count))
    wrong = broken if promised else one
    return _finding(known, promised, wrong, _people(known, group, count, wrong | close), {
        "groups": len(one),
        "groups_with_one_value": int(one.sum()),
        "groups_with_nearly_one_value": int(close.sum()),
        "people_by_one_value": _people(known, group, count, wrong)[0],
        "fewest_different_values": least,
        "largest_share": round(float(share), 4),
    })  # fmt: skip


def _finding(
    known: Known,
    promised: Fraction | None,
    wrong: Flags,
    people: tuple[int, int],
    figures: Figures,
) -> Finding:
    rule = "in no group more than {} of the rows with the same value"
    covered = promised is not None and known.promise.get("diversity") != "paper"
    return Finding(
        attack="homogeneity",
        title="Groups with one value, or nearly one",
        knows="in which group a person is",
        exposed=people[0],
        people=people[1],
        promised=rule.format(promised) if promised else "nothing: k counts people, not values",
        measured=f"{figures['groups_with_one_value']:,} of {figures['groups']:,} groups have one "
        f"value, {figures['groups_with_nearly_one_value']:,} nearly one; at least "
        f"{figures['fewest_different_values']} different, largest share {figures['largest_share']}",
        holds=not wrong.any() if covered else None,
        figures=figures,
        about="Looks for groups whose people all have the same sensitive value, or nearly so.",
    )


def _published(known: Known) -> tuple[Array, Array, list[Attribute]]:
    """The groups of published values, how often each occurs there, and the values by column."""
    groups, layout = known.groups, known.groups.form.layout
    name = layout.table_of("sensitive")
    table, group = groups.tables[name], groups.of[name]
    # As members are numbered: rows of a pattern in a group are one group.
    group = same_codes([group, *(ranked(table[shape.column])[0] for shape in layout.shapes)])
    sensitive = [way for way in groups.form.columns.values() if way.role == "sensitive"]
    count = whole(table[COUNT], 0) if COUNT in layout.tables[name] else np.ones_like(group)
    return group, count, [Attribute(way.column, *ranked(table[way.column])) for way in sensitive]


def _close(known: Known, group: Array, number: Floats) -> Flags:
    """The groups of which too many rows have about the same number."""
    noise = known.promise.get("noise")
    share = near(group, number, _tolerance(number) if noise is None else float(noise))
    # Without a promise: more likely than not.
    crowded = share > max(float(known.value_share or 0), 0.5) + 1e-12
    return np.bincount(group[crowded], minlength=int(group.max()) + 1) > 0


def _tolerance(number: Floats) -> float:
    there = number[~np.isnan(number)]
    low, high = np.quantile(there, [0.05, 0.95]) if len(there) else (0.0, 0.0)
    return float(high - low) / 20


def _people(known: Known, group: Array, count: Array, wrong: Flags) -> tuple[int, int]:
    """How many people are in these groups, and in all; rows, if nobody can tell people apart."""
    members = known.members
    if members is None or len(members.group) + len(members.spare[0]) != count.sum():
        return int(count[wrong[group]].sum()), int(count.sum())
    inside = wrong[members.group]
    return len(distinct(members.person[inside])), members.people
