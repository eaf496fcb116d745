"""Who is in a release, and from when to when: immutable files of keyed digests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.errors import InternalError
from anachron.ledger import files
from anachron.ledger.pseudonyms import PSEUDONYM

__all__ = ["common_subjects", "write"]

_SPANS = pa.schema(
    [("subject", PSEUDONYM), ("first", pa.int64()), ("until", pa.int64())],
)
_RECORD = pa.field("record", pa.binary(16))


def write(path: Path, state: pa.Table) -> str:
    """Write a state file in the order of its keyed digests, and return its own digest.

    It holds digests of subjects or, for a feed, of records.
    """
    first = state.schema.field(0)
    if first not in (_SPANS.field("subject"), _RECORD):
        raise InternalError("The state of a release lacks its subjects.")
    ordered = state if _ascends(state[first.name]) else state.sort_by(first.name)
    # Keyed digests do not shrink.
    return files.write(path, ordered, "none")


def _ascends(digests: pa.ChunkedArray) -> bool:
    """Whether digests are in order already: most are, and sorting takes as long as writing."""
    if digests.num_chunks != 1:
        return False
    chunk, width = digests.chunk(0), digests.type.byte_width
    content = np.frombuffer(chunk.buffers()[1], dtype=f"S{width}")
    texts = content[chunk.offset : chunk.offset + len(chunk)]
    return bool((texts[1:] >= texts[:-1]).all())


def common_subjects(state: pa.Table, spans: pa.Table) -> int:
    """Count the subjects of ``spans`` that ``state`` holds at an overlapping time.

    A state without times is of a register: it holds its people at all times.
    """
    if "first" not in state.column_names:
        return int(pc.sum(pc.is_in(spans["subject"], state["subject"])).as_py() or 0)
    joined = state.select(_SPANS.names).join(
        spans.rename_columns(["subject", "other_first", "other_until"]),
        "subject",
        join_type="inner",
    )
    overlapping = pc.and_(
        pc.less(joined["first"], joined["other_until"]),
        pc.less(joined["other_first"], joined["until"]),
    )
    return int(pc.count_distinct(joined.filter(overlapping)["subject"]).as_py())
