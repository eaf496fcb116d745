"""What every certificate is written from, whatever was promised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anachron.auditing.verdict import Verdict
    from anachron.release import Release

__all__ = ["Certificate", "Field", "File", "shared", "title_of"]


DESCRIPTION = "datapackage.json"

Field = tuple[str, str, str]
"""A published column: its name, its type and its meaning."""


@dataclass(frozen=True)
class File:
    """One file of the release."""

    path: str
    digest: str
    size: int | None


@dataclass(frozen=True)
class Certificate:
    """A release and its audit."""

    number: int
    folder: str
    title: str
    verdict: Verdict
    fields: Mapping[str, tuple[Field, ...]]
    """The columns of each published table."""
    files: tuple[File, ...]

    @property
    def proven(self) -> bool:
        """Whether the audit saw the rows that the release was made from."""
        return self.verdict.scope != "published"


def shared(release: Release, verdict: Verdict) -> dict[str, Any]:
    """Gather what every certificate needs, by the names of its fields."""
    description = release.description
    return {
        "number": release.number,
        "folder": release.path.name,
        "title": title_of(release),
        "verdict": verdict,
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
