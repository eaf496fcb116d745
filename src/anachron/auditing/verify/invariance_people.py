"""Is everyone of the microdata published as he is, in the group that the ledger remembers?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check
from anachron.auditing.verify.findings import such_as, witnesses
from anachron.auditing.verify.invariance_groups import Groups, coded, places, whole
from anachron.auditing.verify.invariance_intervals import code_ranges
from anachron.auditing.verify.invariance_shape import Register
from anachron.auditing.verify.invariance_state import Book, State, found_in
from anachron.auditing.verify.spelled import names_of, places_in
from anachron.engines.local.load import Loaded

__all__ = [
    "People",
    "coverage_check",
    "held_check",
    "identity_check",
    "mark_check",
    "people_of",
    "role_check",
    "value_codes",
]

_BATCH = 1 << 17


@dataclass(frozen=True, eq=False)
class People:
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


def role_check(shape: Register, loaded: Loaded) -> Check:
    """Check that the microdata have the columns that were published, in the same roles."""
    schema = loaded.schema
    same = schema.quasi == tuple(interval.column for interval in shape.quasi)
    same = same and schema.sensitive == (shape.sensitive,)
    if same:
        kinds = [loaded.quasi[interval.column].values.type for interval in shape.quasi]
        same = all(
            interval.order is not None
            or pa.types.is_integer(kind)
            or pa.types.is_floating(kind)
            or pa.types.is_decimal(kind)
            for interval, kind in zip(shape.quasi, kinds, strict=True)
        )
    return Check(
        "roles",
        same,
        "the roles of the published columns",
        "as promised" if same else "other columns, roles or types",
        "schema of the microdata",
    )


def people_of(
    loaded: Loaded,
    groups: Groups,
    state: State,
    book: Book,
    pseudonyms: Callable[[pa.Array], pa.Array],
    marks: Callable[[pa.Array], pa.Array],
) -> People:
    """Recognise the people of the microdata."""
    who = pseudonyms(loaded.subject_values)
    _, names = names_of(loaded, exact=groups.exact)
    place = found_in(who, state.subject)[loaded.subject]
    group = np.append(state.group, 0)[place]
    value, column = value_codes(loaded, groups)
    mark = _marks_of(column.dictionary, groups, book, marks)
    return People(
        doubles=loaded.rows - min(names, len(pc.unique(who))),
        place=place,
        group=np.where(group > 0, groups.places(group), -1),
        value=value,
        mark=mark[whole(column.indices, -1)],
    )


def _marks_of(
    values: pa.Array, groups: Groups, book: Book, marks: Callable[[pa.Array], pa.Array]
) -> Array:
    """The mark of each value, as a number of the book: of the spelling that is remembered."""
    texts = pa.array(list(book.texts), pa.string())
    place = places_in(texts, values, exact=groups.exact)
    own = values.cast(pa.string())
    known = texts.take(pa.array(np.maximum(place, 0))) if len(texts) else own
    return book.marks_of(marks(pc.if_else(pa.array(place >= 0), known, own)))


def value_codes(loaded: Loaded, groups: Groups) -> tuple[Array, pa.DictionaryArray]:
    """Each row's sensitive value as a place among the published ones, and as it is."""
    column = pa.Table.from_batches(list(loaded.sensitive(_BATCH)), loaded.sensitive_schema)
    found = coded(column.column(0))
    place = np.append(places_in(groups.domain, found.dictionary, exact=groups.exact), -1)
    return place[whole(found.indices, -1)], found


def covered(shape: Register, loaded: Loaded, groups: Groups, rows: Array, group: Array) -> Flags:
    """Tell whether the intervals of these groups hold the quasi values of these rows."""
    held = np.ones(len(rows), dtype=bool)
    for interval, low, high in zip(shape.quasi, groups.low, groups.high, strict=True):
        column = loaded.quasi[interval.column]
        rank, first, last = code_ranges(interval, column.values, low, high)
        at = rank[column.codes[rows]]
        held &= (at >= 0) & (first[group] <= at) & (at <= last[group])
    return held


def identity_check(people: People) -> Check:
    """Check that everyone has one row."""
    return Check(
        "one row each",
        people.doubles == 0,
        "one row for each person",
        f"{people.doubles:,} rows too many" if people.doubles else "as promised",
        "rows of the microdata",
    )


def coverage_check(
    shape: Register, groups: Groups, people: People, loaded: Loaded, different: Flags
) -> Check:
    """Check that everyone is inside the intervals of their group, and has one of its values.

    In groups that are ``different`` nobody has the same one as another.
    """
    rows = np.flatnonzero(people.group >= 0)
    group, value = people.group[rows], people.value[rows]
    outside = ~covered(shape, loaded, groups, rows, group)
    width = len(groups.domain) + 1
    key = group * width + value
    published = np.repeat(np.arange(len(groups.size)), groups.size) * width + groups.value
    strange = (value < 0) | (places(published, key) < 0)
    by_key = np.argsort(key, kind="stable")
    shared = np.zeros(len(rows), dtype=bool)
    shared[by_key[1:]] = key[by_key[1:]] == key[by_key[:-1]]
    shared &= different[group]

    def of(wrong: Flags) -> Flags:
        return np.bincount(group[wrong], minlength=len(groups.size)) > 0

    def named(wrong: Flags) -> str:
        return such_as(groups.number, of(wrong))

    problems = {
        f"{int(outside.sum()):,} people outside their intervals{named(outside)}": outside.any(),
        f"{int(strange.sum()):,} whose value is not in their group{named(strange)}": strange.any(),
        f"{int(shared.sum()):,} who share a row with another{named(shared)}": shared.any(),
    }
    found = "; ".join(text for text, wrong in problems.items() if wrong)
    return Check(
        "coverage",
        not found,
        "everyone in the intervals of their group, behind one row with their value"
        if different.all()
        else "everyone in the intervals of their group, with one of its values; no two with the "
        "same one where the group is new",
        found or f"{len(rows):,} people",
        "people in their groups",
        witnesses(groups.number, of(outside | strange | shared)),
    )


def held_check(shape: Register, state: State, people: People) -> tuple[Check, int]:
    """Check who is published: the people of the microdata, but for those who must wait."""
    held = np.append(state.group, 0)[people.place] == 0
    known = held & (people.place >= 0)
    known[known] = state.mark[people.place[known]] == people.mark[known]
    missing = state.group > 0
    missing[people.place[~held]] = False
    strangers = int(missing.sum())
    may_hold = shape.promise.when_ineligible == "hold"
    count, needless = int(held.sum()), int(known.sum())
    problems = {
        f"{strangers:,} people published who are not in the microdata": strangers,
        f"{count:,} people held back": count and not may_hold,
        f"{needless:,} known people held back whose value is the same": needless,
    }
    found = "; ".join(text for text, wrong in problems.items() if wrong)
    check = Check(
        "held back",
        not found,
        "only people with a value too frequent, or changed too often" if may_hold else "nobody",
        found or f"{count:,} people",
        "people who are not published",
    )
    return check, count


def mark_check(state: State, people: People) -> Check:
    """Check that the ledger remembers the values that are published."""
    there = np.append(state.group, 0)[people.place] > 0
    stale = int((state.mark[people.place[there]] != people.mark[there]).sum())
    return Check(
        "marks",
        not stale,
        "the value that is published of each person",
        f"{stale:,} people remembered with another value" if stale else "as promised",
        "values that the ledger remembers",
    )
