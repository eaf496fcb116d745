"""What a feed remembers between two pushes: the records that are not yet published.

Unlike the state of a release these are records as they came, so only the newest are kept, in
one file, and only until the next push.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from anachron.errors import LedgerError
from anachron.ledger import encryption
from anachron.ledger.encryption import MISSING, SUFFIX
from anachron.release.durable import make_folder, remove, sync_folder

__all__ = [
    "FEED",
    "Memory",
    "check_up_to_date",
    "feed_file",
    "forget",
    "is_over",
    "kept",
    "leftovers",
    "read",
    "write",
]

FEED = "feed"


@dataclass(frozen=True)
class Memory:
    """What the catalog records of a feed."""

    push: int
    """How many pushes the feed has had."""
    digest: str
    """The digest of the file with its records."""


def feed_file(ledger: Path, push: int) -> Path:
    """Where the records are kept that were not yet published after a push."""
    return ledger / FEED / f"{push:04d}{SUFFIX}"


def kept(ledger: Path) -> list[Path]:
    """Give all files of the feed; ledgers without a feed have no folder for them."""
    folder = ledger / FEED
    return sorted(folder.iterdir()) if folder.is_dir() else []


def write(ledger: Path, push: int, records: pa.Table, key: bytes) -> Memory:
    """Write the records of a push, which do not count before the catalog knows them."""
    folder = ledger / FEED
    if not folder.exists():
        make_folder(folder, 0o700)
    rows = records.schema, records.to_batches()
    return Memory(push, encryption.write(feed_file(ledger, push), rows, "zstd", key))


def read(ledger: Path, memory: Memory, key: bytes) -> pa.Table:
    """Read the records, and refuse them if they are not as they were written."""
    return encryption.read(feed_file(ledger, memory.push), memory.digest, key).table()


def forget(file: Path) -> None:
    """Remove records that are no longer needed, so that no power cut brings them back."""
    remove(file)
    sync_folder(file.parent)


def is_over(file: Path, memory: Memory | None) -> bool:
    """Whether a file is of a push before the recorded one."""
    return file.stem.isdecimal() and memory is not None and int(file.stem) < memory.push


def check_up_to_date(memory: Memory | None, found: Sequence[Path]) -> None:
    """Refuse to go on if there are records that are newer than the catalog.

    A crash leaves files of the push before or of the one under way, never later ones. To take
    these for leftovers would lose them.
    """
    push = memory.push if memory is not None else 0
    for file in found:
        if file.stem.isdecimal() and int(file.stem) > push + 1:
            raise LedgerError(
                f"{file} is newer than the catalog of the ledger (was the catalog alone restored "
                "from a backup?). Restore the whole ledger from its newest backup."
            )


def leftovers(ledger: Path, memory: Memory | None) -> list[Path]:
    """Give the files that belong to no recorded push, if the recorded one is there."""
    found = kept(ledger)
    check_up_to_date(memory, found)
    if memory is None:
        return found
    recorded = feed_file(ledger, memory.push)
    if recorded not in found:
        raise LedgerError(MISSING.format(recorded))
    return [file for file in found if file != recorded]
