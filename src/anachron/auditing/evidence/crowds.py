"""Do those whom a reader cannot tell apart have different sensitive values?"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags
from anachron.auditing.evidence.possible import expanded, meetings_of, possible
from anachron.auditing.evidence.series import Own
from anachron.auditing.reading.columns import is_number
from anachron.auditing.reading.form import Series
from anachron.auditing.reading.series import SeriesRows

__all__ = ["crowded", "people_in_crowds"]


_ROUNDING = 2 * float(np.finfo(np.float64).eps)


_TURN = 1 << 15


def people_in_crowds(form: Series, rows: SeriesRows, own: Own) -> int:
    """For how many people more than one in l rows of the possible set have the same value."""
    everyone, dense = np.arange(len(own)), crowded(form, rows, 0.0)
    # Whoever finds no crowd in any subgroup finds none in all of them together.
    near = possible(rows, own, everyone, meetings_of(rows, own, everyone, dense))
    some = np.unique(near[0])
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
    return len(np.unique(values[too_many] // wide))


def crowded(form: Series, rows: SeriesRows, distance: float) -> Flags:
    """Whether more than one in l rows of a subgroup lie around some number, a row's or not."""
    number = rows.value.kind.astype(np.float64)
    if distance:
        column = rows.sensitive[0]
        if not is_number(column.type):
            return np.ones(len(rows.size), dtype=bool)
        cast = pc.cast(column, pa.float64(), safe=False).fill_null(np.nan)
        number = np.asarray(cast, dtype=np.float64)
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
