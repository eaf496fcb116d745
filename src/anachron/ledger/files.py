"""The files of a ledger: written whole, private, encrypted, and refused once altered."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.errors import LedgerError
from anachron.ledger.encryption import decrypted, encrypted, typed
from anachron.release.durable import move, remove, write_file

__all__ = ["MISSING", "PLAIN", "SUFFIX", "read", "read_plain", "write"]

SUFFIX = ".encrypted"
PLAIN = ".parquet"
"""The ending of files of before they were encrypted."""
MISSING = "{} is missing. Restore the ledger from a backup."
_DAMAGED = "{} is damaged. Restore the ledger from a backup."
_REPEATING = {"value", "signature", "home", "snapshot"}


def write(path: Path, table: pa.Table, compression: str, key: bytes) -> str:
    """Write a file for good, and return its digest."""
    # The first column holds digests that do not repeat: no dictionary helps.
    repeating = table.column_names if compression != "none" else _REPEATING & {*table.column_names}
    content = encrypted(
        key, _name(path), table, compression=compression, use_dictionary=sorted(repeating)
    )
    aside = path.with_name(f".{path.name}.new")
    remove(aside)  # a crash may have left one
    try:
        digest = write_file(aside, content, 0o600)
        move(aside, path)
    finally:
        remove(aside)
    return digest


def read(path: Path, digest: str, key: bytes) -> pa.Table:
    """Read a file, and refuse it if it is not as it was written."""
    content = _as_written(path, digest)
    try:
        return decrypted(key, _name(path), content)
    except OSError:
        raise LedgerError(_DAMAGED.format(path)) from None


def read_plain(path: Path, digest: str) -> pa.Table:
    """Read a file of before files were encrypted."""
    return typed(pq.ParquetFile(pa.BufferReader(_as_written(path, digest))))


def _as_written(path: Path, digest: str) -> bytes:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise LedgerError(MISSING.format(path)) from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise LedgerError(_DAMAGED.format(path))
    return content


def _name(path: Path) -> str:
    """What the key of a file is derived from: where it is in its ledger."""
    return f"{path.parent.name}/{path.stem}"
