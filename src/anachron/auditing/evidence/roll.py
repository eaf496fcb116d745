"""The rows of a register's microdata, some at a time: as they come, or by ranges of digests.

Columns are numbers of their different values, which are the same for all rows of the table. Where
the table is not held, its rows are dealt out by digests once, as numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Codes
from anachron.auditing.evidence import register
from anachron.auditing.evidence.digests import range_of, words_of
from anachron.auditing.reading.columns import coded, of_loaded, whole
from anachron.auditing.reading.spelled import people_of
from anachron.behind import Large, Microdata
from anachron.behind.dealt import Dealt, dealt

__all__ = ["HeldRoll", "LargeRoll", "Roll", "RollPiece", "quasi_values", "roll_of"]

Digesting = Callable[[pa.Array], pa.Array]


@dataclass(frozen=True, eq=False)
class RollPiece:
    """Some rows."""

    who: pa.Array | None
    """The digest of the person of each row, if it was asked for."""
    quasi: Mapping[str, Codes]
    """Of each quasi column the place of each row's value."""
    value: Codes
    """Likewise of the sensitive column; -1 for a missing one."""


@dataclass(frozen=True, eq=False)
class Roll:
    """All rows of a register's microdata."""

    rows: int
    quasi: Mapping[str, pa.Array]
    """The different values of each quasi column, ascending, a missing one last."""
    values: pa.Array
    """The different sensitive values."""
    _table: Microdata | Large = field(repr=False)

    def __iter__(self) -> Iterator[RollPiece]:
        """Give all rows once."""
        raise NotImplementedError

    def pieces(self, parts: int, digesting: Digesting) -> Iterator[RollPiece]:
        """Give as many pieces, by ranges of the digests of people."""
        raise NotImplementedError

    def counts(self) -> dict[str, Array]:
        """How many rows have each value of a quasi column."""
        found = {name: np.zeros(len(v), dtype=np.int64) for name, v in self.quasi.items()}
        for piece in self:
            for name, count in found.items():
                count += np.bincount(piece.quasi[name], minlength=len(count))
        return found

    def people(self, *, exact: bool) -> int:
        """How many people there are, by their names."""
        return people_of(self._table, exact=exact)


@dataclass(frozen=True, eq=False)
class HeldRoll(Roll):
    """The rows of a table that is held."""

    _table: Microdata
    _value: Codes = field(repr=False)

    def __iter__(self) -> Iterator[RollPiece]:
        """Give all rows once."""
        for start in range(0, self.rows, register.AT_ONCE):
            yield self._piece(None, slice(start, start + register.AT_ONCE))

    def pieces(self, parts: int, digesting: Digesting) -> Iterator[RollPiece]:
        """Give as many pieces, by ranges of the digests of people."""
        who, subject = digesting(self._table.subject_values), self._table.subject
        if parts == 1:
            yield self._piece(who.take(pa.array(subject)), slice(None))
            return
        part = range_of(words_of(who), parts)[subject]
        order = np.argsort(part, kind="stable")
        ends = np.searchsorted(part[order], np.arange(parts), side="right")
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            rows = order[start:end]
            yield self._piece(who.take(pa.array(subject[rows])), rows)

    def _piece(self, who: pa.Array | None, rows: Array | slice) -> RollPiece:
        quasi = {name: column.codes[rows] for name, column in self._table.quasi.items()}
        return RollPiece(who, quasi, self._value[rows])


@dataclass(frozen=True, eq=False)
class LargeRoll(Roll):
    """The rows of a table that is not held."""

    _table: Large

    def __iter__(self) -> Iterator[RollPiece]:
        """Give all rows once."""
        for rows, _ in self._passing():
            yield self._read(rows)

    def pieces(self, parts: int, digesting: Digesting) -> Iterator[RollPiece]:
        """Give as many pieces, by ranges of the digests of people."""
        if parts not in self._dealt:
            self._dealt[parts] = self._deal(parts, digesting)
        return map(self._read, self._dealt[parts])

    @cached_property
    def _dealt(self) -> dict[int, Dealt]:
        """What was dealt out before: by parts, of which there is one number."""
        return {}

    def _deal(self, parts: int, digesting: Digesting) -> Dealt:
        kinds = pa.schema([("who", pa.binary(32)), *((name, pa.int32()) for name in self._names)])

        def digested() -> Iterator[tuple[Array, pa.Table]]:
            for rows, names in self._passing():
                who = digesting(names)
                yield range_of(words_of(who), parts), rows.append_column("who", who)

        return dealt(digested(), kinds, parts, self._table.aside, self._table.at_once)

    @cached_property
    def _names(self) -> list[str]:
        """The names under which columns are put aside: those of the table may be any."""
        return [*(f"quasi {at}" for at in range(len(self.quasi))), "value"]

    def _passing(self) -> Iterator[tuple[pa.Table, pa.Array]]:
        """Columns as numbers, and the name of the person of each row."""
        for some in self._table.passing():
            codes = [some.quasi[name].codes for name in self.quasi]
            value = some.sensitive.column(0).combine_chunks()
            place = pc.index_in(value, value_set=self.values, skip_nulls=True).fill_null(-1)
            yield pa.table([*codes, place], names=self._names), some.names

    def _read(self, rows: pa.Table) -> RollPiece:
        *quasi, value = (rows.column(name).to_numpy() for name in self._names)
        who = rows.column("who").combine_chunks() if "who" in rows.column_names else None
        return RollPiece(who, dict(zip(self.quasi, quasi, strict=True)), value)


def roll_of(table: Microdata | Large) -> Roll:
    """See the microdata as the roll of a register."""
    if isinstance(table, Large):
        return LargeRoll(table.rows, table.values, _different(table), table)
    found = coded(of_loaded(table).column(0))
    codes = whole(found.indices, -1).astype(np.int32)
    return HeldRoll(table.rows, quasi_values(table), found.dictionary, table, codes)


def quasi_values(table: Microdata | Large) -> Mapping[str, pa.Array]:
    """The different values of each quasi column, ascending, a missing one last."""
    if isinstance(table, Large):
        return table.values
    return {name: column.values for name, column in table.quasi.items()}


def _different(table: Large) -> pa.Array:
    """The different sensitive values, as they come."""
    found = pa.array([], table.sensitive_schema.field(0).type)
    for some in table.passing():
        found = pc.unique(pa.chunked_array([found, *some.sensitive.column(0).chunks]))
    return found.drop_null()
