"""What the owner of a register can show to an audit beside the rows: its past."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import overload

import pyarrow as pa

from anachron.errors import ReleaseError
from anachron.ledger import Entry, Ledger
from anachron.release.read import Release

__all__ = ["History", "remembered"]


@dataclass(frozen=True, eq=False)
class History:
    """The past of a release of a register, as the ledger remembers it."""

    state: pa.Table
    """What is remembered with this release: one row for everyone who was ever published."""
    before: Sequence[pa.Table]
    """The same of the releases directly before it, oldest first; as many as are at hand."""
    releases: tuple[Release, ...]
    """Earlier releases that are still there, oldest first."""
    pseudonyms: Callable[[pa.Array], pa.Array]
    """Gives the keyed digest of each subject."""
    marks: Callable[[pa.Array], pa.Array]
    """Gives the keyed digest of the text of each sensitive value."""


def remembered(ledger: Ledger, entries: Sequence[Entry]) -> History | None:
    """Gather all that a ledger remembers up to a release, the last of ``entries``.

    None if the release is not one of a register: then nothing is remembered that would help.
    """
    if not entries or entries[-1].plan["guarantee"]["method"] != "invariance":
        return None
    releases = []
    for entry in entries[:-1]:
        with suppress(ReleaseError):  # lost or damaged: the ledger's own check tells
            releases.append(Release(entry.path))
    return History(
        state=ledger.state(entries[-1]),
        before=_States(ledger, tuple(entries[:-1])),
        releases=tuple(releases),
        pseudonyms=ledger.pseudonyms,
        marks=ledger.marks,
    )


@dataclass(frozen=True, eq=False)
class _States(Sequence[pa.Table]):
    """States that are read when they are looked at: a long history need not fit into memory."""

    ledger: Ledger
    entries: tuple[Entry, ...]

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, at: int) -> pa.Table: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[pa.Table]: ...

    def __getitem__(self, at: int | slice) -> pa.Table | Sequence[pa.Table]:
        if isinstance(at, slice):
            return _States(self.ledger, self.entries[at])
        return self.ledger.state(self.entries[at])
