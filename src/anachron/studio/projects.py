"""A plan in the folder, its ledger as it is, and what is due. Ledgers are never touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from anachron.errors import AnachronError, LedgerBusy
from anachron.plan import Plan
from anachron.studio.folder import Folder, NotChosen

if TYPE_CHECKING:
    from anachron.ledger.entry import Entry
    from anachron.making.publisher import Standing

__all__ = ["Books", "Project", "project", "projects"]

Health = Literal["new", "good", "unfinished", "missing", "busy", "bad"]


@dataclass(frozen=True)
class Books:
    """What a ledger remembers, at a glance."""

    health: Health
    """``new`` if there is none yet; ``unfinished`` if a crash left something to recover;
    ``missing`` if a release is not where it was put."""
    entries: Sequence[Entry] = ()
    feed: Standing | None = None
    problem: str = ""

    @property
    def last(self) -> Entry | None:
        """The last release."""
        return self.entries[-1] if self.entries else None


@dataclass(frozen=True)
class Project:
    """A plan file."""

    name: str
    """Its path from the folder, by which pages know it."""
    file: Path
    folder: Folder
    plan: Plan | None
    """None if the file cannot be read as a plan,"""
    problem: str = ""
    """and why."""
    outside: str = ""
    """What the plan names that lies outside and was not chosen to be opened."""

    @property
    def title(self) -> str:
        """How people call it."""
        stated = self.plan.certificate.title if self.plan else None
        return stated or self.name.removesuffix(".toml")

    @cached_property
    def books(self) -> Books:
        """The ledger of the plan."""
        if self.plan is None or self.outside:
            return Books("new")
        return read_books(self.plan.ledger)

    @property
    def newer(self) -> bool:
        """Whether the table was changed since the last release."""
        last = self.books.last
        if self.plan is None or last is None:
            return False
        try:
            changed = Path(self.plan.source.table).stat().st_mtime
        except OSError:
            return False
        return changed > _moment(last.committed_at).timestamp()

    @property
    def days(self) -> int | None:
        """How many days ago the last release was recorded."""
        last = self.books.last
        return None if last is None else (datetime.now(UTC) - _moment(last.committed_at)).days


def project(folder: Folder, name: str) -> Project:
    """Read a plan of the folder."""
    file = folder.plan_file(name)
    known = folder.shown(file)
    try:
        plan = Plan.read(file)
    except AnachronError as error:
        return Project(known, file, folder, None, str(error))
    outside = ""
    for place in (plan.source.table, plan.ledger, plan.releases):
        try:
            folder.check(str(place))
        except NotChosen as error:
            outside = outside or error.place
    return Project(known, file, folder, plan, outside=outside)


def projects(folder: Folder) -> list[Project]:
    """All plans of the folder; other TOML files are none."""
    found = (project(folder, name) for name in folder.plans())
    return [one for one in found if one.plan is not None or _looks_like_one(one.file)]


def read_books(ledger: Path) -> Books:
    """Look at a ledger, without a lock and without a trace."""
    if not ledger.exists():
        return Books("new")
    # The first page does not wait for what it may not need.
    from anachron.ledger.imagined import imagined

    try:
        with imagined(ledger, "refuse") as known:
            entries, feed = known.entries, known.feed()
    except LedgerBusy as error:
        return Books("busy", problem=str(error))
    except AnachronError as error:
        return Books("bad", problem=str(error))
    stands = None
    if feed is not None:
        from anachron.making.publisher import standing_of

        stands = standing_of(feed)
    if any(not entry.exposed for entry in entries):
        return Books("unfinished", entries, stands)
    if any(isinstance(entry.path, Path) and not entry.path.is_dir() for entry in entries):
        return Books("missing", entries, stands)
    return Books("good", entries, stands)


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _looks_like_one(file: Path) -> bool:
    """Whether a file that cannot be read was meant to be a plan."""
    try:
        with file.open("rb") as text:
            return b"[guarantee" in text.read(1 << 20)
    except OSError:
        return False
