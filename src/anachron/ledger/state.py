"""Who is in a release, and from when to when: immutable files of keyed digests."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anachron.errors import InternalError, LedgerError
from anachron.ledger.pseudonyms import PSEUDONYM
from anachron.release.durable import move, remove, write_file

__all__ = ["common_subjects", "read", "write"]

_SPANS = pa.schema(
    [("subject", PSEUDONYM), ("first", pa.int64()), ("until", pa.int64())],
)


def write(path: Path, state: pa.Table) -> str:
    """Write a state file in the order of its pseudonyms, and return its digest."""
    if _SPANS.field("subject") not in state.schema:
        raise InternalError("The state of a release lacks its subjects.")
    sink = pa.BufferOutputStream()
    # Keyed digests do not repeat and do not shrink: neither dictionary nor compression helps.
    pq.write_table(
        state.sort_by("subject"), sink, compression="none", use_dictionary=False, version="2.6"
    )
    aside = path.with_name(f".{path.name}.new")
    try:
        digest = write_file(aside, sink.getvalue().to_pybytes(), 0o600)
        move(aside, path)
    finally:
        remove(aside)
    return digest


def read(path: Path, digest: str) -> pa.Table:
    """Read a state file, and refuse it if it is not as it was written."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise LedgerError(f"{path} is missing. Restore the ledger from a backup.") from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise LedgerError(f"{path} is damaged. Restore the ledger from a backup.")
    return pq.read_table(pa.BufferReader(content))


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
