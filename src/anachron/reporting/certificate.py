"""What every certificate is written from, whatever was promised.

A method has a page: what its template asks for beside this is worked out when it is asked for.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from anachron.guarantees import Guarantee, from_dict
from anachron.identity import Identity
from anachron.registry import METHODS
from anachron.release.describe import DESCRIPTION
from anachron.reporting.opening import Opening, Withheld, opening
from anachron.reporting.shown import Shown

if TYPE_CHECKING:
    from anachron.attacking.finding import Finding
    from anachron.auditing.history import FeedPast, History, TablePast
    from anachron.auditing.verdict import Verdict
    from anachron.measuring.utility import Utility
    from anachron.release import Release

__all__ = ["Certificate", "CodebookEntry", "File", "Proof", "version"]

P = TypeVar("P", bound=Guarantee, covariant=True)
S = TypeVar("S", bound=Shown, covariant=True)
R = TypeVar("R")


def version() -> str:
    """The version of Anachron that writes the certificate."""
    return str(import_module("anachron").__version__)


@dataclass(frozen=True)
class CodebookEntry:
    """A published column."""

    name: str
    kind: str
    means: str
    """Empty for those that every release of a method has."""


@dataclass(frozen=True)
class File:
    """One file of the release."""

    path: str
    digest: str
    size: int


@dataclass(frozen=True, eq=False)
class Proof:
    """What there is to show of a release beside itself."""

    verdict: Verdict
    explanation: Mapping[str, Any] | None = None
    """How the release came about, from the owner's ledger."""
    findings: tuple[Finding, ...] = ()
    """What attacks found."""
    utility: Utility | None = None
    """How good its answers are."""
    past: FeedPast | History | TablePast | None = None
    """What the ledger remembers."""
    identity: Identity = field(default_factory=Identity)
    """Who publishes what, for whom."""
    recorded: str | None = None
    """When the ledger recorded the release, in ISO 8601 and UTC."""

    @property
    def broken_by(self) -> tuple[Finding, ...]:
        """The attacks that break what was promised."""
        return tuple(finding for finding in self.findings if finding.holds is False)

    @property
    def kept(self) -> bool:
        """Whether the audit finds that the promise holds, and no attack breaks it."""
        return self.verdict.holds and not self.broken_by

    def told(self, read: Callable[[Mapping[str, Any]], R]) -> R | None:
        """Read how the release came about, if that is at hand."""
        return None if self.explanation is None else read(self.explanation)

    def has(self, check: str) -> bool:
        """Whether the audit could make this check."""
        return any(made.name == check for made in self.verdict.checks)


@dataclass(frozen=True, eq=False)
class Certificate(Generic[P, S]):
    """A release and what speaks for it."""

    template: ClassVar[str]
    """What it is written by;"""
    package: ClassVar[str] = "anachron.reporting"
    """and where the folder ``templates`` is that holds it."""
    release: Release
    proof: Proof

    @cached_property
    def promise(self) -> P:
        """What is promised."""
        return cast("P", from_dict(self.release.guarantee))

    @cached_property
    def shown(self) -> S:
        """The release in numbers."""
        shown: type[S] = METHODS[self.release.guarantee["method"]].shown.load()
        return shown(self.release)

    @cached_property
    def opening(self) -> Opening:
        """What the three lights say."""
        return opening(self)

    @property
    def withheld(self) -> tuple[Withheld, ...]:
        """Who was in the table and is not in the release, as far as that is known."""
        return ()

    @property
    def digest(self) -> str:
        """What stands for the whole release: the digest of its description."""
        return self.files[-1].digest

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return self.release.path.name

    @property
    def quoted(self) -> str:
        """The same, as one types it."""
        return shlex.quote(self.folder)

    @property
    def time_zone(self) -> str:
        """The zone whose calendar its times follow."""
        return str(self.release.description["anachron"]["time_zone"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What the method noted for the owner."""
        return tuple((self.proof.explanation or {}).get("notes", ()))

    @property
    def learning(self) -> Finding | None:
        """What the attack found that learns from all groups, if it was tried."""
        tried = (found for found in self.proof.findings if found.attack == "learning")
        return next(tried, None)

    @property
    def proven(self) -> bool:
        """Whether the audit saw the rows that the release was made from."""
        return self.proof.verdict.scope not in ("published", "with ledger")

    @cached_property
    def columns(self) -> dict[str, tuple[CodebookEntry, ...]]:
        """The columns of each published table."""
        ways = self.release.form.columns.values()
        means = {name: way.words(name, self.time_zone) for way in ways for name in way.names}
        return {
            name: tuple(
                CodebookEntry(field.name, field.kind, means.get(field.name, ""))
                for field in table.written.fields
            )
            for name, table in self.release.tables.items()
        }

    @cached_property
    def files(self) -> tuple[File, ...]:
        """What the release consists of."""
        tables = self.release.tables.values()
        listed = [
            File(name, file.sha256, file.bytes)
            for table in tables
            for name, file in table.written.files
        ]
        # The description holds the digests of all the others, so its own stands for the whole.
        text = (self.release.path / DESCRIPTION).read_bytes()
        return (*listed, File(DESCRIPTION, sha256(text).hexdigest(), len(text)))
