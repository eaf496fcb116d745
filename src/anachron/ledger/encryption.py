"""What a ledger keeps is encrypted: nobody reads it, or alters it unseen, without the key.

The cipher is that of Parquet, AES-GCM with 256 bits, for the rows and for all that a file says of
itself. Everything has a key of its own, derived from that of the ledger and its name, so that
nothing can be put in the place of another.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.parquet.encryption import create_decryption_properties, create_encryption_properties

from anachron.errors import LedgerError
from anachron.release.durable import move, remove, write_file

__all__ = [
    "MISSING",
    "PLAIN",
    "SUFFIX",
    "decrypted_text",
    "encrypted_text",
    "read",
    "read_plain",
    "write",
]

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
    content = _encrypted(
        key, _place(path), table, compression=compression, use_dictionary=sorted(repeating)
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
        return _decrypted(key, _place(path), content)
    except OSError:
        raise LedgerError(_DAMAGED.format(path)) from None


def read_plain(path: Path, digest: str) -> pa.Table:
    """Read a file of before files were encrypted."""
    return _typed(pq.ParquetFile(pa.BufferReader(_as_written(path, digest))))


def _as_written(path: Path, digest: str) -> bytes:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise LedgerError(MISSING.format(path)) from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise LedgerError(_DAMAGED.format(path))
    return content


def _place(path: Path) -> str:
    """What the key of a file is derived from: where it is in its ledger."""
    return f"{path.parent.name}/{path.stem}"


def _encrypted(key: bytes, name: str, table: pa.Table, **written: Any) -> bytes:
    """Write a table as the bytes of an encrypted Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        write_statistics=False,
        version="2.6",
        encryption_properties=create_encryption_properties(_key_for(key, name)),
        **written,
    )
    return bytes(sink.getvalue())


def _decrypted(key: bytes, name: str, content: bytes) -> pa.Table:
    """Read what :func:`_encrypted` wrote; OSError if that was with another key or name."""
    opens = create_decryption_properties(_key_for(key, name))
    return _typed(pq.ParquetFile(pa.BufferReader(content), decryption_properties=opens))


def _typed(file: pq.ParquetFile) -> pa.Table:
    """Read a table with the types that it was written with.

    Parquet knows fewer than Arrow: whole seconds, for one, come back in thousandths.
    """
    written = base64.b64decode(file.metadata.metadata[b"ARROW:schema"])
    return file.read().cast(pa.ipc.read_schema(pa.BufferReader(written)))


def encrypted_text(key: bytes, name: str, text: str) -> str:
    """Write a text so that it can be read with the key alone."""
    content = _encrypted(key, name, pa.table({"text": [text]}), compression="zstd")
    return base64.b64encode(content).decode()


def decrypted_text(key: bytes, name: str, text: str) -> str:
    """Read what :func:`encrypted_text` wrote."""
    return str(_decrypted(key, name, base64.b64decode(text))["text"][0].as_py())


def _key_for(key: bytes, name: str) -> bytes:
    return hmac.digest(key, b"encryption\0" + name.encode(), "sha256")
