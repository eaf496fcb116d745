"""The folder of a ledger: made whole or not at all, and readable by its owner alone."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from glob import escape
from pathlib import Path

from anachron.errors import LedgerError
from anachron.ledger import catalog
from anachron.ledger.feed import FEED, kept
from anachron.release.durable import make_folder, move, remove, sync_folder, write_file

__all__ = [
    "CATALOG",
    "STATE",
    "check_access",
    "create",
    "discard",
    "is_new",
    "read_key",
    "state_file",
    "unfinished",
]

CATALOG = "catalog.sqlite"
STATE = "state"
_KEY = "key"
_KEY_BYTES = 32


def create(path: Path) -> None:
    """Make a new ledger; if another process was faster, keep that one."""
    if not path.parent.exists():
        make_folder(path.parent)
    # Built aside and moved into place, so that a crash leaves no half of a ledger.
    aside = path.with_name(f".{path.name}.new-{secrets.token_hex(8)}")
    try:
        make_folder(aside, 0o700)
        make_folder(aside / STATE, 0o700)
        key = secrets.token_bytes(_KEY_BYTES)
        write_file(aside / _KEY, key, 0o600)
        write_file(aside / CATALOG, b"", 0o600)
        catalog.create(aside / CATALOG, secrets.token_hex(8), key)
        sync_folder(aside)
        move(aside, path)
    except (OSError, LedgerError):
        if is_new(path):
            raise
    finally:
        discard(aside)


def discard(aside: Path) -> bool:
    """Remove an unfinished ledger, if nobody is making or removing it just now."""
    with suppress(OSError):
        remove(aside)
    return not aside.exists()


def is_new(path: Path) -> bool:
    """Whether there is nothing yet where the ledger is to be."""
    return not path.exists() or (path.is_dir() and not any(path.iterdir()))


def check_access(path: Path) -> None:
    """Refuse a folder that is not a ledger, or that others could read."""
    if not path.is_dir() or not (path / CATALOG).exists():
        raise LedgerError(
            f"{path} is not a ledger: it has no {CATALOG}. Name a ledger, or a folder that is "
            "empty or new; if this was a ledger, restore it from a backup."
        )
    for part in (path, path / CATALOG, path / STATE, *(path / STATE).glob("*.parquet")):
        _check_private(part)
    if os.path.lexists(path / FEED):
        _check_private(path / FEED)
    for part in kept(path):
        # A publisher at work may just have removed what a feed no longer needs.
        with suppress(FileNotFoundError):
            _check_private(part)
    if not (path / _KEY).exists():
        raise LedgerError(
            f"The key {path / _KEY} is missing. Restore it from a backup: without it nobody in "
            "earlier releases can be recognised."
        )
    _check_private(path / _KEY)


def unfinished(path: Path) -> list[Path]:
    """Give what creations that crashed have left beside a ledger."""
    return sorted(path.parent.glob(f".{escape(path.name)}.new-*"))


def read_key(path: Path) -> bytes:
    """Read the secret key of a ledger."""
    key = (path / _KEY).read_bytes()
    if len(key) != _KEY_BYTES:
        raise LedgerError(f"The key {path / _KEY} is damaged. Restore it from a backup.")
    return key


def state_file(path: Path, number: int) -> Path:
    """Where the subjects of a release are kept."""
    return path / STATE / f"{number:04d}.parquet"


def _check_private(part: Path) -> None:
    found = os.lstat(part)
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        raise LedgerError(f"{part} is not a plain file or folder. Restore it from a backup.")
    if os.name != "posix":  # elsewhere the mode bits say nothing
        return
    if found.st_uid != os.geteuid():
        raise LedgerError(
            f"{part} belongs to another user. Work as that user, or use a ledger of your own."
        )
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise LedgerError(f"Others may read {part}. Run: chmod -R go-rwx {part}")
