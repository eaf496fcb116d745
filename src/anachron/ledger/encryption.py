"""What a ledger keeps is encrypted: nobody reads or alters it without the key.

The cipher is that of Parquet, AES-GCM with 256 bits, for the rows and for all that a file says of
itself. Everything has a key of its own, derived from that of the ledger and its name, so that
nothing can be put in the place of another.
"""

from __future__ import annotations

import base64
import hmac
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.parquet.encryption import create_decryption_properties, create_encryption_properties

__all__ = ["decrypted", "decrypted_text", "encrypted", "encrypted_text", "typed"]


def encrypted(key: bytes, name: str, table: pa.Table, **written: Any) -> bytes:
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


def decrypted(key: bytes, name: str, content: bytes) -> pa.Table:
    """Read what :func:`encrypted` wrote; OSError if that was with another key or name."""
    opens = create_decryption_properties(_key_for(key, name))
    return typed(pq.ParquetFile(pa.BufferReader(content), decryption_properties=opens))


def typed(file: pq.ParquetFile) -> pa.Table:
    """Read a table with the types that it was written with.

    Parquet knows fewer than Arrow: whole seconds, for one, come back in thousandths.
    """
    written = base64.b64decode(file.metadata.metadata[b"ARROW:schema"])
    return file.read().cast(pa.ipc.read_schema(pa.BufferReader(written)))


def encrypted_text(key: bytes, name: str, text: str) -> str:
    """Write a text so that it can be read with the key alone."""
    content = encrypted(key, name, pa.table({"text": [text]}), compression="zstd")
    return base64.b64encode(content).decode()


def decrypted_text(key: bytes, name: str, text: str) -> str:
    """Read what :func:`encrypted_text` wrote."""
    return str(decrypted(key, name, base64.b64decode(text))["text"][0].as_py())


def _key_for(key: bytes, name: str) -> bytes:
    return hmac.digest(key, b"encryption\0" + name.encode(), "sha256")
