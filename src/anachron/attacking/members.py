"""Who stands in which group: what only the owner can tell, and attacks are judged by.

An adversary guesses; the owner knows. To say how often a guess is right, the rows of the microdata
are laid against the published groups once, and every attack that needs it looks at the same
:class:`Members`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Floats
from anachron.attacking.known import Known
from anachron.auditing.checks.form import roles_of_register
from anachron.auditing.evidence.events import behind
from anachron.auditing.evidence.people import people_of, register_values
from anachron.auditing.evidence.register import Book, register_state
from anachron.auditing.history import History
from anachron.auditing.reading.columns import HIGHEST, places, ranked, whole
from anachron.auditing.reading.database import reading
from anachron.auditing.reading.description import events_of, register_of
from anachron.auditing.reading.events import event_groups as groups_of_events
from anachron.auditing.reading.register import register_groups
from anachron.behind import Microdata
from anachron.registry import METHODS

__all__ = [
    "Column",
    "Members",
    "event_members",
    "members_of",
    "quasi_columns",
    "register_members",
    "sensitive_columns",
    "value_promise",
]


_BATCH = 1 << 17
_FOUND: WeakKeyDictionary[Known, Members | None] = WeakKeyDictionary()
"""What was found for a :class:`Known`, for as long as it is there."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column of the microdata: codes in the order of its values, missing last."""

    name: str
    code: Array
    domain: pa.Array

    @property
    def size(self) -> int:
        """How many codes there can be."""
        return len(self.domain) + 1

    def take(self, rows: Array) -> Column:
        """Some of the rows."""
        return Column(self.name, self.code[rows], self.domain)

    @property
    def numbers(self) -> Floats | None:
        """The value of each row as a number, NaN if missing; None if they are not numbers."""
        kind = self.domain.type
        if not (
            pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        ):
            return None
        values = np.asarray(self.domain.cast(pa.float64(), safe=False), dtype=np.float64)
        return np.append(values, np.nan)[self.code]


@dataclass(frozen=True, eq=False)
class Members:
    """The records that are published, one place for each, and their groups."""

    group: Array
    """From 0. For series, the people of one pattern in a group."""
    groups: int
    person: Array
    """The code of each record's subject."""
    quasi: tuple[Column, ...]
    """Exact values; for series, letters that describe their shape."""
    sensitive: tuple[Column, ...]
    spare: tuple[Array, Array]
    """Group and value of each counterfeit."""
    delay: Array | None = None
    """Of a feed: how many snapshots later than it happened each record is published."""
    candidates: Array | None = None
    """Of a register whose groups show candidates: a value of the group for each record, another one
    for each of a group, whoever has it. The others are counterfeits."""

    @property
    def shown(self) -> Array:
        """The values that are published with the records of each group, in any order."""
        return self.sensitive[0].code if self.candidates is None else self.candidates

    @property
    def people(self) -> int:
        """How many different people are published."""
        return len(np.unique(self.person))


def members_of(known: Known) -> Members | None:
    """Find the group of everyone who is published; None if not enough is known."""
    if known not in _FOUND:
        found = None
        if known.microdata is not None:
            part = METHODS[known.method].members
            find: Callable[[Known, Microdata], Members | None] = part.load()
            found = find(known, known.microdata)
        _FOUND[known] = found
    return _FOUND[known]


def value_promise(known: Known) -> Fraction | None:
    """The largest share of one sensitive value in a group that is promised; None if none is."""
    number = known.promise.get("m", known.promise.get("l"))
    return None if number is None else 1 / Fraction(str(number))


def quasi_columns(loaded: Microdata, rows: Array) -> tuple[Column, ...]:
    """The quasi columns of some rows."""
    found = []
    for name, coded in loaded.quasi.items():
        there = coded.values.drop_null()
        found.append(Column(name, coded.codes[rows].astype(np.int64), there))
    return tuple(found)


def sensitive_columns(loaded: Microdata, rows: Array) -> tuple[Column, ...]:
    """The sensitive columns of some rows."""
    if not loaded.schema.sensitive:
        return ()
    table = pa.Table.from_batches(list(loaded.sensitive(_BATCH)), loaded.sensitive_schema)
    found = ((name, *ranked(table[name])) for name in table.column_names)
    return tuple(Column(name, rank[rows], domain) for name, rank, domain in found)


def event_members(known: Known, loaded: Microdata) -> Members | None:
    """Every row falls into one granule and one combination of published values."""
    shape = events_of(known.release)
    if shape is None or set(loaded.schema.quasi) != {m.column for m in shape.quasi}:
        return None
    with reading(shape.file) as con:
        groups = groups_of_events(con, shape)
    number = behind(shape, groups, loaded).group_of_row
    rows = np.flatnonzero(number > 0)
    none = np.zeros(0, dtype=np.int64)
    return Members(
        group=places(groups.number, number[rows].astype(np.int64)),
        groups=len(groups.number),
        person=loaded.subject[rows].astype(np.int64),
        quasi=quasi_columns(loaded, rows),
        sensitive=sensitive_columns(loaded, rows),
        spare=(none, none),
    )


def register_members(known: Known, loaded: Microdata) -> Members | None:
    """The ledger remembers everyone's group; a value of it that nobody has is a counterfeit's."""
    shape, history, book = register_of(known.release), known.past, Book()
    if (
        shape is None
        or not isinstance(history, History)
        or not roles_of_register.holds(shape, loaded)
    ):
        return None
    state = register_state(history.state, book)
    if state is None:
        return None
    groups = register_groups(shape)
    people = people_of(loaded, groups, state, book, history)
    there = people.group >= 0
    if "home" in history.state.column_names:
        there = _own_records(loaded, people.place, there, whole(history.state["home"], HIGHEST))
    rows = np.flatnonzero(there)
    value = register_values(loaded, groups)[0][rows]
    width = len(groups.domain) + 1
    published = groups.owner * width + groups.value
    group = people.group[rows]
    candidates = None if shape.different else groups.value[groups.start[group] + _nth(group)]
    held = value if candidates is None else candidates
    spare = np.setdiff1d(published, group * width + held)
    return Members(
        group=group,
        groups=len(groups.number),
        person=loaded.subject[rows].astype(np.int64),
        quasi=quasi_columns(loaded, rows),
        sensitive=(Column(shape.sensitive, value, groups.domain),),
        spare=(spare // width, spare % width),
        candidates=candidates,
    )


def _nth(group: Array) -> Array:
    """How many records of the same group stand before each.

    >>> _nth(np.array([4, 2, 4, 4])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(group, kind="stable")
    _, first, size = np.unique(group[order], return_index=True, return_counts=True)
    nth = np.empty(len(group), dtype=np.int64)
    nth[order] = np.arange(len(group)) - np.repeat(first, size)
    return nth


def _own_records(loaded: Microdata, place: Array, there: Flags, home: Array) -> Flags:
    """Of the records of a person in a feed, the first of the snapshot that is remembered."""
    begins = np.append(home, HIGHEST)[place]
    rows = np.flatnonzero(there & (loaded.instants >= begins))
    rows = rows[np.lexsort((loaded.instants[rows], place[rows]))]
    first = np.diff(place[rows], prepend=-1) != 0
    own = np.zeros(len(place), dtype=bool)
    own[rows[first]] = True
    return own
