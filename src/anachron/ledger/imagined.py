"""The ledger as it would be: what is there is read, and what would be recorded is kept in mind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.errors import LedgerError
from anachron.ledger import folder, keys
from anachron.ledger.before import Before
from anachron.ledger.catalog import Catalog
from anachron.ledger.entry import Entry, Told
from anachron.ledger.glance import glanced, unwritten
from anachron.release.describe import DESCRIPTION
from anachron.release.durable import failures_as
from anachron.streamed import Streamed

__all__ = ["Imagined", "imagined"]

_EXAMPLE = sha256(b"a key for examples of draws, which nothing is published with").digest()
"""Known to everybody, so that what is drawn with it can be drawn again."""


class Imagined(Before):
    """A ledger that is written nowhere. Get it from :func:`imagined`."""

    def __init__(
        self, catalog: Catalog, ledger: Path, key: bytes, spelling: str, *, there: bool
    ) -> None:
        super().__init__(catalog, ledger, key, spelling)
        self.there = there
        """Whether it is the owner's, and so are its draws; not one that might be begun."""
        self._states: dict[int, Streamed] = {}
        self._kept: pa.Table | None = None

    def anew(self) -> Imagined:
        """The same as it was read, whatever is imagined since. People are digested once."""
        return copy(self)

    def keep(self, feed: pa.Table) -> None:
        """Let the feed remember this, and nothing of before."""
        self._kept = feed

    def take(
        self,
        *,
        snapshot: str,
        plan: dict[str, Any],
        state: Streamed,
        explanation: dict[str, Any],
        feed: pa.Table | None = None,
        files: dict[str, str] | None = None,
        to: Path | None = None,
    ) -> None:
        """Go on as if a release had been recorded; as if it were in ``to``, with these files."""
        entry = Entry(
            number=self.number,
            snapshot=self.named(snapshot),
            told=Told.of(self._key, self.number, plan, explanation),
            files=files or {DESCRIPTION: "imagined"},
            to=to or self._ledger.parent,
            state="imagined",
            committed_at="",
            chain="",
            exposed=False,
        )
        # Nothing is changed that a ledger imagined before shares.
        self._entries = (*self._entries, entry)
        self._states = {**self._states, self.number: Streamed.of(state.table())}
        self.number, self.previous = self.number + 1, entry.package
        if feed is not None:
            self.keep(feed)

    def feed(self) -> pa.Table | None:
        """What a feed remembers."""
        return super().feed() if self._kept is None else self._kept

    def state_of(self, entry: Entry) -> Streamed:
        """What is remembered with a release, recorded or imagined."""
        return self._state_of(entry.number, entry.state or "")

    def _state_of(self, number: int, digest: str) -> Streamed:
        return self._states[number] if number in self._states else super()._state_of(number, digest)


@contextmanager
def imagined(path: Path, spelling: str, *, past: bool = True) -> Iterator[Imagined]:
    """Look at a ledger for as long as the block lasts; at a new one if there is none.

    With ``past=False`` it is not read even if it is there.
    """
    place = path.resolve()
    if not past or folder.is_new(place):
        with unwritten(place / folder.CATALOG, _EXAMPLE) as catalog:
            yield Imagined(catalog, place, _EXAMPLE, spelling, there=False)
        return
    with failures_as(LedgerError, f"Reading the ledger {path}"):
        folder.check_access(place)

    def key_of(id_: str, check: str) -> bytes:
        return keys.read(keys.find(place, id_, None), check)

    with glanced(place / folder.CATALOG, key_of) as catalog:
        yield Imagined(catalog, place, catalog.key, spelling, there=True)
