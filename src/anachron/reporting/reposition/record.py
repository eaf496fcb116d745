"""How a release of a feed came about, as the owner's ledger keeps it; counts are of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anachron.reporting.charts import together

__all__ = ["MOST_BARS", "Account", "Record", "Snapshot", "joined"]

MOST_BARS = 120
_KINDS = ("pushed", "published", "waiting", "left_out", "dropped", "refused")


@dataclass(frozen=True)
class Account:
    """Every record that was pushed, once, as what it was when the release was recorded."""

    total: tuple[int, ...]
    """Pushed, published, waiting, left out, dropped, refused."""
    snapshots: tuple[tuple[str, tuple[int, ...]], ...]
    """The snapshots whose records this release, or what was pushed with it, made something of."""
    whole: bool
    """Whether it goes back to the first snapshot of the feed."""

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Account:
        """Read what the ledger keeps."""

        def counts(line: Mapping[str, Any]) -> tuple[int, ...]:
            return tuple(int(line[kind]) for kind in _KINDS)

        lines = tuple((str(one["snapshot"]), counts(one)) for one in told["snapshots"])
        return cls(counts(told["total"]), lines, told["begins"] is None)

    @property
    def incomplete(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """The snapshots that are not published as they came."""
        return tuple((name, line) for name, line in self.snapshots if line[0] != line[1])


@dataclass(frozen=True)
class Snapshot:
    """One snapshot as the owner knows it."""

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
    """How the release came about."""

    rows: int
    published: int
    moved: int
    suppressed: int
    refused: int
    uncovered: int | None
    distances: tuple[int, ...]
    """Published records by how many snapshots late they are."""
    snapshots: tuple[Snapshot, ...]
    account: Account | None
    """None if the release was recorded when no account was kept."""

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Record:
        """Read the record."""
        keys = ("arrived", "published", "moved_in", "left", "share_before", "largest_share")
        return cls(
            **{key: int(record[key]) for key in ("rows", "published", "moved", "suppressed")},
            refused=int(record.get("refused", 0)),
            uncovered=record.get("uncovered"),
            distances=tuple(record["distances"]),
            snapshots=tuple(
                Snapshot(str(one["snapshot"]), *(one[key] for key in keys))
                for one in record["snapshots"]
            ),
            account=Account.read(record["account"]) if "account" in record else None,
        )

    @property
    def longest(self) -> int:
        """The longest delay, in snapshots."""
        return max((delay for delay, many in enumerate(self.distances) if many), default=0)

    @property
    def each(self) -> int:
        """How many snapshots are drawn as one."""
        return together(len(self.snapshots), MOST_BARS)

    @property
    def arrived(self) -> int:
        """How many happened in the snapshots of this release."""
        return sum(snapshot.arrived for snapshot in self.snapshots)

    @property
    def missing(self) -> int:
        """How many of them are published later, or not at all."""
        return sum(snapshot.left for snapshot in self.snapshots)


def joined(snapshots: Sequence[Snapshot]) -> list[Snapshot]:
    """Join neighbours where there are too many; of shares, the largest."""
    each = together(len(snapshots), MOST_BARS)
    found = []
    for at in range(0, len(snapshots), each):
        some = snapshots[at : at + each]
        found.append(
            Snapshot(
                some[0].label,
                *(sum(getattr(one, key) for one in some)
                  for key in ("arrived", "published", "moved_in", "left")),
                *(max(getattr(one, key) for one in some) for key in ("share_before", "share")),
            )
        )  # fmt: skip
    return found
