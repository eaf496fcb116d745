"""Micro-batches of a stream: rows of the newest snapshot wait until a later one begins.

A batch ends wherever it happens to, often within a snapshot. What is pushed is whole snapshots:
those before the newest that came, with all their rows, from however many batches, one after the
other. The rest waits in a file of the ledger, encrypted as all of it.

A batch is delivered at least once. There is a file for the number of each batch that may come:
what waited before it. It is written when the batch before is done, and removed when the one after
is. So a batch that comes again finds what it found before, and makes the same push of it, which
the feed recognises. Nothing else is needed for exactly once.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from anachron.engines.opening import is_of_spark
from anachron.errors import AlreadyPublished, LedgerError, TableError
from anachron.ledger import Ledger, encryption
from anachron.release.durable import failures_as, make_folder, remove, sync_folder
from anachron.schema import Schema

__all__ = ["Stream", "batch_of", "together"]

STREAM = "stream"
_DIGITS = 12


@dataclass(frozen=True)
class Stream:
    """What waits of a stream, in the ledger of its feed."""

    ledger: Path

    def before(self, number: int) -> pa.Table | None:
        """What waited before a batch; None of the first that ever comes."""
        files = self._files()
        if not files:
            return None
        if number not in files:
            raise LedgerError(
                f"batch {number} cannot follow: this feed is at batch {max(files)} of a stream. "
                "Go on with the checkpoint of that stream. If it is lost, flush ends the feed with "
                "all that came; what comes later needs a new ledger."
            )
        return self._read(files[number])

    @property
    def waiting(self) -> pa.Table | None:
        """The rows that wait now, if there are any."""
        files = self._files()
        rows = self._read(files[max(files)]) if files else None
        return rows if rows is not None and rows.num_rows else None

    def keep(self, number: int, rows: pa.Table) -> None:
        """Keep what waits before a batch, and what waited before the last one, and nothing else."""
        folder, key = self.ledger / STREAM, self._key
        with failures_as(LedgerError, f"Writing {folder}"):
            if not folder.exists():
                make_folder(folder, 0o700)
            file = folder / f"{number:0{_DIGITS}d}{encryption.SUFFIX}"
            encryption.write(file, (rows.schema, rows.to_batches()), "zstd", key)
            for other, old in self._files().items():
                if other < number - 1:
                    remove(old)
            sync_folder(folder)

    def forget(self) -> None:
        """Remove it all: nothing waits any more."""
        folder = self.ledger / STREAM
        with failures_as(LedgerError, f"Removing {folder}"):
            for file in sorted(self._files().values(), reverse=True):
                remove(file)
            if folder.is_dir():
                sync_folder(folder)

    def refuse_waiting(self) -> None:
        """Refuse what would go past rows that wait."""
        if (rows := self.waiting) is not None:
            raise AlreadyPublished(
                f"{rows.num_rows:,} rows of a stream wait until their snapshot is over: nothing "
                "can be pushed past them. Go on with the stream, or end the feed with flush."
            )

    def _files(self) -> dict[int, Path]:
        """By the number of the batch that they are for."""
        folder = self.ledger / STREAM
        if not folder.is_dir():
            return {}
        return {
            int(file.stem): file
            for file in folder.iterdir()
            if file.suffix == encryption.SUFFIX and file.stem.isdecimal()
        }

    def _read(self, file: Path) -> pa.Table:
        with failures_as(LedgerError, f"Reading {file}"):
            # The cipher tells whether it is as it was written, and for which batch.
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            return encryption.read(file, digest, self._key).table()

    @property
    def _key(self) -> bytes:
        return Ledger.open(self.ledger).key


def batch_of(rows: object, schema: Schema, each: int) -> pa.Table:
    """The columns of a micro-batch that have a role."""
    if is_of_spark(rows):
        from anachron.engines.spark.gathering import gathered

        return gathered(rows, schema, each)
    if not isinstance(rows, pa.Table):
        raise TableError("a batch is a DataFrame of Spark, or a table of Arrow.")
    return rows.select([name for name in schema.columns if name in rows.column_names])


def together(waiting: pa.Table | None, batch: pa.Table) -> pa.Table:
    """What waited, and what came."""
    if waiting is None or not waiting.num_rows:
        return batch
    if not batch.num_rows:
        return waiting
    try:
        return pa.concat_tables([waiting, batch.select(waiting.column_names)])
    except (pa.ArrowException, KeyError):
        raise TableError(
            "the columns of this batch are not of the types that those before had.",
            remedy="Give all batches of a stream the same columns.",
        ) from None
