"""The people of the microdata in the groups of a register, and how new ones came to their values.

Whoever knows that the youngest with a value go to the first set can tell who has which. A fair draw
leaves no trace: among the new people with one value, those of each set have about as many with low
quasi values as those of the others. The audit counts, for each quasi column, who lies below the
median, and asks how likely such a difference is by chance. It speaks only where there are enough
people to tell, and only if chance is practically out of the question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Codes, Flags, distinct
from anachron.auditing.evidence.apart import in_rows, without_row
from anachron.auditing.evidence.boxes import axes_of
from anachron.auditing.evidence.register import Book, RegisterState, found_in
from anachron.auditing.history import History
from anachron.auditing.reading.columns import coded, of_loaded, whole
from anachron.auditing.reading.form import Register
from anachron.auditing.reading.register import RegisterGroups
from anachron.auditing.reading.spelled import names_of, places_in
from anachron.behind import Microdata

__all__ = [
    "Draw",
    "RegisterPeople",
    "draw_of",
    "excess",
    "inside",
    "people_in_no_group",
    "people_of",
    "register_values",
]

_PIECE = 1 << 22
"""Pairs of people and groups that are compared at once."""


@dataclass(frozen=True, eq=False)
class RegisterPeople:
    """The rows of the microdata, laid against the state of a release."""

    doubles: int
    """Rows of people who have another."""
    place: Array
    """The place of each row's person in the state; -1 for who is not remembered."""
    group: Array
    """The place of the published group of each row; -1 for none."""
    value: Array
    """As a place among the published values; -1 for one that is not published."""
    mark: Array
    """Of each row's value, as a number of the book."""

    def held(self, state: RegisterState) -> Flags:
        """Whose row is not published."""
        held: Flags = np.append(state.group, 0)[self.place] == 0
        return held


def people_of(
    table: Microdata, groups: RegisterGroups, state: RegisterState, book: Book, history: History
) -> RegisterPeople:
    """Recognise the people of the microdata."""
    who = history.pseudonyms(table.subject_values)
    _, names = names_of(table, exact=groups.exact)
    place = found_in(who, state.subject)[table.subject]
    group = np.append(state.group, 0)[place]
    value, column = register_values(table, groups)
    mark = _marks_of(column.dictionary, groups, book, history.marks)
    return RegisterPeople(
        doubles=table.rows - min(names, len(pc.unique(who))),
        place=place,
        group=np.where(group > 0, groups.places(group), -1),
        value=value,
        mark=mark[whole(column.indices, -1)],
    )


def register_values(loaded: Microdata, groups: RegisterGroups) -> tuple[Array, pa.DictionaryArray]:
    """Each row's sensitive value as a place among the published ones, and as it is."""
    found = coded(of_loaded(loaded).column(0))
    place = np.append(places_in(groups.domain, found.dictionary, exact=groups.exact), -1)
    return place[whole(found.indices, -1)], found


def _marks_of(
    values: pa.Array, groups: RegisterGroups, book: Book, marks: Callable[[pa.Array], pa.Array]
) -> Array:
    """The mark of each value, as a number of the book: of the spelling that is remembered."""
    texts = pa.array(list(book.texts), pa.string())
    place = places_in(texts, values, exact=groups.exact)
    own = values.cast(pa.string())
    known = texts.take(pa.array(np.maximum(place, 0))) if len(texts) else own
    return book.marks_of(marks(pc.if_else(pa.array(place >= 0), known, own)))


def inside(
    form: Register, loaded: Microdata, groups: RegisterGroups, rows: Array, group: Array
) -> Flags:
    """Tell whether these groups can hold these rows, by their intervals or by their own rows."""
    if groups.apart is not None:
        return in_rows(form, groups.apart, loaded, rows, group)
    held = np.ones(len(rows), dtype=bool)
    for point, first, last in zip(*_axes(form, loaded, groups), strict=True):
        held &= (first[group] <= point[rows]) & (point[rows] <= last[group])
    return held


