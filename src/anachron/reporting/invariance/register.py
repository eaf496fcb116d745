"""Everything that the certificate of a register is written from, gathered once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anachron.reporting.certificate import Certificate, Proof, shared
from anachron.reporting.invariance.published import Published, read

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Earlier", "Promise", "Record", "Register", "gather", "read"]


@dataclass(frozen=True)
class Promise:
    """What the release says that it keeps."""

    m: int
    mode: str
    holds_back: bool
    """Whether new people may be held back."""
    constant: bool
    """Whether the plan says that no value ever changes."""
    knows_changes: bool
    """Whether it says, of values that do, which can become which."""
    declares_values: bool
    """Whether it says which there can be."""

    @classmethod
    def read(cls, guarantee: Mapping[str, Any]) -> Promise:
        """Read the guarantee as the release states it."""
        changes = guarantee.get("changes") or {}
        constant = bool(changes) and all(set(can) <= {value} for value, can in changes.items())
        return cls(
            m=int(guarantee["m"]),
            mode=str(guarantee.get("mode", "paper")),
            holds_back=guarantee.get("when_ineligible") == "hold",
            constant=constant,
            knows_changes=bool(changes) and not constant,
            declares_values=bool(guarantee.get("values")),
        )


@dataclass(frozen=True)
class Earlier:
    """One release of the history, this one included."""

    release: int
    rows: int
    counterfeits: int
    groups: int


@dataclass(frozen=True)
class Record:
    """How the release came about, as the owner's ledger keeps it; counts are of people."""

    subjects: int
    known: int
    new: int
    changed: int
    filled: int
    held: int
    refused: int
    history: tuple[Earlier, ...]
    """From the first release to this one."""
    notes: tuple[str, ...]

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Record:
        """Read the record; what it leaves out is taken as nought."""
        counted = ("subjects", "known", "new", "changed", "filled", "held", "refused")
        return cls(
            **{name: int(record.get(name, 0)) for name in counted},
            history=tuple(
                Earlier(
                    *(int(entry[name]) for name in ("release", "rows", "counterfeits", "groups"))
                )
                for entry in record.get("history", ())
            ),
            notes=tuple(record.get("notes", ())),
        )


@dataclass(frozen=True)
class Register(Certificate):
    """A release of a register, its promise and, for the owner, how it came about."""

    promise: Promise
    published: Published
    grids: Mapping[str, str]
    """For each quasi column the width of its grid; empty for an order of texts."""
    record: Record | None
    as_of: str | None
    """The name that the owner gave to the release."""

    @property
    def exact(self) -> bool:
        """Whether no two people of a group have the same value."""
        return self.promise.mode != "sticky" or self.promise.constant or self.number == 1

    @property
    def followed(self) -> bool:
        """Whether the audit could compare the release with the ones before."""
        return any(check.name == "candidates" for check in self.verdict.checks)

    @property
    def proven(self) -> bool:
        """Whether the audit saw the register, and followed its people through the releases."""
        return super().proven and self.followed


def gather(release: Release, proof: Proof) -> Register:
    """Read the release and the record of how it came about."""
    columns = release.description["anachron"]["columns"]
    published = read(release.table("data"), release.table("counterfeits"), columns)
    return Register(
        **shared(release, proof),
        promise=Promise.read(release.guarantee),
        published=published,
        grids={column: str(columns[column].get("width", "")) for column in published.quasi},
        record=None if proof.explanation is None else Record.read(proof.explanation),
        as_of=release.description["anachron"].get("as_of"),
    )
