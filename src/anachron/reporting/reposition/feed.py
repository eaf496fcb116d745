"""Everything that the certificate of a feed is written from, gathered once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from anachron.reporting.certificate import Certificate, Proof, shared
from anachron.reporting.invariance import register as registers
from anachron.reporting.reposition.account import Account
from anachron.reporting.reposition.published import Published, read
from anachron.reporting.words import name

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Feed", "Promise", "Record", "Snapshot", "gather"]


@dataclass(frozen=True)
class Promise:
    """What the release says that it keeps."""

    ell: Fraction
    window: int
    unit: str
    """The granularity of the snapshots, as people write it."""
    then: str
    """``"anatomy"``, ``"generalize"`` or ``"invariance"``."""
    late: str
    repeated: str
    careful: bool

    @classmethod
    def read(cls, guarantee: Mapping[str, Any]) -> Promise:
        """Read the guarantee as the release states it."""
        unit, then = guarantee["snapshot"], guarantee["then"]
        return cls(
            ell=Fraction(guarantee["l"]),
            window=int(guarantee["window"]),
            unit=name(unit if isinstance(unit, str) else unit["name"]),
            then=then if isinstance(then, str) else str(then["method"]),
            late=str(guarantee.get("late", "refuse")),
            repeated=str(guarantee.get("repeated", "refuse")),
            careful=bool(guarantee.get("careful", False)),
        )

    @property
    def odds(self) -> str:
        """The largest share that a value may have, in words: ``one in 3``, ``2 in 5``."""
        parts, of = self.ell.denominator, self.ell.numerator
        return f"{'one' if parts == 1 else parts} in {of}"


@dataclass(frozen=True)
class Snapshot:
    """One snapshot as the owner knows it; counts are of records."""

    label: str
    arrived: int
    published: int
    moved_in: int
    left: int
    """Those that happened in it and are published later, or not at all."""
    share_before: float
    share: float
    """The largest share of one value: of those that arrived, and of those that are published."""


@dataclass(frozen=True)
class Record:
    """How the release came about, as the owner's ledger keeps it; counts are of records."""

    rows: int
    published: int
    moved: int
    suppressed: int
    refused: int
    uncovered: int | None
    widened: int | None
    distances: tuple[int, ...]
    """Published records by how many snapshots late they are."""
    snapshots: tuple[Snapshot, ...]
    notes: tuple[str, ...]
    account: Account | None
    """None if the release was recorded when no account was kept."""

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Record:
        """Read the record."""
        keys = ("arrived", "published", "moved_in", "left", "share_before", "largest_share")
        inside = record.get("invariance", {})
        return cls(
            **{key: int(record[key]) for key in ("rows", "published", "moved", "suppressed")},
            refused=int(record.get("refused", 0)),
            uncovered=record.get("uncovered"),
            widened=record.get("widened"),
            distances=tuple(record["distances"]),
            snapshots=tuple(
                Snapshot(str(one["snapshot"]), *(one[key] for key in keys))
                for one in record["snapshots"]
            ),
            notes=(*record.get("notes", ()), *inside.get("notes", ())),
            account=Account.read(record["account"]) if "account" in record else None,
        )

    @property
    def longest(self) -> int:
        """The longest delay, in snapshots."""
        return max((delay for delay, many in enumerate(self.distances) if many), default=0)


@dataclass(frozen=True)
class Feed(Certificate):
    """A release of a feed, its promise and, for the owner, how it came about."""

    promise: Promise
    published: Published
    grids: Mapping[str, str]
    """For each column shown as intervals the width of its grid; empty for an order of texts."""
    time_zone: str
    record: Record | None
    register: registers.Register | None
    """The same release as one of a register, if it is m-invariant."""


def gather(release: Release, proof: Proof) -> Feed:
    """Read the release and the record of how it came about."""
    about = release.description["anachron"]
    promise = Promise.read(release.guarantee)
    published = read(release)
    given = shared(release, proof)
    grids = {span.column: span.grid for span in published.spans}
    told, register = proof.explanation, None
    if promise.then == "invariance":
        register = registers.Register(
            **given,
            promise=registers.Promise.read(release.guarantee["then"]),
            published=registers.read(
                release.table("data"), release.table("counterfeits"), about["columns"]
            ),
            grids=grids,
            record=registers.Record.read(told["invariance"]) if told else None,
            # The snapshot is its name: there is a release of each.
            as_of=str(about["snapshot"]["label"]),
        )
    return Feed(
        **given,
        promise=promise,
        published=published,
        grids=grids,
        time_zone=str(about.get("time_zone", "UTC")),
        record=None if told is None else Record.read(told),
        register=register,
    )
