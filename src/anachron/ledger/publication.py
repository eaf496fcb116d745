"""One publication: stage, commit, expose."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.arrays import Array
from anachron.errors import AlreadyPublished, InternalError, LedgerBusy, LedgerError
from anachron.ledger import feed as memories
from anachron.ledger import files as parquet
from anachron.ledger import state as states
from anachron.ledger.catalog import Catalog
from anachron.ledger.entry import Copies, Entry, Told, seal, sealed
from anachron.ledger.notes import Span
from anachron.ledger.pseudonyms import SUBJECT, VALUE, Pseudonyms
from anachron.ledger.recovery import damage, expose, staging_folder
from anachron.ledger.state import state_file
from anachron.release.durable import (
    failures_as,
    make_folder,
    remove,
    sync_file,
    sync_folder,
)
from anachron.schema import EXACT, REFUSE

__all__ = ["Publication"]

_PUBLISHING = "Publishing the release"


class Publication:
    """The one publication under way. Get it from :meth:`anachron.Ledger.publishing`."""

    def __init__(
        self, catalog: Catalog, ledger: Path, to: Path, key: bytes, *, spelling: str = REFUSE
    ) -> None:
        self._catalog = catalog
        self._ledger = ledger
        self._to = to
        self._key = key
        known = catalog.folds()
        self._begins = known is None
        self.folds = spelling != EXACT if known is None else known
        """Whether people are known by their folded names, not as they are written."""
        self._pseudonyms = Pseudonyms(key, folded=self.folds)
        self._id = catalog.identify()
        self._entries: Sequence[Entry] = catalog.entries()
        self._memory = catalog.feed()
        self._state: tuple[int, pa.Table] | None = None
        self._undecided = True
        self._to_note: dict[int, Span] = {}
        self._new_place = False
        self._lost: Entry | None = None
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

    def pseudonyms(self, values: pa.Array) -> pa.Array:
        """Give the keyed digest of each subject, the same in every release of the ledger."""
        return self._pseudonyms(values, SUBJECT)

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

    def state(self) -> pa.Table | None:
        """Read what the release before remembered of its people."""
        before = self.before
        if before is None or before.state is None:
            return None
        # The method and the audit after it ask for the same.
        if self._state is None or self._state[0] != before.number:
            with failures_as(LedgerError, "Reading the ledger"):
                file = state_file(self._ledger, before.number)
                self._state = before.number, parquet.read(file, before.state, self._key)
        return self._state[1]

    def feed(self) -> pa.Table | None:
        """Read what a feed remembered at the push before, if there was one."""
        if self._memory is None:
            return None
        with failures_as(LedgerError, "Reading the ledger"):
            return memories.read(self._ledger, self._memory, self._key)

    def overlapping(
        self,
        pseudonyms: pa.Array,
        first: Array,
        until: Array,
    ) -> dict[int, int]:
        """Count, for each earlier release, the subjects that it shows at an overlapping time.

        Parameters
        ----------
        pseudonyms
            The subjects of the release to come.
        first, until
            From when (included) to when (excluded) each of them would appear.
        """
        wanted = states.Wanted(pseudonyms, first, until)
        noted = self._catalog.spans()
        counts: dict[int, int] = {}
        for entry in self._entries[: self.number - 1]:
            # What shows nobody at these times need not be read, however long the history.
            if entry.state is None or not wanted.meets(noted.get(entry.number)):
                continue
            with failures_as(LedgerError, "Reading the ledger"):
                state = parquet.read(state_file(self._ledger, entry.number), entry.state, self._key)
            span = states.span(state)
            if entry.number not in noted and span is not None:
                self._to_note[entry.number] = span
            counts[entry.number] = wanted.in_common(state)
        return {number: count for number, count in counts.items() if count}

    def package_before(self, entry: Entry) -> str | None:
        """The digest of the description of the release before a recorded one."""
        before = self._entries[entry.number - 2] if entry.number > 1 else None
        return None if before is None else before.package_for(entry.number)

    def redo(self, lost: Entry) -> None:
        """Prepare to make again a recorded release whose folder was lost."""
        self._lost, self._to, self.number = lost, lost.to, lost.number
        self.previous = self.package_before(lost)

    def restore(self) -> Path:
        """Give a release that was made again its place, if it is the same byte for byte."""
        if self._lost is None:
            raise InternalError("There is no lost release to restore.")
        with failures_as(LedgerError, f"Restoring release {self.number}"):
            if damage(self._lost, self._staging):
                raise LedgerError(
                    f"Release {self.number} was made again, but it is not the same byte for byte: "
                    "the table or the versions of the libraries differ. Restore "
                    f"{self._lost.path} from a backup."
                )
            sync_folder(self._to)
            expose(self._lost, self._id)
        return self._lost.path

    def stage_copies(self, known: Entry) -> Path:
        """Prepare to write further files beside a recorded release."""
        with failures_as(LedgerError, f"Looking at release {known.number}"):
            wrong = damage(known, known.path)
        if wrong:
            raise LedgerError(f"{wrong[0]} Restore release {known.number} first.")
        self._to, self.number = known.to, known.number
        return self.stage()

    def add_copies(self, known: Entry, files: dict[str, str]) -> None:
        """Record the files that were staged beside a release, and bring them there.

        From the moment the catalog has committed, they belong to the release: whatever happens
        then, recovery brings them into place.
        """
        if not self._undecided:
            raise InternalError("A publication commits once.")
        now = datetime.now(UTC).isoformat(timespec="seconds")
        copies = Copies(files, len(self._entries), now, exposed=False)
        entry = known.with_copies(copies)
        with failures_as(LedgerError, f"Writing beside release {known.number}"):
            self._check_staged(entry)
            self._catalog.note_copies(known, copies)
            self._undecided = False
            self._catalog.commit()
        with failures_as(LedgerError, f"The files beside release {known.number} are recorded"):
            expose(entry, self._id)
        self._mark(entry)

    def stage(self) -> Path:
        """Make the empty hidden folder that the files of the release are written into."""
        folder = self._staging
        with failures_as(LedgerError, _PUBLISHING):
            self._remember_place()
            make_folder(folder, 0o700)
        return folder

    def commit(
        self,
        *,
        snapshot: str,
        plan: dict[str, Any],
        files: dict[str, str],
        state: pa.Table | None,
        explanation: dict[str, Any],
        feed: pa.Table | None = None,
    ) -> Path:
        """Record the staged release and give it its final place, which is returned.

        From the moment the catalog has committed, the release is published: whatever happens
        then, recovery brings the very same bytes into place. In that same moment the feed
        that it was made of, if any, remembers ``feed`` and nothing of before.
        """
        if not self._undecided:
            raise InternalError("A publication commits once.")
        known = self._lost or self.find(snapshot)
        if known is not None:
            raise AlreadyPublished(f"This snapshot was published before, as {known.path}.")
        with failures_as(LedgerError, _PUBLISHING):
            digest = None
            if state is not None:
                digest = states.write(state_file(self._ledger, self.number), state, self._key)
            entry = self._entry(snapshot, plan, files, digest, explanation)
            self._put_on_disk(entry)
            self._begin()
            self._catalog.insert(entry)
            self._note(entry, state)
            if feed is not None:
                self._remember(feed)
            # If the commit fails half-way, only recovery can tell whether it counts.
            self._undecided = False
            self._catalog.commit()
        with failures_as(LedgerError, f"Release {self.number} is recorded. Exposing it"):
            expose(entry, self._id)
        self._mark(entry)
        if feed is not None:
            self._forget(f"Release {self.number} is recorded.")
        return entry.path

    def keep(self, feed: pa.Table) -> None:
        """Let the feed remember ``feed`` and nothing of before: a push without a release."""
        if not self._undecided:
            raise InternalError("A publication commits once.")
        with failures_as(LedgerError, "Recording the push"):
            remove(self._staging)
            self._begin()
            self._remember(feed)
            self._undecided = False
            self._catalog.commit()
        self._forget("The push is recorded.")

    def abandon(self) -> None:
        """Leave no trace, unless the release was committed."""
        if self._undecided:
            with failures_as(LedgerError, "Removing the unfinished release"):
                remove(self._staging)
                if self.number > len(self._entries):
                    remove(state_file(self._ledger, self.number))
                remove(memories.feed_file(self._ledger, self.push))
        self._catalog.roll_back()
        if self._undecided and self._new_place:
            # If this fails, whoever comes next forgets it.
            with suppress(LedgerBusy, LedgerError):
                self._catalog.begin()
                self._catalog.forget_place(self._to)
                self._catalog.commit()

    @property
    def _staging(self) -> Path:
        return staging_folder(self._to, self._id, self.number)

    def _remember_place(self) -> None:
        """Remember where the release is staged, for good, before anything is there."""
        while self._to not in self._catalog.places():
            self._new_place = True
            self._catalog.remember_place(self._to)
            self._catalog.commit()
            # Another publisher may come in between, forget a place that holds nothing, and be at
            # work under our number: until the ledger is ours again, nothing may be tidied up.
            self._undecided = False
            self._catalog.begin()
            if (self._catalog.entries(), self._catalog.feed()) != (self._entries, self._memory):
                raise LedgerBusy(
                    f"Another publisher was at work on the ledger {self._ledger}. Try again."
                )
            self._undecided = True

    def _begin(self) -> None:
        """Record with the first who is known how people are known, for ever."""
        if self._begins and self.folds:
            self._catalog.fold()

    def _remember(self, feed: pa.Table) -> None:
        self._catalog.remember(memories.write(self._ledger, self.push, feed, self._key))

    def _forget(self, so_far: str) -> None:
        if self._memory is not None:
            with failures_as(LedgerError, f"{so_far} Removing the memory of the push before"):
                memories.forget(memories.feed_file(self._ledger, self._memory.push))

    def _note(self, entry: Entry, state: pa.Table | None) -> None:
        """Note the times of a release, and those of earlier ones of which it was not done."""
        span = None if state is None else states.span(state)
        if span is not None:
            self._catalog.note_span(entry, span)
        for number, earlier in sorted(self._to_note.items()):
            self._catalog.note_span(self._entries[number - 1], earlier)

    def _mark(self, entry: Entry) -> None:
        # If the next publisher is already at work, he has marked it himself.
        with suppress(LedgerBusy):
            self._catalog.begin()
            self._catalog.mark_exposed(entry)
            self._catalog.commit()

    def _put_on_disk(self, entry: Entry) -> None:
        if entry.path.exists():
            raise InternalError(f"{entry.path} is there already.")
        self._check_staged(entry)

    def _check_staged(self, entry: Entry) -> None:
        wrong = damage(entry, self._staging)
        if wrong:
            raise InternalError(wrong[0])
        for name in sorted(entry.files):
            sync_file(self._staging / name)
        sync_folder(self._staging)
        sync_folder(self._to)

    def _entry(
        self,
        snapshot: str,
        plan: dict[str, Any],
        files: dict[str, str],
        state: str | None,
        explanation: dict[str, Any],
    ) -> Entry:
        entry = Entry(
            number=self.number,
            snapshot=self.named(snapshot),
            told=Told.of(self._key, self.number, plan, explanation),
            files=files,
            to=self._to,
            state=state,
            committed_at=datetime.now(UTC).isoformat(timespec="seconds"),
            chain="",
            exposed=False,
        )
        previous = self._entries[-1].chain if self._entries else self._id
        return sealed(entry, previous, self._ledger)
