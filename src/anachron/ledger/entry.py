"""One release as the ledger remembers it, and the chain that seals it."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from anachron.ledger.encryption import decrypted_text, encrypted_text
from anachron.release.describe import DESCRIPTION
from anachron.stores import Address, Place, is_address

__all__ = [
    "COLUMNS",
    "Copies",
    "Entry",
    "Told",
    "from_place",
    "from_row",
    "link",
    "place_of",
    "plain",
    "seal",
    "sealed",
    "to_row",
]

COLUMNS = (
    "number",
    "snapshot",
    "told",
    "files",
    "place",
    "state",
    "committed_at",
)
"""The columns that the chain covers, in order."""

Row = tuple[int | str | None, ...]


@dataclass(frozen=True)
class Copies:
    """CSV files that were written beside a release later."""

    files: dict[str, str]
    """The digest of each file that the release has since."""
    releases: int
    """How many releases there were at that time."""
    written_at: str
    exposed: bool
    """Whether the files are known to be in their place."""


@dataclass(frozen=True)
class Told:
    """What was wished for and how it came about: encrypted, and read when it is asked for."""

    number: int
    text: str
    key: bytes = field(repr=False)

    @classmethod
    def of(cls, key: bytes, number: int, plan: dict[str, Any], explanation: dict[str, Any]) -> Told:
        """Encrypt plan and explanation of a release."""
        text = plain({"explanation": explanation, "plan": plan})
        return cls(number, encrypted_text(key, _name(number), text), key)

    @cached_property
    def content(self) -> dict[str, dict[str, Any]]:
        """The plan and the explanation."""
        found: dict[str, dict[str, Any]] = json.loads(
            decrypted_text(self.key, _name(self.number), self.text)
        )
        return found


@dataclass(frozen=True)
class Entry:
    """What the ledger knows of one release."""

    number: int
    snapshot: str
    """A keyed digest of the rows and roles that were published."""
    told: Told
    files: dict[str, str]
    """The SHA-256 digest of each published file."""
    to: Place
    """The folder that holds the release's folder, or its place in a store."""
    state: str | None
    """The digest of the file with the subjects of the release."""
    committed_at: str
    """When it was recorded, in ISO 8601 and UTC."""
    chain: str
    """Seals this entry and all before it."""
    exposed: bool
    """Whether the folder is known to have its final name, and its copies to be in it."""
    copied_from: dict[str, str] | None = None
    """The files as they were first published, if CSV files were written beside them later."""
    copied_after: int = 0
    """How many releases there were when that was done."""

    def with_copies(self, copies: Copies) -> Entry:
        """The release as it is since CSV files were written beside it."""
        return replace(
            self,
            files=copies.files,
            exposed=self.exposed and copies.exposed,
            copied_from=self.files,
            copied_after=copies.releases,
        )

    def package_for(self, number: int) -> str:
        """The digest of the description as it was when a later release was made."""
        if self.copied_from is not None and self.copied_after >= number:
            return self.copied_from[DESCRIPTION]
        return self.package

    @property
    def plan(self) -> dict[str, Any]:
        """The schema and the guarantee that were asked for."""
        return self.told.content["plan"]

    @property
    def explanation(self) -> dict[str, Any]:
        """How the release came about, in figures."""
        return self.told.content["explanation"]

    @property
    def path(self) -> Place:
        """The folder of the release, or its address in a store."""
        return self.to / f"{self.number:04d}"

    @property
    def package(self) -> str:
        """The digest of the release's description."""
        return self.files[DESCRIPTION]


def plain(value: Any) -> str:
    """Write plain values in the one form that is hashed and stored."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def sealed(entry: Entry, previous: str, ledger: Path) -> Entry:
    """Give the entry its link to the chain that ends in ``previous``."""
    return replace(entry, chain=link(previous, to_row(entry, ledger)))


def to_row(entry: Entry, ledger: Path) -> Row:
    """Give the values of :data:`COLUMNS`."""
    return (
        entry.number,
        entry.snapshot,
        entry.told.text,
        plain(entry.files),
        place_of(entry.to, ledger),
        entry.state,
        entry.committed_at,
    )


def from_row(row: Row, previous: str, ledger: Path, key: bytes) -> Entry | None:
    """Read an entry back, or None if it does not continue the chain."""
    content, chain, exposed = row[:-2], row[-2], row[-1]
    if any(isinstance(value, bytes | float) for value in row) or exposed not in (None, chain):
        return None
    if chain != link(previous, content):
        return None
    known: Mapping[str, Any] = dict(zip(COLUMNS, content, strict=True))
    return Entry(
        number=known["number"],
        snapshot=known["snapshot"],
        told=Told(known["number"], known["told"], key),
        files=json.loads(known["files"]),
        to=from_place(known["place"], ledger),
        state=known["state"],
        committed_at=known["committed_at"],
        chain=str(chain),
        exposed=exposed is not None,
    )


def place_of(to: Place, ledger: Path) -> str:
    """Say where a folder is: from the ledger if they are neighbours, so that both can be moved."""
    if isinstance(to, Path) and to.is_relative_to(ledger.parent):
        return os.path.relpath(to, ledger)
    return str(to)


def from_place(text: str, ledger: Path) -> Place:
    """Find what :func:`place_of` wrote, links not followed."""
    return Address.of(text) if is_address(text) else Path(os.path.normpath(ledger / text))


def seal(key: bytes, *facts: object) -> str:
    """Digest facts about the ledger itself with its key."""
    return hmac.digest(key, plain(["ledger", *facts]).encode(), "sha256").hex()


def link(previous: str, row: Row) -> str:
    """Give the chain that ends with a row, from the one that ends before it."""
    return hashlib.sha256(f"{previous}\n{plain(list(row))}".encode()).hexdigest()


def _name(number: int) -> str:
    return f"told/{number:04d}"
