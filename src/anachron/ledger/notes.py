"""What the catalog notes beside its chain of releases: rows that are sealed each for itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from anachron.errors import LedgerError
from anachron.ledger.entry import Copies, Entry, plain, seal

__all__ = ["Notes", "Span"]

Span = tuple[int, int]
"""From when (included) to when (excluded)."""

Row = tuple[int | str | None, ...]


class Notes:
    """The notes of an open catalog."""

    def __init__(
        self,
        execute: Callable[..., list[Row]],
        key: bytes,
        damaged: Callable[[str], LedgerError],
    ) -> None:
        self._execute, self._key, self._damaged = execute, key, damaged

    def spans(self, chains: Mapping[int, str]) -> dict[int, Span]:
        """From when to when releases show anybody, of those of which it is noted."""
        found: dict[int, Span] = {}
        for number, first, until, sealed in self._execute("SELECT * FROM span"):
            match number, first, until:
                case int(), int(), int() if sealed == self._seal(
                    "span", number, chains.get(number), first, until
                ):
                    found[number] = first, until
                case _:
                    raise self._damaged("it notes a time that no release has")
        return found

    def note_span(self, entry: Entry, span: Span) -> None:
        """Note from when to when a release shows anybody."""
        sealed = self._seal("span", entry.number, entry.chain, *span)
        self._execute("INSERT INTO span VALUES (?, ?, ?, ?)", entry.number, *span, sealed)

    def copies(self) -> dict[int, Copies]:
        """The files that releases have since CSV files were written beside them."""
        found: dict[int, Copies] = {}
        for number, files, releases, at, sealed, exposed in self._execute("SELECT * FROM copies"):
            right = sealed == self._seal("copies", number, files, releases, at)
            match number, files, releases, at:
                case int(), str(), int(), str() if right and exposed in (None, sealed):
                    found[number] = Copies(json.loads(files), releases, at, exposed is not None)
                case _:
                    raise self._damaged("it notes files that no release has")
        return found

    def note_copies(self, number: int, copies: Copies) -> None:
        """Note the files that a release has from now on."""
        facts = (number, plain(copies.files), copies.releases, copies.written_at)
        sealed = self._seal("copies", *facts)
        self._execute("INSERT INTO copies VALUES (?, ?, ?, ?, ?, NULL)", *facts, sealed)

    def mark_copied(self, number: int) -> None:
        """Note that the files are in their place."""
        self._execute("UPDATE copies SET exposed = seal WHERE number = ?", number)

    def _seal(self, *facts: Any) -> str:
        return seal(self._key, *facts)
