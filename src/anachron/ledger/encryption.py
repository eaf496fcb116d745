"""What a ledger keeps is encrypted: nobody reads it, or alters it unseen, without the key.

The cipher is that of Parquet, AES-GCM with 256 bits, for the rows and for all that a file says of
itself. Everything has a key of its own, derived from that of the ledger and its name, so that
nothing can be put in the place of another.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.parquet.encryption import create_decryption_properties, create_encryption_properties

from anachron.errors import LedgerError
from anachron.release.durable import DurableFile, digest_of, failures_as, move, remove
from anachron.streamed import ROWS, Streamed

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
Rows = tuple[pa.Schema, Iterable[pa.RecordBatch]]
"""Rows that are written, once."""


def write(path: Path, rows: Rows, compression: str, key: bytes) -> str:
    """Write a file for good, as its rows come, and return its digest."""
    aside = path.with_name(f".{path.name}.new")
    remove(aside)  # a crash may have left one
    try:
        file = DurableFile(aside, 0o600)
        try:
            _write_into(file, _place(path), rows, compression, key)
            digest = file.finish()
        finally:
            file.close()
        move(aside, path)
    finally:
        remove(aside)
    return digest


def _write_into(file: DurableFile, name: str, rows: Rows, compression: str, key: bytes) -> None:
    schema, batches = rows
    # The first column holds digests that do not repeat: no dictionary helps.
    repeating = {*schema.names} if compression != "none" else _REPEATING & {*schema.names}
    writer = _writer(
        pa.PythonFile(file, mode="w"), schema, key, name,
        compression=compression, use_dictionary=sorted(repeating),
    )  # fmt: skip
    try:
        for group in _groups(schema, batches):
            writer.write_table(group, row_group_size=ROWS)
    except BaseException:
        # The Parquet writer ends its file when it is closed, and might fail once more.
        file.abandon()
        raise
    finally:
        writer.close()


def _groups(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Cut rows into groups of one size, whatever the size of their batches."""
    waiting: list[pa.RecordBatch] = []
    room = ROWS
    for batch in batches:
        while batch.num_rows:
            part = batch.slice(0, room)
            batch = batch.slice(part.num_rows)
            waiting, room = [*waiting, part], room - part.num_rows
            if not room:
                yield pa.Table.from_batches(waiting, schema)
                waiting, room = [], ROWS
    if waiting:
        yield pa.Table.from_batches(waiting, schema)


def read(path: Path, digest: str, key: bytes) -> Streamed:
    """Read a file batch by batch; refuse it, now and then, if it is not as it was written."""

    def batches() -> Iterator[pa.RecordBatch]:
        with failures_as(LedgerError, f"Reading {path}"), _opened(path, digest, key) as file:
            schema = _written_schema(file)
            for group in range(file.num_row_groups):
                yield from file.read_row_group(group).cast(schema).to_batches(ROWS)

    with _opened(path, digest, key) as file:
        return Streamed(_written_schema(file), file.metadata.num_rows, batches)


@contextmanager
def _opened(path: Path, digest: str, key: bytes) -> Iterator[pq.ParquetFile]:
    _check(path, digest)
    opens = create_decryption_properties(_key_for(key, _place(path)))
    try:
        with pq.ParquetFile(path, decryption_properties=opens) as file:
            yield file
    except OSError:
        raise LedgerError(_DAMAGED.format(path)) from None


def read_plain(path: Path, digest: str) -> pa.Table:
    """Read a file of before files were encrypted."""
    _check(path, digest)
    return _typed(pq.ParquetFile(path))


def _check(path: Path, digest: str) -> None:
    try:
        found = digest_of(path)
    except FileNotFoundError:
        raise LedgerError(MISSING.format(path)) from None
    if found != digest:
        raise LedgerError(_DAMAGED.format(path))


def _place(path: Path) -> str:
    """What the key of a file is derived from: where it is in its ledger."""
    return f"{path.parent.name}/{path.stem}"


def _writer(
    sink: Any, schema: pa.Schema, key: bytes, name: str, **written: Any
) -> pq.ParquetWriter:
    """Begin an encrypted Parquet file."""
    return pq.ParquetWriter(
        sink,
        schema,
        write_statistics=False,
        version="2.6",
        encryption_properties=create_encryption_properties(_key_for(key, name)),
        **written,
    )


def _typed(file: pq.ParquetFile) -> pa.Table:
    return file.read().cast(_written_schema(file))


def _written_schema(file: pq.ParquetFile) -> pa.Schema:
    """The types that a table was written with.

    Parquet knows fewer than Arrow: whole seconds, for one, come back in thousandths.
    """
    written = base64.b64decode(file.metadata.metadata[b"ARROW:schema"])
    return pa.ipc.read_schema(pa.BufferReader(written))


def encrypted_text(key: bytes, name: str, text: str) -> str:
    """Write a text so that it can be read with the key alone."""
    table, sink = pa.table({"text": [text]}), pa.BufferOutputStream()
    with _writer(sink, table.schema, key, name, compression="zstd") as writer:
        writer.write_table(table)
    return base64.b64encode(sink.getvalue()).decode()


def decrypted_text(key: bytes, name: str, text: str) -> str:
    """Read what :func:`encrypted_text` wrote; OSError if that was with another key or name."""
    content = pa.BufferReader(base64.b64decode(text))
    opens = create_decryption_properties(_key_for(key, name))
    return str(_typed(pq.ParquetFile(content, decryption_properties=opens))["text"][0].as_py())


def _key_for(key: bytes, name: str) -> bytes:
    return hmac.digest(key, b"encryption\0" + name.encode(), "sha256")
