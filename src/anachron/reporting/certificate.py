"""What every certificate is written from, whatever was promised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anachron.attacking.finding import Finding
    from anachron.auditing.history import FeedPast, History, SeriesPast
    from anachron.auditing.verdict import Verdict
    from anachron.measuring.utility import Utility
    from anachron.release import Release

__all__ = ["Certificate", "Field", "File", "Proof", "shared", "title_of"]


DESCRIPTION = "datapackage.json"

Field = tuple[str, str, str]
"""A published column: its name, its type and its meaning."""


@dataclass(frozen=True)
class File:
    """One file of the release."""

    path: str
    digest: str
    size: int | None


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
    past: FeedPast | History | SeriesPast | None = None
    """What the ledger remembers."""

    @property
    def broken_by(self) -> tuple[Finding, ...]:
        """The attacks that break what was promised."""
        return tuple(finding for finding in self.findings if finding.holds is False)

    @property
    def kept(self) -> bool:
        """Whether the audit finds that the promise holds, and no attack breaks it."""
        return self.verdict.holds and not self.broken_by


@dataclass(frozen=True)
class Certificate:
    """A release and what speaks for it."""

    release: Release
    title: str
    proof: Proof
    fields: Mapping[str, tuple[Field, ...]]
    """The columns of each published table."""
    files: tuple[File, ...]

    @property
    def number(self) -> int:
        """The number of the release."""
        return self.release.number

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return self.release.path.name

    @property
    def verdict(self) -> Verdict:
        """What the audit gave."""
        return self.proof.verdict

    @property
    def proven(self) -> bool:
        """Whether the audit saw the rows that the release was made from."""
        return self.verdict.scope not in ("published", "with ledger")


def shared(release: Release, proof: Proof) -> dict[str, Any]:
    """Gather what every certificate needs, by the names of its fields."""
    description = release.description
    return {
        "release": release,
        "title": title_of(release),
        "proof": proof,
        "fields": _fields(description),
        "files": _files(release),
    }


def title_of(release: Release) -> str:
    """What the release calls itself."""
    return str(release.description.get("title") or f"Release {release.number}")


def _fields(description: Mapping[str, Any]) -> dict[str, tuple[Field, ...]]:
    return {
        str(resource["name"]): tuple(
            (str(field["name"]), str(field.get("type", "")), str(field.get("description", "")))
            for field in resource.get("schema", {}).get("fields", ())
        )
        for resource in description.get("resources", ())
        if resource.get("format") != "csv"
    }


def _files(release: Release) -> tuple[File, ...]:
    listed = [
        File(
            path=str(resource["path"]),
            digest=str(resource.get("hash", "")).removeprefix("sha256:"),
            size=resource.get("bytes"),
        )
        for resource in release.description["resources"]
    ]
    # The description holds the digests of all the others, so its own stands for the whole.
    text = (release.path / DESCRIPTION).read_bytes()
    return (*listed, File(DESCRIPTION, sha256(text).hexdigest(), len(text)))
