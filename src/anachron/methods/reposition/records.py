"""The records of a feed that are not published yet, as arrays with one place for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags, Words
from anachron.methods.outcome import Past
from anachron.methods.values import as_kind

__all__ = ["NOBODY", "NOWHERE", "Arriving", "Records", "gather"]

NOBODY = pa.array([], pa.binary(32))
"""The pseudonyms of no people."""
NOWHERE = -1
"""The position of a record that is not published."""


@dataclass(frozen=True, eq=False)
class Records:
    """Unpublished records: first those that were waiting, then those that arrive."""

    home: Array
    """The position of the snapshot in which each happened."""
    value: Array
    """The code of its sensitive value."""
    person: Array
    """Equal numbers: the same person."""
    key: Words
    """The keyed hash of each, in two words."""
    free: Flags
    """Which need no plan: they are published in their own snapshot, whatever else is there."""
    behind: Flags
    """Which came after their snapshot had arrived without them."""
    quasi: Mapping[str, pa.DictionaryArray]
    """Quasi columns; their dictionaries ascend, missing last."""
    known: pa.Array
    """The pseudonyms of those that were waiting."""
    subjects: pa.Array
    """The subjects of those that arrive."""

    def __len__(self) -> int:
        return len(self.home)

    @property
    def rank(self) -> Words:
        """The number by which lots are drawn: the smallest comes first."""
        return self.key[:, 0]

    def pseudonyms(self, rows: Array, past: Past) -> pa.Array:
        """The pseudonyms of some records; few are ever needed."""
        waited = rows < len(self.known)
        new = self.subjects.take(pa.array(rows[~waited] - len(self.known)))
        found = pa.concat_arrays([self.known.take(pa.array(rows[waited])), past.pseudonyms(new)])
        place = np.empty(len(rows), dtype=np.int64)
        place[np.argsort(~waited, kind="stable")] = np.arange(len(rows))
        return found.take(pa.array(place))

    def waiting(self, rows: Array, past: Past) -> pa.Table:
        """What is kept of some records until they are published or lost."""
        rows = rows[np.argsort(self.rank[rows])]
        columns = {
            "subject": self.pseudonyms(rows, past),
            "home": pa.array(self.home[rows]),
            "value": pa.array(self.value[rows]),
            "key_high": pa.array(self.key[rows, 0]),
            "key_low": pa.array(self.key[rows, 1]),
            "free": pa.array(self.free[rows]),
            "behind": pa.array(self.behind[rows]),
        }
        columns |= {_kept(name): _plain(c.take(pa.array(rows))) for name, c in self.quasi.items()}
        return pa.table(columns)


@dataclass(frozen=True, eq=False)
class Arriving:
    """Records of a push, one place for each."""

    home: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    value: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    key: Words = field(default_factory=lambda: np.zeros((0, 2), dtype=np.uint64))
    subjects: pa.DictionaryArray = field(default_factory=NOBODY.dictionary_encode)
    quasi: Mapping[str, pa.DictionaryArray] = field(default_factory=dict)
    """Nothing if there are no records."""

    def __len__(self) -> int:
        return len(self.home)


def gather(
    arriving: Arriving,
    behind: Flags,
    waiting: pa.Table | None,
    past: Past,
    settled: pa.Array | None = None,
) -> Records:
    """Lay arriving records after those that wait.

    ``settled`` are the pseudonyms of people whose records need no plan.
    """
    home, value, key, subjects = arriving.home, arriving.value, arriving.key, arriving.subjects
    if settled is None:
        free = np.zeros(len(arriving), dtype=bool)
    else:
        free = pc.is_in(past.pseudonyms(subjects), settled).to_numpy(zero_copy_only=False)
    if waiting is None or not len(waiting):
        person = _codes(subjects)
        return Records(home, value, person, key, free, behind, arriving.quasi, NOBODY, subjects)
    known = waiting["subject"].combine_chunks()
    everyone = pa.concat_arrays([known, past.pseudonyms(subjects)])
    before = np.stack([waiting[f"key_{word}"].to_numpy() for word in ("high", "low")], axis=1)
    names = [n.removeprefix(_kept("")) for n in waiting.column_names if n.startswith(_kept(""))]
    return Records(
        np.concatenate([waiting["home"].to_numpy(), home]),
        np.concatenate([waiting["value"].to_numpy(), value]),
        _codes(everyone.dictionary_encode()),
        np.concatenate([before, key]),
        np.concatenate([waiting["free"].to_numpy(), free]),
        np.concatenate([_behind(waiting), behind]),
        {name: _together(name, waiting, arriving) for name in names},
        known,
        subjects,
    )


def _behind(waiting: pa.Table) -> Flags:
    """Who of the waiting came late; ledgers of before this was kept do not know of anybody."""
    if "behind" not in waiting.column_names:
        return np.zeros(len(waiting), dtype=bool)
    found: Flags = waiting["behind"].to_numpy()
    return found


def _kept(name: str) -> str:
    """How a quasi column is called among the waiting records, beside columns of our own."""
    return f"quasi {name}"


def _codes(coded: pa.DictionaryArray) -> Array:
    return np.asarray(coded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def _plain(column: pa.DictionaryArray) -> pa.Array:
    return column.dictionary.take(column.indices)


def _together(column: str, waiting: pa.Table, arriving: Arriving) -> pa.DictionaryArray:
    """One quasi column of waiting and arriving records, with an ascending dictionary."""
    parts: Sequence[pa.Array] = waiting[_kept(column)].chunks
    if len(arriving):
        new = _plain(arriving.quasi[column])
        parts = [*parts, as_kind(new, waiting[_kept(column)].type, column)]
    values = pa.chunked_array(parts).combine_chunks()
    different = values.unique()
    ascending = different.take(pc.sort_indices(different))
    return pa.DictionaryArray.from_arrays(
        pc.index_in(values, ascending).cast(pa.int32()), ascending
    )
