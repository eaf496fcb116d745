"""What a store must do: four verbs, of which one writes, and none overwrites."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

__all__ = ["NoSuchPlace", "Store", "StoreFailure", "Stored", "content_of", "copied", "digest_at"]


class StoreFailure(OSError):
    """A store did not do what it was asked to, and what helps."""

    def __init__(self, what: str, place: object, remedy: str) -> None:
        super().__init__(errno.EREMOTEIO, what, str(place))
        self.remedy = remedy


class NoSuchPlace(StoreFailure):
    """There is nothing at an address, not even a bucket."""


@dataclass(frozen=True)
class Stored:
    """An object of a store: how many bytes it has, and its bytes, piece by piece."""

    size: int
    pieces: Iterator[bytes]
    """To be closed, if it is not read to its end."""


class Store(Protocol):
    """A place of an object store. Names are those of objects below it.

    What was put is found from then on; what a list tells may be late.
    """

    def put_new(self, name: str, content: BinaryIO, sha256: str) -> bool:
        """Put an object where none is; if there is one, leave it and say so."""

    def get(self, name: str) -> Stored | None:
        """Give an object, if it is there."""

    def names(self) -> list[str]:
        """List what is there, as far as the store knows it by now."""


def digest_at(store: Store, name: str) -> str | None:
    """The SHA-256 digest of an object; None if it is not there."""
    found = store.get(name)
    if found is None:
        return None
    digest = hashlib.sha256()
    for piece in found.pieces:
        digest.update(piece)
    return digest.hexdigest()


def content_of(store: Store, name: str, most: int) -> bytes | None:
    """The bytes of a small object; no more than so many and one, however many there are."""
    found = store.get(name)
    if found is None:
        return None
    content = bytearray()
    with closing(found.pieces):  # type: ignore[type-var]  # generators close
        for piece in found.pieces:
            content += piece
            if len(content) > most:
                break
    return bytes(content[: most + 1])


def copied(found: Stored, target: Path) -> None:
    """Write an object into a new file."""
    with target.open("xb") as file:
        for piece in found.pieces:
            file.write(piece)
