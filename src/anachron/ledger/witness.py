"""A witness outside the ledger: how far its history has come, so that no older copy goes on.

A ledger that was restored from a backup would give out a number again, and two different
releases of the same people intersect. The releases themselves tell, as long as they stay in their
folder. A witness tells always: a small file elsewhere, sealed with the ledger's key, which is
raised before a release is exposed and never lowered.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from anachron.errors import LedgerError
from anachron.ledger.catalog import Catalog
from anachron.ledger.entry import Entry, seal
from anachron.release.durable import failures_as, make_folder, move, remove, write_file

__all__ = ["ENVIRONMENT", "Witness", "check", "file_of", "read", "witnessed"]

ENVIRONMENT = "ANACHRON_WITNESS"
"""Names a folder that holds witnesses of ledgers, each as ``<id of the ledger>.witness``."""


@dataclass(frozen=True)
class Witness:
    """Where a history stood: its releases and pushes, and what the last of each is known by."""

    ledger: str
    releases: int
    chain: str
    pushes: int
    digest: str

    @classmethod
    def of(cls, catalog: Catalog) -> Witness:
        """What can be attested of a ledger now."""
        head = catalog.head()
        pushed = (0, "") if head.memory is None else (head.memory.push, head.memory.digest)
        return cls(head.id, head.releases, head.chain, *pushed)

    def agrees(self, now: Witness, entries: Sequence[Entry]) -> bool:
        """Whether a history that is there now goes on from here."""
        if self.releases > now.releases or self.pushes > now.pushes:
            return False
        chain = entries[self.releases - 1].chain if self.releases else now.ledger
        return chain == self.chain and (self.pushes < now.pushes or self.digest == now.digest)

    def sealed(self, key: bytes) -> str:
        """Digest all of it with the key of the ledger."""
        return seal(key, "witness", *asdict(self).values())


def file_of(id_: str, folder: str | Path | None = None) -> Path | None:
    """Where the witness of a ledger is to be, if one is wished for."""
    place = folder or os.environ.get(ENVIRONMENT)
    return Path(os.path.realpath(Path(place).expanduser())) / f"{id_}.witness" if place else None


def read(file: Path, key: bytes) -> Witness | None:
    """Read a witness that was sealed with this key; None if there is none yet."""
    try:
        told = json.loads(file.read_bytes())
        found = Witness(**{name: told.pop(name) for name in Witness.__dataclass_fields__})
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise _altered(file) from None
    if told != {"seal": found.sealed(key)}:
        raise _altered(file)
    return found


def check(catalog: Catalog, file: Path | None) -> None:
    """Refuse a ledger that is older than its witness, or of another history."""
    if file is None:
        return
    # First the witness: a publisher at work raises it after the ledger.
    with failures_as(LedgerError, "Reading the ledger's witness"):
        found = read(file, catalog.key)
    if found is None:
        return
    entries, now = catalog.entries(), Witness.of(catalog)
    if found.ledger != now.ledger or not found.agrees(now, entries):
        raise LedgerError(
            f"The ledger has {now.releases} releases and {now.pushes} pushes of a feed, and its "
            f"witness {file} has seen {found.releases} and {found.pushes}, or others. It was "
            "restored from an older copy: use the newest one. What was published since would be "
            "published again, and differently."
        )


def witnessed(catalog: Catalog, file: Path | None) -> None:
    """Let the witness of a ledger see where it stands, unless it has seen more already."""
    if file is None:
        return
    if not file.parent.exists():
        make_folder(file.parent, 0o700)
    with _alone(file.parent):
        found, now = read(file, catalog.key), Witness.of(catalog)
        if found is not None and not found.agrees(now, catalog.entries()):
            # Another publisher was faster; or, if not, the next check refuses.
            return
        if found != now:
            _write(file, {**asdict(now), "seal": now.sealed(catalog.key)})


def _write(file: Path, told: dict[str, object]) -> None:
    aside = file.with_name(f".{file.name}.{secrets.token_hex(8)}.new")
    try:
        write_file(aside, (json.dumps(told, indent=2) + "\n").encode(), 0o600)
        move(aside, file)
    finally:
        remove(aside)


def _altered(file: Path) -> LedgerError:
    return LedgerError(
        f"The witness {file} was altered, is damaged, or is of another ledger. Restore it from a "
        "backup; if you know that the ledger is its newest copy, move the witness away, and the "
        "next release begins a new one."
    )


if sys.platform == "win32":  # pragma: no cover

    @contextmanager
    def _alone(_folder: Path) -> Iterator[None]:
        yield

else:
    import fcntl

    @contextmanager
    def _alone(folder: Path) -> Iterator[None]:
        """Be the only one who raises a witness here."""
        here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(here, fcntl.LOCK_EX)
            yield
        finally:
            os.close(here)
