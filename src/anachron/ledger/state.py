"""Who is in a release, and from when to when: immutable, encrypted files of keyed digests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from anachron.errors import InternalError
from anachron.ledger import encryption
from anachron.ledger.notes import Span
from anachron.ledger.pseudonyms import PSEUDONYM
from anachron.streamed import Streamed, digests, hull, met

__all__ = ["STATE", "StateFile", "again_file", "in_common", "meet", "state_file", "write"]

STATE = "state"


_SPANS = pa.schema(
    [("subject", PSEUDONYM), ("first", pa.int64()), ("until", pa.int64())],
)
_RECORD = pa.field("record", pa.binary(16))


def state_file(ledger: Path, number: int) -> Path:
    """Where the subjects of a release are kept."""
    return ledger / STATE / f"{number:04d}{encryption.SUFFIX}"


def again_file(ledger: Path, number: int) -> Path:
    """Where they are put while a lost release is made again: what is recorded stays as it is."""
    return ledger / STATE / f"{number:04d}-again{encryption.SUFFIX}"


@dataclass(frozen=True)
class StateFile:
    """A state file that was written."""

    digest: str
    """Its own."""
    rows: int
    span: Span | None
    """From when to when the state shows anybody, if it says so."""


def write(path: Path, state: encryption.Rows, key: bytes) -> StateFile:
    """Write a state file: digests of subjects or, for a feed, of records, in ascending order."""
    schema, batches = state
    if schema.field(0) not in (_SPANS.field("subject"), _RECORD):
        raise InternalError("The state of a release lacks its subjects.")
    passing = _Passing()
    # Keyed digests do not shrink.
    digest = encryption.write(path, (schema, passing.seen(batches)), "none", key)
    return StateFile(digest, passing.rows, passing.span)


class _Passing:
    """What is seen of a state while its rows pass by."""

    def __init__(self) -> None:
        self.rows = 0
        self.span: Span | None = None

    def seen(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give the rows on, and refuse them if they do not ascend."""
        last = None
        for batch in batches:
            if not batch.num_rows:
                continue
            found = digests(batch.column(0))
            if (last is not None and found[0] < last) or (found[1:] < found[:-1]).any():
                raise InternalError("The state of a release is not in the order of its digests.")
            self.rows, last = self.rows + len(found), found[-1]
            self.span = hull(batch, self.span)
            yield batch


def meet(one: Span | None, other: Span | None) -> bool:
    """Whether two times have an instant in common; one that is not known might."""
    return one is None or other is None or (one[0] < other[1] and other[0] < one[1])


def in_common(wanted: Streamed, state: Streamed) -> int:
    """Count the subjects of a release to come whom a state holds at an overlapping time.

    A state without times is of a register: it holds its people at all times.
    """
    timed = "first" in state.schema.names
    return sum(
        _overlapping(mine, theirs) if timed else mine.num_rows
        for mine, theirs in met(wanted, state)
    )


def _overlapping(mine: pa.RecordBatch, theirs: pa.RecordBatch) -> int:
    here, there = (
        [batch[name].to_numpy() for name in ("first", "until")] for batch in (mine, theirs)
    )
    return int(np.count_nonzero((there[0] < here[1]) & (here[0] < there[1])))
