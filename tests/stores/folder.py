"""A store that is a folder, so that processes see what one did that was killed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from anachron import steps
from anachron.ledger import recovery, sending
from anachron.release import fetching
from anachron.stores import Address, Stored, StoreFailure

ASKING = (recovery, sending, fetching)
"""Who opens stores."""


class FolderStore:
    """A place of a store whose objects are files; each request begins and ends with a step."""

    listed: Callable[[list[str]], list[str]] | None = None
    """What a list tells, if it is late."""
    careless = False
    """Whether it overwrites what is there although it was asked not to."""

    def __init__(self, root: Path, address: Address) -> None:
        self.root = root / address.bucket / address.prefix

    def put_new(self, name: str, content: BinaryIO, sha256: str) -> bool:
        target = self.root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        # A part of an object is never there; nor is what a request that was cut short had sent.
        aside = target.parent.parent / f"unseen-{secrets.token_hex(8)}"
        self._step("put")
        aside.write_bytes(content.read())
        try:
            if self.careless:
                aside.replace(target)
                return True
            os.link(aside, target)
        except FileExistsError:
            return False
        finally:
            aside.unlink(missing_ok=True)
            self._step("was put")
        return True

    def get(self, name: str) -> Stored | None:
        self._step("get")
        try:
            content = (self.root / name).read_bytes()
        except FileNotFoundError:
            return None
        finally:
            self._step("was got")
        return Stored(len(content), _pieces(content))

    def names(self) -> list[str]:
        self._step("list")
        files = [path for path in self.root.rglob("*") if path.is_file()]
        found = sorted(str(path.relative_to(self.root)) for path in files)
        self._step("was listed")
        return found if self.listed is None else self.listed(found)

    def _step(self, name: str) -> None:
        steps.reached(f"request: {name}")


def _pieces(content: bytes) -> Iterator[bytes]:
    yield from (content[at : at + 1000] for at in range(0, len(content), 1000))


def standing_for_stores(root: Path, kind: type[FolderStore] = FolderStore) -> None:
    """Let every store of this process be a folder."""
    for module in ASKING:
        module.opened = lambda address: kind(root, address)  # type: ignore[attr-defined]


def broken_off(what: str = "the store cannot be reached") -> StoreFailure:
    return StoreFailure(what, "s3://bucket", "Try again.")


def objects(root: Path, bucket: str = "bucket", prefix: str = "releases") -> dict[str, bytes]:
    """All objects of a place, less the one that says whose they are."""
    top = root / bucket / prefix
    files = [path for path in top.rglob("*") if path.is_file()]
    found = {str(path.relative_to(top)): path.read_bytes() for path in files}
    found.pop(".anachron", None)
    return {name: content for name, content in found.items() if "unseen-" not in name}
