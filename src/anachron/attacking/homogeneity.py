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
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags, Floats
from anachron.attacking.finding import Finding
from anachron.attacking.known import Known
from anachron.attacking.members import members_of, value_promise
from anachron.auditing.reading.columns import ranked, whole

__all__ = ["NEEDS", "Alike", "alike", "attack", "near"]

NEEDS = "release"

_COUNT = "count"


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
    table, group = _rows(known)
    names = _sensitive(known)
    if not names or not len(group):
        return None
    promised = value_promise(known)
    count = whole(table[_COUNT], 0) if _is_anatomy(known) else np.ones(len(group), dtype=np.int64)
    one, close, broken = (np.zeros(int(group.max()) + 1, dtype=bool) for _ in range(3))
    least, share = len(group), Fraction(0)
    for name in names:
        value, _ = ranked(table[name])
        found = alike(group, value, count)
        one |= (found.different == 1) & (found.rows > 0)
        least = min(least, int(found.different.min()))
        at = int(np.argmax(found.most / np.maximum(found.rows, 1)))
        share = max(share, Fraction(int(found.most[at]), max(int(found.rows[at]), 1)))
        broken |= found.above(promised or Fraction(1))
        close |= _close(known, table[name], np.repeat(group, count), count, promised)
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
    figures: dict[str, int | float | str],
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


def _rows(known: Known) -> tuple[pa.Table, Array]:
    """The table with sensitive values, and the number of each row's group."""
    table = known.release.table("sensitive" if _is_anatomy(known) else "data")
    columns = ["group", *(shape.column for shape in known.release.form.layout.shapes)]
    key = np.zeros(len(table), dtype=np.int64)
    for name in columns:
        rank, domain = ranked(table[name])
        key = np.unique(key * (len(domain) + 1) + rank, return_inverse=True)[1]
    return table, key


def _is_anatomy(known: Known) -> bool:
    return bool(known.release.guarantee.get("then") == "anatomy")


def _sensitive(known: Known) -> list[str]:
    columns = known.release.description["anachron"]["columns"]
    return [name for name, meaning in columns.items() if meaning["role"] == "sensitive"]


def _close(
    known: Known, column: pa.ChunkedArray, group: Array, count: Array, promised: Fraction | None
) -> Flags:
    """The groups of which too many rows have about the same number, if it is one."""
    groups = int(group.max(initial=-1)) + 1
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return np.zeros(groups, dtype=bool)
    cast = pc.cast(column, pa.float64(), safe=False).fill_null(np.nan)
    number = np.repeat(np.asarray(cast, dtype=np.float64), count)
    noise = known.promise.get("noise")
    tolerance = float(noise) if noise is not None else _tolerance(number)
    share = near(group, number, tolerance)
    # Without a promise: more likely than not.
    crowded = share > max(float(promised or 0), 0.5) + 1e-12
    return np.bincount(group[crowded], minlength=groups) > 0


def _tolerance(number: Floats) -> float:
    there = number[~np.isnan(number)]
    low, high = np.quantile(there, [0.05, 0.95]) if len(there) else (0.0, 0.0)
    return float(high - low) / 20


def _people(known: Known, group: Array, count: Array, wrong: Flags) -> tuple[int, int]:
    """How many people are in these groups, and in all; rows, if nobody can tell people apart."""
    members = members_of(known)
    if members is None or len(members.group) + len(members.spare[0]) != count.sum():
        return int(count[wrong[group]].sum()), int(count.sum())
    inside = wrong[members.group]
    return len(np.unique(members.person[inside])), members.people
