"""A table as numbers alone: who each row is about, and which rows have the same values.

What is kept of a column is a number for each of its values, and no value. That is enough to count,
again and again, how many people are unique by any columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array
from anachron.proposing.uniqueness import Unique
from anachron.source.base import quoted

__all__ = ["Numbered", "numbered"]

_MOST = 2**62
"""Larger numbers are made small again before another column is put beside them."""


@dataclass(frozen=True, eq=False)
class Numbered:
    """The rows of a table, each value a number."""

    columns: Mapping[str, Array]
    sizes: Mapping[str, int]
    """How many numbers a column has."""
    who: Array | None
    """Whose row it is; none if each row is somebody."""
    people: int

    def unique(self, columns: Sequence[str]) -> Unique:
        """Count who is unique by these columns: in one of their rows nobody else is like them."""
        if not columns:
            return Unique((), 0, self.people)
        together, many = self._together(columns)
        if self.who is None:
            _, rows = np.unique(together, return_counts=True)
            return Unique(tuple(columns), int((rows == 1).sum()), self.people)
        wide = int(self.who.max(initial=0)) + 1
        if many * wide >= _MOST:
            together = np.unique(together, return_inverse=True)[1].reshape(-1)
        pairs = np.sort(together * wide + self.who)
        group, who = np.divmod(pairs, wide)
        begins = np.flatnonzero(np.diff(group, prepend=-1))
        ends = np.append(begins[1:], len(pairs)) - 1
        # Sorted: where the first person of a group is the last, there is no other.
        alone = who[begins][who[begins] == who[ends]]
        return Unique(tuple(columns), len(np.unique(alone)), self.people)

    def _together(self, columns: Sequence[str]) -> tuple[Array, int]:
        """One number for each combination of values, and how many there could be."""
        first, *rest = columns
        found, many = self.columns[first], self.sizes[first]
        for column in rest:
            if many * self.sizes[column] >= _MOST:
                found = np.unique(found, return_inverse=True)[1].reshape(-1)
                many = int(found.max(initial=0)) + 1
            found = found * self.sizes[column] + self.columns[column]
            many *= self.sizes[column]
        return found, many


def numbered(
    con: duckdb.DuckDBPyConnection,
    relation: str,
    columns: Sequence[str],
    subject: Sequence[str],
    people: int,
) -> Numbered:
    """Number the values of each column, one column at a time."""
    if len(subject) == 1:
        # Rows that are nobody's make nobody unique.
        relation = f"(SELECT * FROM {relation} WHERE {quoted(subject[0])} IS NOT NULL)"
    numbers = {name: _numbers(con, relation, name) for name in dict.fromkeys((*columns, *subject))}
    sizes = {name: int(held.max(initial=0)) + 1 for name, held in numbers.items()}
    known = Numbered(numbers, sizes, None, people)
    if not subject:
        return known
    who = np.unique(known._together(subject)[0], return_inverse=True)[1].reshape(-1)
    return Numbered(numbers, sizes, who, people)


def _numbers(con: duckdb.DuckDBPyConnection, relation: str, name: str) -> Array:
    """A number for each row: the same for the same value, and 0 where there is none."""
    held = con.sql(f"SELECT {quoted(name)} AS v FROM {relation}").to_arrow_table()["v"]
    if pa.types.is_nested(held.type):
        return np.zeros(len(held), np.int64)
    if pa.types.is_floating(held.type):
        held = pc.add(held, 0.0)  # one nothing, be it written with a minus or without
    indices = held.combine_chunks().dictionary_encode().indices
    found = indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return np.asarray(found + 1, np.int64)
