"""What a publication knows of the releases before it, and of the key of their ledger."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pyarrow as pa

from anachron.errors import LedgerError
from anachron.ledger import encryption
from anachron.ledger import feed as memories
from anachron.ledger import state as states
from anachron.ledger.catalog import Catalog
from anachron.ledger.entry import Entry, seal
from anachron.ledger.notes import Span
from anachron.ledger.pseudonyms import VALUE, Pseudonyms
from anachron.ledger.state import state_file
from anachron.release.durable import failures_as
from anachron.schema import EXACT, Schema, known_again
from anachron.streamed import Streamed

__all__ = ["Before"]

_READING = "Reading the ledger"


class Before:
    """The ledger as a publication finds it. Nobody else writes to it meanwhile."""

    def __init__(self, catalog: Catalog, ledger: Path, key: bytes, spelling: str) -> None:
        self._catalog = catalog
        self._ledger = ledger
        self._key = key
        known = catalog.folds()
        self._begins = known is None
        self.folds = spelling != EXACT if known is None else known
        """Whether people are known by their folded names, not as they are written."""
        self._pseudonyms = Pseudonyms(key, folded=self.folds)
        self._id = catalog.identify()
        self._entries: Sequence[Entry] = catalog.entries()
        self._memory = catalog.feed()
        self._state: tuple[int, Streamed] | None = None
        self._to_note: dict[int, Span] = {}
        self.number = len(self._entries) + 1
        """The number that the release will have."""
        self.previous = self._entries[-1].package if self._entries else None
        """The digest of the description of the release before it."""
        self.push = self._memory.push + 1 if self._memory else 1
        """The number that this push of a feed will have, if it is one."""

    @property
    def entries(self) -> Sequence[Entry]:
        """All releases that were recorded before, oldest first."""
        return self._entries

    def find(self, snapshot: str) -> Entry | None:
        """Give the release that was made of a snapshot, if there is one."""
        name = self.named(snapshot)
        return next((entry for entry in self._entries if entry.snapshot == name), None)

    def named(self, snapshot: str) -> str:
        """Give the keyed digest by which the ledger knows a snapshot."""
        return seal(self._key, "snapshot", snapshot)

    @property
    def pseudonyms(self) -> Callable[[pa.Array], pa.Array]:
        """Give the keyed digest of each subject, the same in every release of the ledger.

        A function by itself: where it is sent, the key goes along, and nothing else of the ledger.
        """
        return self._pseudonyms

    def marks(self, values: pa.Array) -> pa.Array:
        """Give the keyed digest of each sensitive value."""
        return self._pseudonyms(values, VALUE)

    def secret(self, purpose: str) -> bytes:
        """Give a key for one purpose, which nobody without the ledger knows."""
        return hmac.digest(self._key, b"purpose\0" + purpose.encode(), "sha256")

    @property
    def before(self) -> Entry | None:
        """The release before this one."""
        return self._entries[self.number - 2] if self.number > 1 else None

    def aside(self, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Streamed:
        """Keep the state of the release to come: where nothing is written, in memory."""
        return Streamed.of(pa.Table.from_batches(batches, schema))

    def state(self) -> Streamed | None:
        """Read what the release before remembered of its people."""
        before = self.before
        if before is None or before.state is None:
            return None
        # The method and the audit after it ask for the same.
        if self._state is None or self._state[0] != before.number:
            self._state = before.number, self._state_of(before.number, before.state)
        return self._state[1]

    def _state_of(self, number: int, digest: str) -> Streamed:
        with failures_as(LedgerError, _READING):
            return encryption.read(state_file(self._ledger, number), digest, self._key)

    def feed(self) -> pa.Table | None:
        """Read what a feed remembered at the push before, if there was one."""
        if self._memory is None:
            return None
        with failures_as(LedgerError, _READING):
            return memories.read(self._ledger, self._memory, self._key)

    def overlapping(self, wanted: Streamed) -> dict[int, int]:
        """Count, for each earlier release, the subjects that it shows at an overlapping time.

        ``wanted`` has the subjects of the release to come, ascending by their keyed digests, and
        from when (included) to when (excluded) each of them would appear.
        """
        noted, when = self._catalog.spans(), wanted.span()
        counts: dict[int, int] = {}
        for entry in self._entries[: self.number - 1] if wanted.rows else ():
            # What shows nobody at these times need not be read, however long the history.
            span = noted.get(entry.number)
            if entry.state is None or not states.meet(when, span):
                continue
            with failures_as(LedgerError, _READING):
                state = self._state_of(entry.number, entry.state)
                if span is None and (span := state.span()) is not None:
                    self._to_note[entry.number] = span
                counts[entry.number] = states.in_common(wanted, state)
        return {number: count for number, count in counts.items() if count}

    def unlike(self, schema: Schema, first: int, until: int) -> int | None:
        """Name an earlier release of which nobody could be known again, though it may show them.

        It shows people at a time from ``first`` (included) to ``until`` (excluded), and they are
        told apart in another way than in the release to come.
        """
        for entry in self._entries[: self.number - 1]:
            if entry.state is None or known_again(schema, entry.plan["schema"]["subject"]):
                continue
            span = self._catalog.spans().get(entry.number)
            if span is None:
                state = self._state_of(entry.number, entry.state)
                if not state.rows:
                    continue
                span = state.span()
            # Without times, its people are in it at all times.
            if states.meet(span, (first, until)):
                return entry.number
        return None

    def package_before(self, entry: Entry) -> str | None:
        """The digest of the description of the release before a recorded one."""
        before = self._entries[entry.number - 2] if entry.number > 1 else None
        return None if before is None else before.package_for(entry.number)
