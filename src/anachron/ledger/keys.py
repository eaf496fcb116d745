"""The key of a ledger: in its folder, or in a place of its own that a thief does not copy too."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from anachron.errors import LedgerError
from anachron.ledger.head import key_check
from anachron.release.durable import make_folder, move, remove, sync_folder, write_file

__all__ = ["ENVIRONMENT", "check_private", "find", "make", "move_key", "new_place", "read"]

ENVIRONMENT = "ANACHRON_KEYS"
"""Names a folder that holds keys of ledgers, each as ``<id of the ledger>.key``."""
_KEY = "key"
_BYTES = 32


def new_place(ledger: Path, id_: str, given: Path | None) -> Path:
    """Where the key of a new ledger is to be."""
    return given or _elsewhere(id_) or ledger / _KEY


def make(file: Path) -> bytes:
    """Make a key for good, or take the one that is there."""
    if file.exists():
        check_private(file)
        return _content(file)
    key = secrets.token_bytes(_BYTES)
    _write(file, key)
    return key


def find(ledger: Path, id_: str, given: Path | None) -> Path:
    """Give the file of the key, or say how to name it."""
    places = [given] if given is not None else [ledger / _KEY, _elsewhere(id_)]
    for file in places:
        if file is not None and os.path.lexists(file):
            check_private(file)
            return file
    if given is not None:
        raise LedgerError(f"There is no key at {given}. Name the file with the ledger's key.")
    raise LedgerError(
        f"The key of the ledger {ledger} is missing. If it is kept elsewhere, set {ENVIRONMENT} "
        f"to the folder that holds {id_}.key; else restore {ledger / _KEY} from a backup. Without "
        "it nobody in earlier releases can be recognised."
    )


def read(file: Path, check: str) -> bytes:
    """Read a key, and refuse one that is not of this ledger."""
    key = _content(file)
    if key_check(key) != check:
        raise LedgerError(
            f"The key {file} is not the one this ledger was made with, or the catalog is damaged. "
            "Name the right key, or restore the whole ledger from a backup: without its key "
            "nobody in earlier releases can be recognised."
        )
    return key


def move_key(file: Path, ledger: Path, id_: str, to: Path) -> Path:
    """Move a key into a folder of keys; both places hold it for a moment, never none."""
    target = to / _named(id_)
    if target == file:
        return target
    if target.is_relative_to(ledger):
        raise LedgerError(f"{to} is in the ledger. Name a folder that is not copied with it.")
    key = _content(file)
    if os.path.lexists(target):
        check_private(target)
        if _content(target) != key:
            raise LedgerError(f"{target} is another key. Move it away, or name another folder.")
    else:
        _write(target, key)
    remove(file)
    sync_folder(file.parent)
    return target


def check_private(part: Path) -> None:
    """Refuse a file or folder that others could read."""
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


def _elsewhere(id_: str) -> Path | None:
    folder = os.environ.get(ENVIRONMENT)
    return Path(folder).expanduser().resolve() / _named(id_) if folder else None


def _named(id_: str) -> str:
    return f"{id_}.key"


def _content(file: Path) -> bytes:
    with file.open("rb") as opened:
        key = opened.read(_BYTES + 1)  # whatever is longer is no key
    if len(key) != _BYTES:
        raise LedgerError(f"The key {file} is damaged. Restore it from a backup.")
    return key


def _write(file: Path, key: bytes) -> None:
    if not file.parent.exists():
        make_folder(file.parent, 0o700)
    aside = file.with_name(f".{file.name}.{secrets.token_hex(8)}.new")
    try:
        write_file(aside, key, 0o600)
        move(aside, file)
    finally:
        remove(aside)