def people_in_no_group(
    form: Register, groups: RegisterGroups, loaded: Microdata, value: Array
) -> int:
    """How many people no group holds that has their value."""
    if groups.apart is not None:
        return without_row(form, groups, groups.apart, loaded, value)
    axes = list(zip(*_axes(form, loaded, groups), strict=True))
    homeless = int((value < 0).sum())
    # Boxes of a register overlap: most pairs of a person and a group hold, and are only counted.
    for code in distinct(value[value >= 0]).tolist():
        group = groups.owner[groups.value == code]
        rows = np.flatnonzero(value == code)
        piece = max(_PIECE // max(len(group), 1), 1)
        for at in range(0, len(rows), piece):
            some = rows[at : at + piece]
            held = np.ones((len(some), len(group)), dtype=bool)
            for point, first, last in axes:
                here = point[some][:, None]
                held &= (first[group] <= here) & (here <= last[group])
            homeless += int((~held.any(axis=1)).sum())
    return homeless


def _axes(
    form: Register, loaded: Microdata, groups: RegisterGroups
) -> tuple[list[Array], list[Array], list[Array]]:
    columns = [loaded.quasi[interval.column] for interval in form.intervals]
    return axes_of(form.intervals, columns, groups)


_ENOUGH = 40
"""So many people with a value are needed in a set, and a few of them on either side."""
_FEW = 5
_BEYOND = 8.0
"""Standard deviations beyond what chance gives: about one in a thousand million million."""


@dataclass(frozen=True)
class Draw:
    """How the draw looks, in the column that looks worst."""

    column: str
    excess: float
    """By how many standard deviations sets differ more than by chance."""
    compared: int
    """People who could be compared."""

    @property
    def is_no_chance(self) -> bool:
        """Whether chance is practically out of the question."""
        return self.excess > _BEYOND


def draw_of(
    state: RegisterState, before: RegisterState | None, people: RegisterPeople, loaded: Microdata
) -> Draw:
    """Look at the new people of a release, column by column."""
    rows = np.flatnonzero(people.group >= 0)
    if before is not None:
        known = np.append(found_in(state.subject, before.subject) >= 0, True)
        rows = rows[~known[people.place[rows]]]
    place = people.place[rows]
    value, signature = state.mark[place], state.signature[place]
    worst = Draw("", 0.0, 0)
    for name, column in loaded.quasi.items():
        codes = column.codes[rows]
        found, compared = excess(value, signature, codes <= _median(codes))
        if compared and (found > worst.excess or not worst.compared):
            worst = Draw(name, found, compared)
    return worst


def _median(codes: Codes) -> float:
    """The code that comes nearest to halving these; codes ascend with the values."""
    if not len(codes):
        return 0.0
    counts = np.cumsum(np.bincount(codes))
    return float(np.abs(2 * counts - len(codes)).argmin())


def excess(value: Array, signature: Array, low: Flags) -> tuple[float, int]:
    """How much more sets differ than by chance, and how many people were compared."""
    wide = int(signature.max(initial=0)) + 1
    cell, place = np.unique(value * wide + signature, return_inverse=True)
    size, below = np.bincount(place), np.bincount(place[low], minlength=len(cell))
    owner = cell // wide
    kept = size >= _ENOUGH
    # Twice: shares are taken among those that are compared, and only among them.
    for _ in range(2):
        share = _shares(owner, size * kept, below * kept)
        kept &= (size * share >= _FEW) & (size * (1 - share) >= _FEW)
    share = _shares(owner, size * kept, below * kept)
    n, b, p = size[kept], below[kept], share[kept]
    freedom = int(kept.sum()) - len(distinct(owner[kept]))
    if freedom < 1 or not ((p > 0) & (p < 1)).all():
        return 0.0, 0
    distance = float(((b - n * p) ** 2 / (n * p * (1 - p))).sum())
    # Wilson and Hilferty: the cube root of a chi-square is nearly normal.
    spread = 2 / (9 * freedom)
    return ((distance / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread), int(n.sum())


def _shares(
    owner: Array, size: Array, below: Array
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """For each cell, the share of those below among all people with its value."""
    _, place = np.unique(owner, return_inverse=True)
    total = np.bincount(place, size)
    return (np.bincount(place, below) / np.maximum(total, 1))[place]
