"""What the catalog notes beside its chain of releases: rows that are sealed each for itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from anachron.errors import LedgerError
from anachron.ledger.entry import Entry, seal

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

    def spans(self, entries: Iterable[Entry]) -> dict[int, Span]:
        """From when to when releases show anybody, of those of which it is noted."""
        chains = {entry.number: entry.chain for entry in entries}
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

    def _seal(self, *facts: Any) -> str:
        return seal(self._key, *facts)
