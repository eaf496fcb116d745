"""One publication: stage, commit, expose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.errors import AlreadyPublished, InternalError, LedgerBusy, LedgerError, PlanError
from anachron.ledger import encryption
from anachron.ledger import feed as memories
from anachron.ledger import state as states
from anachron.ledger.before import Before
from anachron.ledger.catalog import Catalog
from anachron.ledger.entry import Copies, Entry, Told, sealed
from anachron.ledger.notes import Span
from anachron.ledger.recovery import damage, expose, staging_folder
from anachron.ledger.sending import check_free, claim
from anachron.ledger.state import StateFile, again_file, state_file
from anachron.ledger.witness import file_of, witnessed
from anachron.release.durable import failures_as, make_folder, remove, sync_file, sync_folder
from anachron.schema import REFUSE
from anachron.stores import Address, Place
from anachron.streamed import Streamed

__all__ = ["Publication"]

_PUBLISHING = "Publishing the release"


class Publication(Before):
    """The one publication under way. Get it from :meth:`anachron.Ledger.publishing`."""

    def __init__(
        self, catalog: Catalog, ledger: Path, to: Place, key: bytes, *, spelling: str = REFUSE
    ) -> None:
        super().__init__(catalog, ledger, key, spelling)
        self._to = to
        self._undecided = True
        self._new_place = False
        self._lost: Entry | None = None
        self._aside: tuple[Streamed, StateFile] | None = None

    def redo(self, lost: Entry) -> None:
        """Prepare to make again a recorded release whose folder was lost."""
        self._lost, self._to, self.number = lost, lost.to, lost.number
        self.previous = self.package_before(lost)

    def restore(self) -> Place:
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
            sync_folder(self._staging.parent)
            expose(self._lost, self._staging)
        return self._lost.path

    def stage_copies(self, known: Entry) -> Path:
        """Prepare to write further files beside a recorded release."""
        if isinstance(known.path, Address):
            raise PlanError(
                f"release {known.number} was published without CSV into a store, where nothing is "
                "ever overwritten: its description could not name further files.",
                remedy="Leave CSV out; whoever needs it can write it from Release.table().",
            )
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
        copies = Copies(files, len(self._entries), _now(), exposed=False)
        entry = known.with_copies(copies)
        with failures_as(LedgerError, f"Writing beside release {known.number}"), self._once():
            self._check_staged(entry)
            self._catalog.note_copies(known, copies)
        with failures_as(LedgerError, f"The files beside release {known.number} are recorded"):
            expose(entry, self._staging)
        self._mark(entry)

    def stage(self) -> Path:
        """Make the empty hidden folder that the files of the release are written into."""
        folder = self._staging
        with failures_as(LedgerError, _PUBLISHING):
            self._remember_place()
            if isinstance(self._to, Address) and not folder.parent.exists():
                make_folder(folder.parent, 0o700)
            make_folder(folder, 0o700)
        return folder

    def aside(self, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Streamed:
        """Put the state of the release to come where it will be, which only the key can read."""
        file = (state_file if self._lost is None else again_file)(self._ledger, self.number)
        with failures_as(LedgerError, _PUBLISHING):
            written = states.write(file, (schema, batches), self._key)
            state = encryption.read(file, written.digest, self._key)
        self._aside = state, written
        return state

    def _kept(self, state: Streamed) -> tuple[str, Span | None]:
        """Write the state, unless it was put there before; give its digest and its times."""
        if self._aside is not None and self._aside[0] is state:
            return self._aside[1].digest, self._aside[1].span
        rows = state.schema, state.batches()
        written = states.write(state_file(self._ledger, self.number), rows, self._key)
        if written.rows != state.rows:
            raise InternalError("The state of a release has other rows than it was said to have.")
        return written.digest, written.span

    def commit(
        self,
        *,
        snapshot: str,
        plan: dict[str, Any],
        files: dict[str, str],
        state: Streamed | None,
        explanation: dict[str, Any],
        feed: pa.Table | None = None,
    ) -> Place:
        """Record the staged release and give it its final place, which is returned.

        From the moment the catalog has committed, the release is published: whatever happens
        then, recovery brings the very same bytes into place. In that same moment the feed
        that it was made of, if any, remembers ``feed`` and nothing of before.
        """
        known = self._lost or self.find(snapshot)
        if known is not None:
            raise AlreadyPublished(f"This snapshot was published before, as {known.path}.")
        with failures_as(LedgerError, _PUBLISHING), self._once():
            digest, span = (None, None) if state is None else self._kept(state)
            entry = self._entry(snapshot, plan, files, digest, explanation)
            self._check_free(entry)
            self._check_staged(entry)
            self._begin()
            self._catalog.insert(entry)
            self._note(entry, span)
            if feed is not None:
                self._remember(feed)
        with failures_as(LedgerError, f"Release {self.number} is recorded. Exposing it"):
            witnessed(self._catalog, file_of(self._id))
            expose(entry, self._staging)
        self._mark(entry)
        if feed is not None:
            self._forget(f"Release {self.number} is recorded.")
        return entry.path

    def keep(self, feed: pa.Table) -> None:
        """Let the feed remember ``feed`` and nothing of before: a push without a release."""
        with failures_as(LedgerError, "Recording the push"), self._once():
            remove(self._staging)
            self._begin()
            self._remember(feed)
        with failures_as(LedgerError, "The push is recorded. Writing the ledger's witness"):
            witnessed(self._catalog, file_of(self._id))
        self._forget("The push is recorded.")

    def abandon(self) -> None:
        """Leave no trace, unless the release was committed."""
        if self._undecided:
            with failures_as(LedgerError, "Removing the unfinished release"):
                remove(self._staging)
                if self.number > len(self._entries):
                    remove(state_file(self._ledger, self.number))
                elif self._lost is not None:
                    remove(again_file(self._ledger, self.number))
                remove(memories.feed_file(self._ledger, self.push))
        self._catalog.roll_back()
        if self._undecided and self._new_place:
            # If this fails, whoever comes next forgets it.
            with suppress(LedgerBusy, LedgerError):
                self._catalog.begin()
                self._catalog.forget_place(self._to)
                self._catalog.commit()

    @contextmanager
    def _once(self) -> Iterator[None]:
        """Commit what the block records, and never anything again."""
        if not self._undecided:
            raise InternalError("A publication commits once.")
        yield
        # If the commit fails half-way, only recovery can tell whether it counts.
        self._undecided = False
        self._catalog.commit()

    @property
    def _staging(self) -> Path:
        return staging_folder(self._to, self._ledger, self._id, self.number)

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

    def _note(self, entry: Entry, span: Span | None) -> None:
        """Note the times of a release, and those of earlier ones of which it was not done."""
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

    def _check_free(self, entry: Entry) -> None:
        """Before it is recorded: what would keep a release from its place, as far as can be."""
        where = entry.path
        if isinstance(where, Address) and isinstance(entry.to, Address):
            claim(entry.to, self._key)
            check_free(entry, where, self._staging)
        elif isinstance(where, Path) and where.exists():
            raise InternalError(f"{where} is there already.")

    def _check_staged(self, entry: Entry) -> None:
        wrong = damage(entry, self._staging)
        if wrong:
            raise InternalError(wrong[0])
        for name in sorted(entry.files):
            sync_file(self._staging / name)
        sync_folder(self._staging)
        sync_folder(self._staging.parent)

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
            committed_at=_now(),
            chain="",
            exposed=False,
        )
        previous = self._entries[-1].chain if self._entries else self._id
        return sealed(entry, previous, self._ledger)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
