"""What an adversary learns who knows values and shape of a person: measured, not assumed.

==============  ==========================================================================
b               rows of the possible set with the person's sensitive value
e               groups with a row in the possible set
by Equation 1   b / (P · e), of Shou et al.
by count        b / rows of the possible set, which it stands for and never exceeds
==============  ==========================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Floats, distinct
from anachron.auditing.evidence.possible import MANY, expanded, meetings_of, possible
from anachron.auditing.evidence.series import Own
from anachron.auditing.evidence.standing import Ranges
from anachron.auditing.reading.columns import floats, is_number
from anachron.auditing.reading.form import Series
from anachron.auditing.reading.series import SeriesRows

__all__ = ["Attacks", "attacked", "breaches", "crowded", "people_in_crowds"]

_PEOPLE = 5_000
"""So many people are attacked; of more, some from all over the table."""


@dataclass(frozen=True, eq=False)
class Attacks:
    """What was found about each person that was attacked and could be in the release."""

    rows: Array
    """The rows of the possible set."""
    groups: Array
    """The groups that they are of."""
    own: Array
    """Rows with the person's sensitive value."""
    continued: Floats
    """The chance that the value nearest to the last of the series is the person's."""


def attacked(rows: SeriesRows, own: Own, ranges: Ranges) -> Attacks:
    """Attack some people, the same ones each time."""
    some = np.unique(np.linspace(0, len(own) - 1, min(len(own), _PEOPLE)).astype(np.int64))
    meetings = meetings_of(rows, own, some)
    if meetings.pairs > MANY:
        some = some[:: meetings.pairs // MANY + 1]
        meetings = meetings_of(rows, own, some)
    who, subgroup = possible(rows, own, some, meetings)
    size = np.bincount(who, rows.size[subgroup], len(some)).astype(np.int64)
    pair = distinct(who * (int(rows.group.max(initial=0)) + 1) + rows.subgroup_group[subgroup])
    groups = np.bincount(pair // (int(rows.group.max(initial=0)) + 1), minlength=len(some))
    mine, continued = _values(rows, own, ranges, some, (who, subgroup))
    there = size > 0
    return Attacks(size[there], groups[there], mine[there], continued[there])


def _values(
    rows: SeriesRows, own: Own, ranges: Ranges, some: Array, pairs: tuple[Array, Array]
) -> tuple[Array, Floats]:
    """Rows of the possible sets with the person's value, and how well its continuation is told."""
    who, subgroup = pairs
    by_subgroup = np.argsort(rows.subgroup, kind="stable")
    stop = np.cumsum(rows.size)
    number = _number(rows)
    mine, best = np.zeros(len(some), dtype=np.int64), np.full(len(some), np.inf)
    hits, near = np.zeros(len(some)), np.zeros(len(some))
    # The pairs of a person stand together, but two turns may share one.
    for nth, place in expanded((stop - rows.size)[subgroup], stop[subgroup]):
        one, row = who[nth], by_subgroup[place]
        code = rows.value.code[row]
        right = (ranges.first[some[one]] <= code) & (code < ranges.end[some[one]])
        mine += np.bincount(one[right], minlength=len(some))
        if number is None:
            continue
        away = np.abs(number[row] - own.last[some[one]])
        away[np.isnan(away)] = np.inf
        least = best.copy()
        np.minimum.at(least, one, away)
        hits[least < best] = near[least < best] = 0
        best = least
        nearest = away == best[one]
        near += np.bincount(one[nearest], minlength=len(some))
        hits += np.bincount(one[nearest & right], minlength=len(some))
    return mine, hits / np.maximum(near, 1)


def _number(rows: SeriesRows) -> Floats | None:
    """The sensitive value of each row, if it is one number that could continue a series."""
    if len(rows.sensitive) != 1:
        return None
    (column,) = rows.sensitive
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        return None
    return floats(column)


def breaches(form: Series, rows: SeriesRows, attacks: Attacks) -> dict[str, int | str]:
    """Give the largest breach probabilities, of rows and of sensitive values."""
    if not len(attacks.rows):
        return {}
    formula = form.promise.P * attacks.groups
    figures: dict[str, int | str] = {
        "people_attacked": len(attacks.rows),
        "largest_breach": f"{1 / int(attacks.rows.min()):.4f}",
        "largest_breach_by_formula": f"{1 / int(formula.min()):.4f}",
        "largest_posterior": f"{1 / int(attacks.rows.min()):.4f}",
    }
    if form.sensitive:
        figures["largest_value_breach"] = f"{float((attacks.own / attacks.rows).max()):.4f}"
        figures["largest_posterior"] = figures["largest_value_breach"]
        formulas = np.minimum(attacks.own / formula, 1.0)
        figures["largest_value_breach_by_formula"] = f"{float(formulas.max()):.4f}"
    if _number(rows) is not None:
        figures["found_by_last_value"] = f"{float(attacks.continued.mean()):.4f}"
    return figures


_ROUNDING = 2 * float(np.finfo(np.float64).eps)
_TURN = 1 << 15


def people_in_crowds(form: Series, rows: SeriesRows, own: Own) -> int:
    """For how many people more than one in l rows of the possible set have the same value."""
    everyone, dense = np.arange(len(own)), crowded(form, rows, 0.0)
    # Whoever finds no crowd in any subgroup finds none in all of them together.
    near = possible(rows, own, everyone, meetings_of(rows, own, everyone, dense))
    some = distinct(near[0])
    wrong = 0
    for at in range(0, len(some), _TURN):
        people = some[at : at + _TURN]
        pairs = possible(rows, own, people, meetings_of(rows, own, people))
        wrong += _crowds(form, rows, len(people), *pairs)
    return wrong


def _crowds(form: Series, rows: SeriesRows, people: int, who: Array, subgroup: Array) -> int:
    """For how many people a value is too frequent among all rows of their subgroups."""
    wide = int(rows.value.kind.max(initial=0)) + 1
    key, count = np.unique(rows.subgroup * wide + rows.value.kind, return_counts=True)
    start, stop = (np.searchsorted(key // wide, subgroup, side=s) for s in ("left", "right"))
    size = np.bincount(who, rows.size[subgroup], people).astype(np.int64)
    owner, many = [], []
    for pair, cell in expanded(start, stop):
        owner.append(who[pair] * wide + key[cell] % wide)
        many.append(count[cell])
    if not owner:
        return 0
    values, place = np.unique(np.concatenate(owner), return_inverse=True)
    total = np.bincount(place, np.concatenate(many)).astype(np.int64)
    too_many = total * (form.promise.l or 1) > size[values // wide]
    return len(distinct(values[too_many] // wide))


def crowded(form: Series, rows: SeriesRows, distance: float) -> Flags:
    """Whether more than one in l rows of a subgroup lie around some number, a row's or not."""
    number = rows.value.kind.astype(np.float64)
    if distance:
        column = rows.sensitive[0]
        if not is_number(column.type):
            return np.ones(len(rows.size), dtype=bool)
        number = floats(column)
        distance += _ROUNDING * float(np.nanmax(np.abs(number), initial=0.0))
    domain, rank = np.unique(number, return_inverse=True)
    # Those around a number reach from the lowest of them over twice the distance.
    end = np.searchsorted(domain, number + 2 * distance, side="right")
    wide = len(domain) + 1
    key = np.sort(rows.subgroup * wide + rank)
    base = rows.subgroup * wide
    about = np.searchsorted(key, base + end) - np.searchsorted(key, base + rank)
    wrong = about * (form.promise.l or 1) > rows.size[rows.subgroup]
    return np.bincount(rows.subgroup[wrong], minlength=len(rows.size)) > 0
