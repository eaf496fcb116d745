"""The people of the microdata in the groups of a register."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags
from anachron.auditing.evidence.register import Book, RegisterState, found_in
from anachron.auditing.evidence.roll import Roll, RollPiece, roll_of
from anachron.auditing.history import History
from anachron.auditing.reading.register import RegisterGroups
from anachron.auditing.reading.spelled import places_in
from anachron.behind import Microdata

__all__ = ["Recognised", "RegisterPeople", "people_of", "register_values"]


@dataclass(frozen=True, eq=False)
class RegisterPeople:
    """Rows of the microdata, laid against the state of a release."""

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


class Recognised:
    """Recognises the people of the microdata."""

    def __init__(
        self, roll: Roll, groups: RegisterGroups, book: Book, marks: Callable[[pa.Array], pa.Array]
    ) -> None:
        """Find the values of the microdata among the published ones, and in the book."""
        self._groups = groups
        self._value = register_values(roll, groups)
        self._mark = _marks_of(roll.values, groups, book, marks)

    def people(self, rows: RollPiece, state: RegisterState) -> RegisterPeople:
        """Lay rows against a state, or against the piece of it that has their people."""
        place = found_in(rows.who, state.subject)
        group = np.append(state.group, 0)[place]
        return RegisterPeople(
            place=place,
            group=np.where(group > 0, self._groups.places(group), -1),
            value=self._value[rows.value],
            mark=self._mark[rows.value],
        )


def people_of(
    table: Microdata, groups: RegisterGroups, state: RegisterState, book: Book, history: History
) -> RegisterPeople:
    """Recognise the people of the microdata."""
    roll = roll_of(table)
    [rows] = roll.pieces(1, history.pseudonyms)
    return Recognised(roll, groups, book, history.marks).people(rows, state)


def register_values(roll: Roll, groups: RegisterGroups) -> Array:
    """The place of each different sensitive value among the published ones; last -1, for none."""
    return np.append(places_in(groups.domain, roll.values, exact=groups.exact), -1)


def _marks_of(
    values: pa.Array, groups: RegisterGroups, book: Book, marks: Callable[[pa.Array], pa.Array]
) -> Array:
    """The mark of each value, as a number of the book: of the spelling that is remembered."""
    texts = pa.array(list(book.texts), pa.string())
    place = places_in(texts, values, exact=groups.exact)
    own = values.cast(pa.string())
    known = texts.take(pa.array(np.maximum(place, 0))) if len(texts) else own
    return book.marks_of(marks(pc.if_else(pa.array(place >= 0), known, own)))
