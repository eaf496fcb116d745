"""The groups of views by their sizes: one look at the rows, for any number of promises.

A promise judges a group by its people and rows alone. So groups of one size are one number, and
whether a view holds for some k, share of rows left out and share of one person is arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Flags
from anachron.engines.base import COUNT, SUBJECT, Batch, Table
from anachron.methods.granularity.pairing import Pairing, exceeded, run_of, total_length
from anachron.methods.granularity.view import Tally, View

__all__ = ["Sizes", "Sizing"]


@dataclass(frozen=True, eq=False)
class Sizes:
    """How many groups a view has of each size."""

    table_rows: int
    length: int
    """Sum over the rows in granules of the length of the granule, in microseconds."""
    people: Array
    groups: Array
    """How many groups have so many people."""
    rows: Array
    """The rows of all of them."""
    shares: tuple[Array, Array] | None
    """If shares of one person are looked at: the rows of each group, and the most of one person."""

    def tally(self, k: int, max_share: Fraction | None) -> Tally:
        """Judge the groups as a promise does."""
        fails: Flags = self.people < k
        if max_share is not None:
            fails |= self._beyond(max_share)
        kept = ~fails
        return Tally(
            rows=self.table_rows,
            outside=self.table_rows - int(self.rows.sum()),
            groups=int(self.groups[kept].sum()),
            smallest=int(self.people[kept].min()) if kept.any() else 0,
            people=int((self.people * self.groups)[kept].sum()),
            failing_groups=int(self.groups[fails].sum()),
            failing_rows=int(self.rows[fails].sum()),
            length=self.length,
        )

    def _beyond(self, max_share: Fraction) -> Flags:
        if self.shares is None:
            raise ValueError("shares were not looked at")
        return exceeded(max_share, *self.shares)


class Sizing:
    """Views of a table, each looked at once."""

    def __init__(self, table: Table, *, shares: bool) -> None:
        self.pairing = Pairing(table)
        self._shares = shares

    def sizes(self, view: View) -> Sizes:
        """Reduce a view to the sizes of its groups."""
        table, (_, groups) = self.pairing.table, self.pairing.paired(view)
        named = groups.map(lambda batch: {"run": run_of(view.time, batch), "people": batch[COUNT]})
        keys = ("run", "people", *(("rows", "most") if self._shares else ()))
        summary = {} if self._shares else {"rows": ("sum", "rows")}
        told = named.counts(keys, summary).collect(*keys, COUNT, "rows")
        rows = told["rows"] * told[COUNT] if self._shares else told["rows"]
        return Sizes(
            table.rows,
            total_length(view.time, told["run"], rows),
            told["people"],
            told[COUNT],
            rows,
            (told["rows"], told["most"]) if self._shares else None,
        )

    def people(self, view: View, max_share: Fraction | None) -> Callable[[int], int]:
        """Look at the smallest group of each person: how many have one of fewer than k people?

        Where somebody has too large a share, a group is as good as empty.
        """
        of, groups = self.pairing.paired(view)

        def size(batch: Batch) -> Batch:
            if max_share is None:
                return {"size": batch[COUNT]}
            beyond = exceeded(max_share, batch["rows"], batch["most"])
            return {"size": np.where(beyond, 0, batch[COUNT])}

        sized = of.join(groups.map(size), ("Q", "H")).counts(
            (SUBJECT,), {"size": ("least", "size")}
        )
        least = np.sort(sized.collect("size")["size"])
        return lambda k: int(np.searchsorted(least, k))
