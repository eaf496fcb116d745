"""The ledger: what was published, about whom, and where it is."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from anachron.errors import LedgerError
from anachron.ledger import encryption, folder, keys, recovery, witness
from anachron.ledger import feed as memories
from anachron.ledger import state as states
from anachron.ledger.catalog import Catalog, opened, which
from anachron.ledger.entry import Entry, seal
from anachron.ledger.notes import Span
from anachron.ledger.pseudonyms import VALUE, pseudonyms
from anachron.ledger.publication import Publication
from anachron.ledger.sending import check_claim
from anachron.release.durable import failures_as
from anachron.schema import REFUSE
from anachron.scratch import near, sweep
from anachron.stores import Address, placed
from anachron.streamed import Streamed

__all__ = ["Ledger"]


class Ledger:
    """The durable, private memory of what was published.

    Open one with :meth:`open`. Readers and one publisher may work at the same time.

    Example
    -------
    >>> import tempfile
    >>> import anachron as an
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = an.Ledger.open(f"{folder}/ledger")
    ...     ledger.entries(), ledger.check()
    ([], [])
    """

    def __init__(self, path: Path, id_: str, key: bytes, key_file: Path) -> None:
        self.path = path
        """The folder of the ledger."""
        self.id = id_
        """A random name, made with the ledger."""
        self.key_file = key_file
        """Where the key is: in the folder, or elsewhere."""
        self._key = key
        self._folds: bool | None = None

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r})"

    @classmethod
    def open(
        cls, path: str | Path, *, create: bool = True, key: str | Path | None = None
    ) -> Ledger:
        """Open a ledger, after a check that it is whole and private.

        Parameters
        ----------
        path
            The folder of the ledger.
        create
            Whether to make a new ledger if there is nothing yet.
        key
            The file of the key, if it is not in the folder of the ledger and not in the one that
            the environment variable ``ANACHRON_KEYS`` names. A new ledger gets its key there.
        """
        given = None if key is None else Path(key).absolute()
        with failures_as(LedgerError, f"Opening the ledger {path}"):
            place = folder.real(path)
            if folder.is_new(place):
                if not create:
                    raise LedgerError(f"There is no ledger at {path}.")
                folder.create(place, given)
            folder.check_access(place)
            id_, check = which(place / folder.CATALOG)
            key_file = keys.find(place, id_, given)
            secret = keys.read(key_file, check)
            with opened(place / folder.CATALOG, secret) as catalog:
                catalog.spans()
                catalog.places()
                return cls(place, catalog.identify(), secret, key_file)

    @property
    def key(self) -> bytes:
        """The secret key. Whoever has it can recognise the people in the ledger."""
        return self._key

    def move_key(self, to: str | Path) -> Path:
        """Move the key out of the ledger, into a folder of keys, and say where it is.

        From then on the environment variable ``ANACHRON_KEYS`` must name that folder.
        """
        with failures_as(LedgerError, f"Moving the key to {to}"):
            place = folder.real(Path(to).expanduser())
            self.key_file = keys.move_key(self.key_file, self.path, self.id, place)
        return self.key_file

    def witness(self, at: str | Path | None = None) -> tuple[Path, witness.Witness] | None:
        """Give the file of the ledger's witness and what it has seen; None if there is none.

        Parameters
        ----------
        at
            A folder of witnesses, in which to begin one. From then on the environment variable
            ``ANACHRON_WITNESS`` must name that folder.
        """
        file = witness.file_of(self.id, at)
        if file is None:
            return None
        with self._opened() as catalog, failures_as(LedgerError, "Reading the ledger's witness"):
            if file.is_relative_to(self.path):
                raise LedgerError(f"{file} is in the ledger, and would be restored with it.")
            witness.check(catalog, file)
            if at is not None:
                witness.witnessed(catalog, file)
            seen = witness.read(file, self._key)
        return None if seen is None else (file, seen)

    def pseudonyms(self, values: pa.Array) -> pa.Array:
        """Give the keyed digest of each subject, the same in every release of this ledger."""
        return pseudonyms(self._key, values, folded=self.folds)

    @property
    def folds(self) -> bool:
        """Whether people are known by their folded names; a new ledger does, unless told."""
        if self._folds is None:
            with self._opened() as catalog:
                self._folds = catalog.folds()
        return self._folds is not False

    def marks(self, values: pa.Array) -> pa.Array:
        """Give the keyed digest of each sensitive value."""
        return pseudonyms(self._key, values, VALUE)

    def secret(self, purpose: str) -> bytes:
        """Give the key for one purpose that publications of this ledger use."""
        return hmac.digest(self._key, b"purpose\0" + purpose.encode(), "sha256")

    def state(self, entry: Entry) -> Streamed:
        """Read what a release remembered of its people."""
        if entry.state is None:
            raise LedgerError(f"Release {entry.number} remembered nothing of its people.")
        with failures_as(LedgerError, "Reading the ledger"):
            return self._state(entry, entry.state)

    def feed(self) -> pa.Table | None:
        """Read what a feed remembers between two pushes, if this is the ledger of a feed."""
        with self._opened() as catalog, failures_as(LedgerError, "Reading the ledger"):
            return self._feed(catalog)

    def entries(self) -> list[Entry]:
        """Give all releases, oldest first."""
        with self._opened() as catalog:
            return catalog.entries()

    def find(self, snapshot: str) -> Entry | None:
        """Give the release that was made of a snapshot, if there is one."""
        name = self.named(snapshot)
        return next((entry for entry in self.entries() if entry.snapshot == name), None)

    def named(self, snapshot: str) -> str:
        """Give the keyed digest by which the ledger knows a snapshot."""
        return seal(self._key, "snapshot", snapshot)

    def check(self) -> list[str]:
        """Look at everything, and say in plain words what is wrong."""
        try:
            with failures_as(LedgerError, f"Checking the ledger {self.path}"):
                folder.check_access(self.path)
                with self._opened() as catalog:
                    problems = catalog.problems()
                    # Folders first: what a publisher adds meanwhile is in the entries, too.
                    before = catalog.entries()
                    found = recovery.numbers_in({entry.to for entry in before}, before)
                    entries = catalog.entries()
                    spans = catalog.spans()
                    problems += self._problems_of_feed(catalog)
                    witness.check(catalog, witness.file_of(self.id))
                recovery.check_up_to_date(entries, found)
                for entry in entries:
                    problems += self._problems_of(entry, spans.get(entry.number))
        except LedgerError as error:
            return [str(error)]
        return problems

    def recover(self) -> list[str]:
        """Finish or remove what a crash left behind, and say in plain words what was done."""
        with self._opened() as catalog, failures_as(LedgerError, "Recovering the ledger"):
            done = self._settle(catalog)
            catalog.roll_back()
            with near(self.path):
                swept = sweep()
            done += [f"Removed {aside}, put aside by a process that was killed." for aside in swept]
        return done

    @contextmanager
    def publishing(
        self, to: str | Path | Address, *, spelling: str = REFUSE
    ) -> Iterator[Publication]:
        """Be the only publisher for as long as the block lasts.

        Leaving the block without a commit leaves no trace.

        Parameters
        ----------
        to
            The folder that holds the releases, which is made if need be; or a place in a store.
        spelling
            The schema's. A new ledger knows people by their folded names, unless it is exact.
        """
        place = placed(to)
        place = folder.real(place) if isinstance(place, Path) else place
        with self._opened() as catalog:
            with failures_as(LedgerError, f"Preparing {to}"):
                if isinstance(place, Address):
                    check_claim(place, self._key)
                self._settle(catalog)
                entries = catalog.entries()
                recovery.check_up_to_date(entries, recovery.numbers_in([place], entries))
            publication = Publication(catalog, self.path, place, self._key, spelling=spelling)
            try:
                yield publication
            finally:
                publication.abandon()

    @contextmanager
    def _opened(self) -> Iterator[Catalog]:
        with opened(self.path / folder.CATALOG, self._key) as catalog:
            yield catalog

    def _settle(self, catalog: Catalog) -> list[str]:
        """Become the only writer of a ledger with nothing left to finish or remove."""
        done: list[str] = []
        while True:
            catalog.begin()
            new = recovery.settle(catalog, self.path)
            if not new:
                return done
            catalog.commit()
            done += new

    def _state(self, entry: Entry, digest: str) -> Streamed:
        return encryption.read(states.state_file(self.path, entry.number), digest, self._key)

    def _feed(self, catalog: Catalog) -> pa.Table | None:
        memory = catalog.feed()
        while memory is not None:
            try:
                return memories.read(self.path, memory, self._key)
            except LedgerError:
                # A publisher may have recorded the next push and removed this one's file.
                before, memory = memory, catalog.feed()
                if memory == before:
                    raise
        return None

    def _problems_of_feed(self, catalog: Catalog) -> list[str]:
        # Files first, as above: a publisher at work adds the next one and removes this one.
        found = memories.kept(self.path)
        try:
            self._feed(catalog)
            memory = catalog.feed()
            memories.check_up_to_date(memory, found)
        except LedgerError as error:
            return [str(error)]
        return [
            f"{file} holds records that the feed no longer needs: recover."
            for file in found
            if memories.is_over(file, memory) and file.exists()
        ]

    def _problems_of(self, entry: Entry, span: Span | None) -> list[str]:
        problems = []
        if entry.state is not None:
            try:
                state = self._state(entry, entry.state)
                if span is not None and span != state.span():
                    problems.append(f"The time that is noted of release {entry.number} is wrong.")
            except LedgerError as error:
                problems.append(str(error))
        if not entry.exposed:
            waiting = f"Release {entry.number} is recorded but not yet in its place: recover."
            return [*problems, waiting]
        return problems + recovery.damage(entry, entry.path)
