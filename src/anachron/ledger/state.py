"""Who is in a release, and from when to when: immutable, encrypted files of keyed digests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array
from anachron.errors import InternalError
from anachron.ledger import encryption
from anachron.ledger.notes import Span
from anachron.ledger.pseudonyms import PSEUDONYM

__all__ = ["STATE", "Wanted", "span", "state_file", "write"]

STATE = "state"


_SPANS = pa.schema(
    [("subject", PSEUDONYM), ("first", pa.int64()), ("until", pa.int64())],
)
_RECORD = pa.field("record", pa.binary(16))


def state_file(ledger: Path, number: int) -> Path:
    """Where the subjects of a release are kept."""
    return ledger / STATE / f"{number:04d}{encryption.SUFFIX}"


def write(path: Path, state: pa.Table, key: bytes) -> str:
    """Write a state file in the order of its keyed digests, and return its own digest.

    It holds digests of subjects or, for a feed, of records.
    """
    first = state.schema.field(0)
    if first not in (_SPANS.field("subject"), _RECORD):
        raise InternalError("The state of a release lacks its subjects.")
    ordered = state if _ascends(state[first.name]) else state.sort_by(first.name)
    # Keyed digests do not shrink.
    return encryption.write(path, ordered, "none", key)


def _ascends(digests: pa.ChunkedArray) -> bool:
    """Whether digests are in order already: most are, and sorting takes as long as writing."""
    if digests.num_chunks != 1:
        return False
    texts = _digests(digests.chunk(0))
    return bool((texts[1:] >= texts[:-1]).all())


def span(state: pa.Table) -> Span | None:
    """From when to when a state shows anybody; None if it does not say."""
    if not {"first", "until"} <= set(state.column_names) or not len(state):
        return None
    return int(pc.min(state["first"]).as_py()), int(pc.max(state["until"]).as_py())


class Wanted:
    """The subjects of a release to come, and from when to when each would appear."""

    def __init__(self, subject: pa.Array, first: Array, until: Array) -> None:
        order = np.argsort(_digests(subject), kind="stable")
        self._subject = _digests(subject)[order]
        self._first, self._until = first[order], until[order]

    def meets(self, span: Span | None) -> bool:
        """Whether a release of these times might show one of them; if it is not known, it might."""
        if span is None or not len(self._subject):
            return len(self._subject) > 0
        return bool(span[0] < self._until.max() and self._first.min() < span[1])

    def in_common(self, state: pa.Table) -> int:
        """Count those whom a state holds at an overlapping time.

        A state without times is of a register: it holds its people at all times.
        """
        held = _digests(state["subject"])
        at = np.minimum(np.searchsorted(held, self._subject), max(len(held) - 1, 0))
        same = held[at] == self._subject if len(held) else np.zeros(len(at), dtype=np.bool_)
        if "first" in state.column_names:
            first, until = (state[name].to_numpy()[at[same]] for name in ("first", "until"))
            same[same] = (first < self._until[same]) & (self._first[same] < until)
        return int(same.sum())


def _digests(column: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.bytes_]:
    """See digests as texts that can be compared."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    width = column.type.byte_width
    content = np.frombuffer(column.buffers()[1], dtype=f"S{width}")
    return content[column.offset : column.offset + len(column)]
