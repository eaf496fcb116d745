"""Is each published row that of one person, with his own values, shape and sensitive value?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check
from anachron.auditing.verify.findings import such_as, witnesses
from anachron.auditing.verify.invariance_groups import places
from anachron.auditing.verify.patterns_letters import spelled
from anachron.auditing.verify.patterns_possible import (
    MANY,
    covered,
    expanded,
    meetings_of,
    possible,
)
from anachron.auditing.verify.patterns_rows import Published, named, places_of, shown
from anachron.auditing.verify.patterns_series import Own
from anachron.auditing.verify.patterns_shape import Shapes
from anachron.auditing.verify.reposition_matching import Ways, matched

__all__ = ["Ranges", "own_checks", "ranges_of", "suppressed_check", "unaided_check"]

_ROUNDING = 4 * float(np.finfo(np.float64).eps)

Pairs = tuple[Array, Array]


@dataclass(frozen=True, eq=False)
class Ranges:
    """Which published sensitive values may be those of each person: from ``first`` to ``end``."""

    first: Array
    end: Array


def ranges_of(shape: Shapes, rows: Published, own: Own) -> Ranges:
    """Find the published values of people: their own, or those that noise may make of them."""
    promise = shape.promise
    if promise.l is None or promise.diversity != "paper" or promise.noise is None:
        place = places_of(own.sensitive, len(own), rows.value)
        return Ranges(np.maximum(place, 0), place + 1)
    (column,) = own.sensitive
    mine = _numbers(column)
    theirs = _numbers(pa.chunked_array([rows.value.domains[0]]))
    noise = float(promise.noise) + _ROUNDING * float(np.abs(mine).max(initial=0.0))
    return Ranges(
        np.searchsorted(theirs, mine - noise, side="left"),
        np.searchsorted(theirs, mine + noise, side="right"),
    )


def _numbers(column: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    found = pc.cast(column, pa.float64(), safe=False).fill_null(np.nan)
    return np.asarray(found, dtype=np.float64)


def own_checks(rows: Published, own: Own, group: Array, ranges: Ranges) -> list[Check]:
    """Check the people of each group, which ``group`` gives the number of; 0 for none."""
    people = np.flatnonzero(group > 0)
    number = group[people]
    envelope = places(rows.number, number)
    inside = envelope >= 0
    inside[inside] = covered(rows, own, people[inside], envelope[inside])
    pairs = _in_group(rows, own, people, number)
    shaped = _has(pairs[0], len(people))
    of, to, room = _ways(rows, ranges, people, pairs)
    valued = _has(of, len(people))
    without, empty = matched(Ways(valued.astype(np.int64), room, of, to))

    def check(name: str, wrong: Flags, promised: str, about: str) -> Check:
        where = such_as(rows.number, np.isin(rows.number, number[wrong]))
        measured = f"{int(wrong.sum()):,} people not so{where}" if where else "as promised"
        found = witnesses(rows.number, np.isin(rows.number, number[wrong]))
        return Check(name, not wrong.any(), promised, measured, about, found)

    vacant, where = _vacant(rows, empty)
    return [
        check("coverage", ~inside, "values in the envelope of the group", "values of people"),
        check("shape", ~shaped, "the own pattern at the published level", "patterns of people"),
        check("value", shaped & ~valued, "the own value", "sensitive values of people"),
        Check(
            "rows",
            not without and not vacant,
            "one person behind each row, and one row for each",
            f"{without:,} people without a row; nobody behind a row{vacant}"
            if without or vacant
            else f"{len(people):,} people",
            "people behind rows",
            where,
        ),
    ]


def unaided_check(rows: Published, own: Own, ranges: Ranges) -> tuple[Check, int]:
    """Check that each row can be that of another person, whoever that is.

    Gives the number of rows, too, for which that was not looked at: where very many people fit
    very many rows, it is asked of some subgroups from all over the table.
    """
    everyone = np.arange(len(own))
    meetings = meetings_of(rows, own, everyone)
    step = meetings.pairs // MANY + 1
    pairs = possible(rows, own, everyone, meetings.thinned(step))
    of, to, room = _ways(rows, ranges, everyone, pairs)
    wide, key = _width(rows), _cells(rows)[0]
    room[key // wide % step != 0] = 0
    _, empty = matched(Ways(_has(of, len(own)).astype(np.int64), room, of, to))
    vacant, where = _vacant(rows, empty)
    check = Check(
        "rows",
        not vacant,
        "for each row a person with such values, such a pattern and such a sensitive value",
        f"there is nobody{vacant}" if vacant else "as promised",
        "people behind rows",
        where,
    )
    return check, int((rows.subgroup % step != 0).sum())


def _in_group(rows: Published, own: Own, people: Array, group: Array) -> Pairs:
    """Pair people with the subgroups of their group whose pattern is theirs."""
    start = np.searchsorted(rows.subgroup_group, group, side="left")
    stop = np.searchsorted(rows.subgroup_group, group, side="right")
    letters, level = rows.subgroup_letters, rows.subgroup_level
    found = []
    for who, subgroup in expanded(start, stop):
        right = spelled(own.z, people[who], subgroup, letters, level)
        right &= ~rows.misspelled[subgroup]
        found.append((who[right], subgroup[right]))
    return (
        np.concatenate([np.zeros(0, dtype=np.int64), *(pair[0] for pair in found)]),
        np.concatenate([np.zeros(0, dtype=np.int64), *(pair[1] for pair in found)]),
    )


def _cells(rows: Published) -> tuple[Array, Array]:
    """Rows of a subgroup with the same sensitive values: a number for each such cell, and rows."""
    return np.unique(rows.subgroup * _width(rows) + rows.value.code, return_counts=True)


def _width(rows: Published) -> int:
    return int(rows.value.code.max(initial=0)) + 2


def _vacant(rows: Published, empty: Flags) -> tuple[str, tuple[str, ...]]:
    """Name groups with a cell that has more rows than people, if there is one."""
    wrong = np.zeros(len(rows.size), dtype=bool)
    wrong[_cells(rows)[0][empty] // _width(rows)] = True
    return named(rows, wrong), shown(rows, wrong)


def _ways(
    rows: Published, ranges: Ranges, people: Array, pairs: Pairs
) -> tuple[Array, Array, Array]:
    """From people and their subgroups to the cells that may hold their row."""
    key, room = _cells(rows)
    wide = _width(rows)
    who, subgroup = pairs
    first, end = ranges.first[people[who]], ranges.end[people[who]]
    start = np.searchsorted(key, subgroup * wide + first, side="left")
    stop = np.searchsorted(key, subgroup * wide + np.maximum(first, end), side="left")
    none = np.zeros(0, dtype=np.int64)
    found = [(none, none), *((who[at], cell) for at, cell in expanded(start, stop))]
    return (
        np.concatenate([pair[0] for pair in found]),
        np.concatenate([pair[1] for pair in found]),
        room,
    )


def _has(who: Array, people: int) -> Flags:
    return np.bincount(who, minlength=people) > 0


def suppressed_check(shape: Shapes, rows: Published, own: Own) -> Check:
    """Check that fewer than P people are not published, and as many as stated.

    Where values are diverse in every subgroup, nobody may be missing: whoever knows all values
    of the table knows those of the missing.
    """
    lost = len(own) - len(rows.group)
    diverse = shape.promise.l is not None and shape.promise.diversity == "subgroup"
    most = 0 if diverse else shape.promise.P - 1
    problems = {
        f"{lost:,} people": not 0 <= lost <= most or lost != shape.suppressed,
        f"{own.dropped:,} left out for gaps": own.dropped != shape.dropped,
    }
    found = "; ".join(text for text, wrong in problems.items() if wrong)
    return Check(
        "suppressed",
        not found,
        f"at most {most:,}: {shape.suppressed:,}, and {shape.dropped:,} with gaps",
        found or f"{lost:,} people",
        "people who are not published",
    )
