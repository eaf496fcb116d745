"""What is remembered of everyone who was ever published.

Notes
-----
The paper keeps the last release only, because its Definition 5 and Lemma 4 assume that nobody
returns: a returner would be in T(n) − T(n−1), get a fresh signature, and the two signatures
would intersect. Here signatures are remembered for ever, people are recognised by their
pseudonym and not by equal tuples, and the division asks the memory instead of T(n−1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Bytes, Floats
from anachron.kernels.digests import recall, texts
from anachron.methods.invariance.buckets import Signature
from anachron.streamed import Streamed

__all__ = ["PEOPLE", "Memory", "StandingGroups", "column_of", "digests"]

PEOPLE = pa.schema(
    [
        ("subject", pa.binary(32)),
        ("value", pa.binary(32)),
        ("signature", pa.int32()),
        ("earlier", pa.list_(pa.int32())),
        ("group", pa.int32()),
        ("standing", pa.int32()),
    ]
)
"""Pseudonym, keyed digest of the value last published, signature, the signatures before it, oldest
first, of who had to change theirs, the group in the last release, and that of sticky mode."""

_NOBODY = Streamed.of(PEOPLE.empty_table())


@dataclass(frozen=True, eq=False)
class StandingGroups:
    """The groups of sticky mode, for ever: their signatures and boxes."""

    signature: Array
    """Of each group, an index into the memory's signatures."""
    low: Floats
    high: Floats

    @classmethod
    def empty(cls, quasi: int) -> StandingGroups:
        """Nothing was published yet, with that many quasi columns."""
        box = np.zeros((0, quasi))
        return cls(np.zeros(0, dtype=np.int64), box, box)


@dataclass(frozen=True, eq=False)
class Memory:
    """The signatures of all people who were ever published."""

    signatures: tuple[Signature, ...] = ()
    """Every signature in use. A signature keeps its place for ever."""
    people: Streamed = _NOBODY
    """One row for each, in the order of their pseudonyms: ``PEOPLE``, and perhaps further columns.
    Nobody holds them."""
    standing: StandingGroups | None = None
    """Only in sticky mode."""

    def histories(self, subjects: Bytes) -> dict[bytes, tuple[int, ...]]:
        """The signatures before the latest, oldest first, of those of some people who have any."""
        known = subjects[np.argsort(texts(subjects))]
        found = {}
        for batch in self.people.batches() if len(subjects) else ():
            rows = np.flatnonzero(pc.list_value_length(batch["earlier"]).to_numpy())
            changed = batch.select(["subject", "earlier"]).take(pa.array(rows))
            place = recall(digests(changed["subject"]), known)
            for at in np.flatnonzero(place >= 0).tolist():
                found[known[place[at]].tobytes()] = tuple(changed["earlier"][at].as_py())
        return found


def digests(column: pa.Array | pa.ChunkedArray) -> Bytes:
    """See a column of keyed digests as an (n, 32) array of bytes."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if not len(column):
        return np.zeros((0, 32), dtype=np.uint8)
    content = np.frombuffer(column.buffers()[1], dtype=np.uint8)
    start = 32 * column.offset
    return content[start : start + 32 * len(column)].reshape(-1, 32)


def column_of(digests: Bytes) -> pa.Array:
    """The other way round, without a copy of each digest."""
    content = pa.py_buffer(np.ascontiguousarray(digests))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(32), len(digests), [None, content])
