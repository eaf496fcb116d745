"""Who is never published any more: people who were left out of an m-invariant feed.

Somebody new is left out where too many new people have their value. Were they published later, it
could be seen that they had been: no earlier release knows their set. So they have the value that
was too frequent, and whoever stands beside them has another. Therefore they are barred: whatever
comes of them later is dropped before anything is planned. That depends on earlier releases alone,
and tells no more than that they were left out.

Where fewer new people came than any snapshot can have, they are left out whatever they have. That
tells nothing, and they may come again. With a longer window than 1 they could have been moved, and
that they were not may tell something; so there they are barred as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags
from anachron.guarantees import Reposition
from anachron.methods.reposition.records import FREE, NOBODY, Gathered

__all__ = ["AFTER", "Barred", "left_out_for_good"]

AFTER = "barred"
"""The column of a memory that tells barred people from waiting records, which have none."""


@dataclass(frozen=True, eq=False)
class Barred:
    """People whom a feed never publishes any more."""

    subject: pa.Array = field(default_factory=lambda: NOBODY)
    """Their pseudonyms, each once."""
    after: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The first instant of the last snapshot that had arrived when they were barred."""
    begins: int | None = None
    """Only people who were left out of snapshots from this instant on are known: those before were
    pushed when nobody was barred. None if there were none."""

    def __len__(self) -> int:
        return len(self.subject)

    def among(self, people: pa.Array) -> Flags:
        """Which of some people are barred."""
        found: Flags = pc.is_in(people, self.subject).to_numpy(zero_copy_only=False)
        return found

    def joined_by(self, people: pa.Array, after: int) -> Barred:
        """Bar some more."""
        new = people.filter(pa.array(~self.among(people))).unique()
        return replace(
            self,
            subject=pa.concat_arrays([self.subject, new]),
            after=np.append(self.after, np.full(len(new), after, dtype=np.int64)),
        )

    def laid_behind(self, waiting: pa.Table) -> pa.Table:
        """Write them behind the records that wait, if there is anybody."""
        if not len(self):
            return waiting
        listed = pa.table({"subject": self.subject, AFTER: pa.array(self.after)})
        return pa.concat_tables([waiting, listed], promote_options="default")

    @classmethod
    def parted(cls, rows: pa.Table, begins: int | None) -> tuple[Barred, pa.Table]:
        """Read back what :meth:`laid_behind` wrote, and what it was laid behind."""
        if AFTER not in rows.column_names:
            return cls(begins=begins), rows
        is_barred = rows[AFTER].is_valid()
        listed = rows.filter(is_barred)
        subject = listed["subject"].combine_chunks()
        found = cls(subject, listed[AFTER].to_numpy().astype(np.int64), begins)
        return found, rows.filter(pc.invert(is_barred)).drop_columns(AFTER)


def left_out_for_good(
    records: Gathered,
    people: pa.Array,
    gone: Flags,
    promise: Reposition,
    published: pa.Array | None,
) -> pa.Array:
    """The pseudonyms of those of whom a record is gone, unless they are published or it had to be.

    Parameters
    ----------
    people
        The pseudonym of the person of each record.
    gone
        Which records are neither published nor wait any more.
    published
        The pseudonyms of everyone who was ever published, now included.
    """
    if promise.window == 1:
        planned = records.home[~records.flag(FREE)]
        homes, many = np.unique(planned, return_counts=True)
        gone = gone & ~np.isin(records.home, homes[many < ceil(promise.l)])
    people = people.filter(pa.array(gone))
    if published is None:
        return people
    return people.filter(pc.invert(pc.is_in(people, published)))
