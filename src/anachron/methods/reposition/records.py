"""The records of a feed that are not published yet, as rows of an engine.

Those of a push stay where the engine has them: what is planned and chosen is decided on counts of
them. Beside records that waited, or where people are known already, they are gathered and held in
this process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags, Words
from anachron.engines.base import COUNT, KEY, SUBJECT, Batch, Rows, quasi
from anachron.methods.outcome import Past
from anachron.methods.values import as_kind

__all__ = [
    "BEHIND",
    "FREE",
    "HOME",
    "NOBODY",
    "NOWHERE",
    "OUT",
    "POSITION",
    "VALUE",
    "WAITED",
    "WAITS",
    "Arriving",
    "Census",
    "Gathered",
    "Records",
    "gather",
    "held",
    "remembered",
]

HOME, VALUE = "home", "value"
"""Columns of records: the position of the snapshot in which each happened, and the code of its
sensitive value. ``SUBJECT`` is its person, ``KEY`` has the two words by which lots are drawn."""
FREE, BEHIND, WAITED = "free", "behind", "waited"
"""Which need no plan, and are published in their own snapshot, whatever else is there; which came
after their snapshot had arrived without them; and which were waiting before the push."""
POSITION, OUT, WAITS = "position", "out", "waits"
"""Columns of chosen records: where each is published; which are left out; and which wait on."""

NOBODY = pa.array([], pa.binary(32))
"""The pseudonyms of no people."""
NOWHERE = -1
"""The position of a record that is not published."""

_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Census:
    """How many records there are of each home and value."""

    home: Array = field(default_factory=lambda: _NONE)
    value: Array = field(default_factory=lambda: _NONE)
    count: Array = field(default_factory=lambda: _NONE)
    free: Flags = field(default_factory=lambda: _NONE.astype(bool))
    behind: Flags = field(default_factory=lambda: _NONE.astype(bool))
    waited: Flags = field(default_factory=lambda: _NONE.astype(bool))

    @classmethod
    def of(cls, rows: Rows) -> Census:
        """Count the records of an engine."""
        flags = (FREE, BEHIND, WAITED)
        told = rows.counts((HOME, VALUE, *flags)).collect(HOME, VALUE, COUNT, *flags)
        return cls(*(told[name] for name in (HOME, VALUE, COUNT, *flags)))

    @classmethod
    def new(cls, home: Array, value: Array, count: Array, following: int) -> Census:
        """Those of which all arrive, and need a plan."""
        none = np.zeros(len(home), dtype=bool)
        return cls(home, value, count, none, home < following, none)


@dataclass(frozen=True, eq=False)
class Arriving:
    """Records of a push."""

    rows: Rows | None = None
    """None if there are no records."""
    home: Array = field(default_factory=lambda: _NONE)
    value: Array = field(default_factory=lambda: _NONE)
    count: Array = field(default_factory=lambda: _NONE)
    """How many there are of each home and value."""
    quasi: Mapping[str, pa.Array] = field(default_factory=dict)
    """The dictionaries of the quasi columns, which ascend, missing last."""
    recurs: bool = False
    """Whether somebody may have several of them."""

    def __len__(self) -> int:
        return int(self.count.sum())


@dataclass(frozen=True, eq=False)
class Records:
    """Unpublished records: those that were waiting, and those that arrive."""

    rows: Rows
    census: Census
    quasi: Mapping[str, pa.Array]
    """The dictionaries of the quasi columns, which ascend, missing last."""
    is_named: bool
    """Whether their people are given by pseudonyms."""
    recurs: bool
    """Whether somebody may have several of them."""

    def pseudonyms(self, people: pa.Array, past: Past) -> pa.Array:
        """The pseudonyms of the people of some records."""
        return people if self.is_named else past.pseudonyms(people)


@dataclass(frozen=True, eq=False)
class Gathered:
    """Chosen records as arrays with one place for each."""

    columns: Batch
    quasi: Mapping[str, pa.DictionaryArray]

    def __len__(self) -> int:
        return len(self.home)

    @property
    def home(self) -> Array:
        """The position of the snapshot in which each happened."""
        return np.asarray(self.columns[HOME])

    @property
    def value(self) -> Array:
        """The code of its sensitive value."""
        return np.asarray(self.columns[VALUE])

    @property
    def people(self) -> pa.Array:
        """The person of each."""
        return self.columns[SUBJECT]

    @property
    def rank(self) -> Words:
        """The number by which lots are drawn: the smallest comes first."""
        key: Words = self.columns[KEY]
        return key[:, 0]

    @property
    def position(self) -> Array:
        """Where it is published."""
        return np.asarray(self.columns[POSITION])

    def flag(self, name: str) -> Flags:
        """A column of flags."""
        found: Flags = self.columns[name]
        return found

    def placed(self, position: Array, out: Flags | None = None) -> Batch:
        """The same records with other positions, and perhaps others left out."""
        left = self.flag(OUT) if out is None else out
        return {**self.columns, POSITION: position, OUT: left}


def held(records: Records, rows: Rows) -> Gathered:
    """Gather chosen records."""
    names = (HOME, VALUE, KEY, SUBJECT, FREE, BEHIND, WAITED, POSITION, OUT, WAITS)
    told = rows.collect(*names, *map(quasi, records.quasi))
    coded = {
        column: pa.DictionaryArray.from_arrays(told[quasi(column)], values)
        for column, values in records.quasi.items()
    }
    return Gathered(told, coded)


def gather(
    arriving: Arriving,
    following: int,
    waiting: pa.Table | None,
    past: Past,
    hold: Callable[[Batch], Rows],
    settled: pa.Array | None = None,
) -> Records:
    """Lay arriving records beside those that wait.

    Parameters
    ----------
    following
        The position of the snapshot that arrives next.
    hold
        Gives to an engine what is gathered here.
    settled
        The pseudonyms of people whose records need no plan.
    """
    if waiting is None and settled is None and arriving.rows is not None:
        rows = arriving.rows.map(partial(_new, following))
        census = Census.new(arriving.home, arriving.value, arriving.count, following)
        return Records(rows, census, arriving.quasi, False, arriving.recurs)
    parts = [] if waiting is None else [_waiting(waiting)]
    if arriving.rows is not None:
        parts.append(_arrived(arriving.rows, arriving.quasi, following, past, settled))
    if not parts:
        return Records(hold(_nothing()), Census(), {}, True, False)
    names = [name for name in parts[0] if name.startswith(quasi(""))]
    columns = {name: _after(parts, name) for name in _nothing()}
    dictionaries = {}
    for name in names:
        coded = _together(name, [part[name] for part in parts])
        columns[name] = np.asarray(coded.indices.to_numpy(zero_copy_only=False), dtype=np.int32)
        dictionaries[name.removeprefix(quasi(""))] = coded.dictionary
    gathered = hold(columns)
    return Records(gathered, Census.of(gathered), dictionaries, True, True)


def remembered(records: Records, rows: Rows, past: Past) -> pa.Table | None:
    """What is kept of records until they are published or lost; None if nothing waits."""
    names = (HOME, VALUE, KEY, SUBJECT, FREE, BEHIND)
    told = rows.where(WAITS).collect(*names, *map(quasi, records.quasi))
    if not len(told[HOME]):
        return None
    order = np.lexsort((told[KEY][:, 1], told[KEY][:, 0]))
    key = told[KEY][order]
    columns = {
        SUBJECT: records.pseudonyms(told[SUBJECT], past).take(pa.array(order)),
        HOME: pa.array(told[HOME][order]),
        VALUE: pa.array(told[VALUE][order]),
        "key_high": pa.array(key[:, 0]),
        "key_low": pa.array(key[:, 1]),
        FREE: pa.array(told[FREE][order]),
        BEHIND: pa.array(told[BEHIND][order]),
    }
    columns |= {
        quasi(name): values.take(pa.array(told[quasi(name)][order]))
        for name, values in records.quasi.items()
    }
    return pa.table(columns)


def _new(following: int, batch: Batch) -> Batch:
    none = np.zeros(len(batch[HOME]), dtype=bool)
    return {FREE: none, BEHIND: batch[HOME] < following, WAITED: none}


def _nothing() -> dict[str, Array | pa.Array]:
    none = _NONE.astype(bool)
    key = np.zeros((0, 2), dtype=np.uint64)
    flags = {FREE: none, BEHIND: none, WAITED: none}
    return {HOME: _NONE, VALUE: _NONE, KEY: key, SUBJECT: NOBODY, **flags}


def _waiting(table: pa.Table) -> dict[str, Array | pa.Array]:
    """Records that waited, as columns; their quasi columns as plain values."""
    behind = BEHIND in table.column_names  # ledgers of before this was kept know of nobody
    none = np.zeros(len(table), dtype=bool)
    key = np.stack([table[f"key_{word}"].to_numpy() for word in ("high", "low")], axis=1)
    return {
        **{name: table[name].to_numpy() for name in (HOME, VALUE, FREE)},
        KEY: key,
        SUBJECT: table[SUBJECT].combine_chunks(),
        BEHIND: table[BEHIND].to_numpy() if behind else none,
        WAITED: ~none,
        **{n: table[n].combine_chunks() for n in table.column_names if n.startswith(quasi(""))},
    }


def _arrived(
    rows: Rows,
    dictionaries: Mapping[str, pa.Array],
    following: int,
    past: Past,
    settled: pa.Array | None,
) -> dict[str, Array | pa.Array]:
    """Records of a push, gathered likewise."""
    told = rows.collect(HOME, VALUE, KEY, SUBJECT, *map(quasi, dictionaries))
    people = past.pseudonyms(told[SUBJECT])
    none = np.zeros(len(told[HOME]), dtype=bool)
    free = none if settled is None else pc.is_in(people, settled).to_numpy(zero_copy_only=False)
    return {
        **{name: told[name] for name in (HOME, VALUE, KEY)},
        SUBJECT: people,
        FREE: free,
        BEHIND: told[HOME] < following,
        WAITED: none,
        **{
            quasi(name): pa.DictionaryArray.from_arrays(told[quasi(name)], values)
            for name, values in dictionaries.items()
        },
    }


def _after(parts: Sequence[Mapping[str, Array | pa.Array]], name: str) -> Array | pa.Array:
    several = [part[name] for part in parts]
    if len(several) == 1:
        return several[0]
    if isinstance(several[0], np.ndarray):
        return np.concatenate(several)
    return pa.concat_arrays(several)


def _together(column: str, parts: Sequence[pa.Array]) -> pa.DictionaryArray:
    """One quasi column of waiting and arriving records, with an ascending dictionary."""
    if len(parts) == 1 and isinstance(parts[0], pa.DictionaryArray):
        return parts[0]
    plain = [p.dictionary.take(p.indices) if isinstance(p, pa.DictionaryArray) else p
             for p in parts]  # fmt: skip
    name = column.removeprefix(quasi(""))
    plain[1:] = [as_kind(new, plain[0].type, name) for new in plain[1:]]
    values = pa.chunked_array(plain).combine_chunks()
    different = values.unique()
    ascending = different.take(pc.sort_indices(different))
    return pa.DictionaryArray.from_arrays(
        pc.index_in(values, ascending).cast(pa.int32()), ascending
    )
