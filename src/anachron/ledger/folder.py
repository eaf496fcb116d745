"""The folder of a ledger: made whole or not at all, and readable by its owner alone."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from glob import escape
from pathlib import Path

from anachron.errors import LedgerError
from anachron.ledger import catalog, keys
from anachron.ledger.feed import FEED, kept
from anachron.ledger.keys import check_private
from anachron.ledger.state import STATE
from anachron.release.durable import make_folder, move, remove, sync_folder, write_file

__all__ = [
    "CATALOG",
    "check_access",
    "create",
    "discard",
    "is_new",
    "real",
    "unfinished",
]

CATALOG = "catalog.sqlite"


def real(path: str | Path) -> Path:
    """The place itself, links followed; what is wrong with it is seen when it is opened."""
    # Path.resolve has an error of its own for links that lead in circles.
    return Path(os.path.realpath(path))


def create(path: Path, key: Path | None) -> None:
    """Make a new ledger; if another process was faster, keep that one."""
    if not path.parent.exists():
        make_folder(path.parent)
    # Built aside and moved into place, so that a crash leaves no half of a ledger.
    aside = path.with_name(f".{path.name}.new-{secrets.token_hex(8)}")
    id_ = secrets.token_hex(8)
    key_file = keys.new_place(aside, id_, key)
    if key_file.is_relative_to(path):
        raise LedgerError(f"{key_file} is in the ledger. Name a place that is not copied with it.")
    try:
        make_folder(aside, 0o700)
        make_folder(aside / STATE, 0o700)
        write_file(aside / CATALOG, b"", 0o600)
        catalog.create(aside / CATALOG, id_, keys.make(key_file))
        sync_folder(aside)
        move(aside, path)
    except (OSError, LedgerError):
        if key is None and aside.exists():  # the key is of a ledger that there will not be
            remove(key_file)
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
    for part in (path, path / CATALOG, path / STATE):
        check_private(part)
    if os.path.lexists(path / FEED):
        check_private(path / FEED)
    for part in (*sorted((path / STATE).iterdir()), *kept(path)):
        # A publisher at work may just have moved it, or removed what a feed no longer needs.
        with suppress(FileNotFoundError):
            check_private(part)


def unfinished(path: Path) -> list[Path]:
    """Give what creations that crashed have left beside a ledger."""
    return sorted(path.parent.glob(f".{escape(path.name)}.new-*"))
