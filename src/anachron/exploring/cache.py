"""Figures of candidates that were found before: figures only, by digests of all they rest on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any

from anachron.errors import InputError

__all__ = ["Cache", "key_of"]

_FORMAT = 1
"""To be raised when the same candidate would be told otherwise."""

Record = Sequence[Mapping[str, Any]]
"""What is known of the answers of a setting, as plain values."""


@dataclass(frozen=True)
class Cache:
    """Keeps what candidates came to: in memory, or in a folder of its owner.

    Example
    -------
    >>> cache = Cache()
    >>> cache.keep("a digest", [{"reason": ""}])
    >>> cache.find("a digest"), cache.find("another")
    ([{'reason': ''}], None)
    """

    folder: Path | None = None
    _held: dict[str, Record] = field(default_factory=dict, repr=False)

    @classmethod
    def at(cls, given: Cache | str | os.PathLike[str] | None) -> Cache | None:
        """Take a cache, or the folder of one."""
        return given if given is None or isinstance(given, Cache) else cls(Path(given))

    def find(self, key: str) -> Record | None:
        """What was kept under a key; None if nothing was, or if it cannot be read."""
        if self.folder is None:
            return self._held.get(key)
        try:
            found: Record = json.loads((self.folder / f"{key}.json").read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return found

    def keep(self, key: str, record: Record) -> None:
        """Keep something under a key."""
        if self.folder is None:
            self._held[key] = record
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = self.folder / f".{key}.{token_hex(4)}"
            made = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(made, "w", encoding="utf-8") as file:
                json.dump(record, file)
            new.replace(self.folder / f"{key}.json")
        except OSError as error:
            raise InputError(
                f"figures cannot be kept in {self.folder}: {error.strerror}. "
                "Name another folder, or none."
            ) from None


def key_of(*rests_on: Any) -> str:
    """One digest of all that figures rest on, given as plain values."""
    text = json.dumps([_FORMAT, *rests_on], sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()
