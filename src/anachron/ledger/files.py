"""The Parquet files of a ledger: written whole, private, and refused once altered."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.errors import LedgerError
from anachron.release.durable import move, remove, write_file

__all__ = ["MISSING", "read", "write"]

_REPEATING = {"value", "signature", "home", "snapshot"}
MISSING = "{} is missing. Restore the ledger from a backup."


def write(path: Path, table: pa.Table, compression: str) -> str:
    """Write a file for good, and return its digest."""
    sink = pa.BufferOutputStream()
    # The first column holds digests that do not repeat: no dictionary helps.
    repeating = table.column_names if compression != "none" else _REPEATING & {*table.column_names}
    pq.write_table(
        table,
        sink,
        compression=compression,
        use_dictionary=sorted(repeating),
        write_statistics=False,
        version="2.6",
    )
    aside = path.with_name(f".{path.name}.new")
    try:
        digest = write_file(aside, sink.getvalue().to_pybytes(), 0o600)
        move(aside, path)
    finally:
        remove(aside)
    return digest


def read(path: Path, digest: str) -> pa.Table:
    """Read a file, and refuse it if it is not as it was written."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise LedgerError(MISSING.format(path)) from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise LedgerError(f"{path} is damaged. Restore the ledger from a backup.")
    file = pq.ParquetFile(pa.BufferReader(content))
    # Parquet knows fewer types than Arrow: whole seconds, for one, come back in thousandths.
    written = base64.b64decode(file.metadata.metadata[b"ARROW:schema"])
    return file.read().cast(pa.ipc.read_schema(pa.BufferReader(written)))
