"""The rows of a register's microdata, some at a time: as they come, or by ranges of digests.

Columns are numbers of their different values, which are the same for all rows of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Codes
from anachron.auditing.evidence import register
from anachron.auditing.evidence.digests import range_of, words_of
from anachron.auditing.reading.columns import coded, of_loaded, whole
from anachron.auditing.reading.spelled import names_of
from anachron.behind import Microdata

__all__ = ["Roll", "RollPiece", "quasi_values", "roll_of"]

Digesting = Callable[[pa.Array], pa.Array]


@dataclass(frozen=True, eq=False)
class RollPiece:
    """Some rows."""

    who: pa.Array | None
    """The digest of the person of each row, if it was asked for."""
    quasi: Mapping[str, Codes]
    """Of each quasi column the place of each row's value."""
    value: Array
    """Likewise of the sensitive column; -1 for a missing one."""


@dataclass(frozen=True, eq=False)
class Roll:
    """All rows of a register's microdata."""

    rows: int
    quasi: Mapping[str, pa.Array]
    """The different values of each quasi column, ascending, a missing one last."""
    values: pa.Array
    """The different sensitive values."""
    _value: Array = field(repr=False)
    _table: Microdata = field(repr=False)

    def __iter__(self) -> Iterator[RollPiece]:
        """Give all rows once."""
        for start in range(0, self.rows, register.AT_ONCE):
            yield self._piece(None, slice(start, start + register.AT_ONCE))

    def pieces(self, parts: int, digesting: Digesting) -> Iterator[RollPiece]:
        """Give as many pieces, by ranges of the digests of people."""
        who = digesting(self._table.subject_values)
        if parts == 1:
            yield self._piece(who.take(pa.array(self._table.subject)), slice(None))
            return
        part = range_of(words_of(who), parts)[self._table.subject]
        order = np.argsort(part, kind="stable")
        ends = np.searchsorted(part[order], np.arange(parts), side="right")
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            rows = order[start:end]
            yield self._piece(who.take(pa.array(self._table.subject[rows])), rows)

    def counts(self) -> dict[str, Array]:
        """How many rows have each value of a quasi column."""
        found = {name: np.zeros(len(v), dtype=np.int64) for name, v in self.quasi.items()}
        for piece in self:
            for name, count in found.items():
                count += np.bincount(piece.quasi[name], minlength=len(count))
        return found

    def people(self, *, exact: bool) -> int:
        """How many people there are, by their names."""
        return names_of(self._table, exact=exact)[1]

    def _piece(self, who: pa.Array | None, rows: Array | slice) -> RollPiece:
        quasi = {name: column.codes[rows] for name, column in self._table.quasi.items()}
        return RollPiece(who, quasi, self._value[rows])


def roll_of(table: Microdata) -> Roll:
    """See the microdata as the roll of a register."""
    found = coded(of_loaded(table).column(0))
    return Roll(table.rows, quasi_values(table), found.dictionary, whole(found.indices, -1), table)


def quasi_values(table: Microdata) -> dict[str, pa.Array]:
    """The different values of each quasi column, ascending, a missing one last."""
    return {name: column.values for name, column in table.quasi.items()}
