"""How a release of a feed came about, as the owner's ledger keeps it; counts are of records.

Before and after: what arrived, what is published, and how late.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from anachron.reporting.charts import Chart, together
from anachron.reporting.words import digits, many, plural

__all__ = ["MOST_BARS", "AccountRecord", "FeedRecord", "SnapshotRecord", "shares"]

MOST_BARS = 120
_KINDS = ("pushed", "published", "waiting", "left_out", "dropped", "refused")


@dataclass(frozen=True)
class AccountRecord:
    """Every record that was pushed, once, as what it was when the release was recorded."""

    total: tuple[int, ...]
    """Pushed, published, waiting, left out, dropped, refused."""
    snapshots: tuple[tuple[str, tuple[int, ...]], ...]
    """The snapshots whose records this release, or what was pushed with it, made something of."""
    whole: bool
    """Whether it goes back to the first snapshot of the feed."""

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> AccountRecord:
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
class SnapshotRecord:
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
class FeedRecord:
    """How the release came about."""

    rows: int
    published: int
    moved: int
    suppressed: int
    refused: int
    uncovered: int | None
    distances: tuple[int, ...]
    """Published records by how many snapshots late they are."""
    snapshots: tuple[SnapshotRecord, ...]
    account: AccountRecord | None
    """None if the release was recorded when no account was kept."""

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> FeedRecord:
        """Read the record."""
        keys = ("arrived", "published", "moved_in", "left", "share_before", "largest_share")
        return cls(
            **{key: int(record[key]) for key in ("rows", "published", "moved", "suppressed")},
            refused=int(record.get("refused", 0)),
            uncovered=record.get("uncovered"),
            distances=tuple(record["distances"]),
            snapshots=tuple(
                SnapshotRecord(str(one["snapshot"]), *(one[key] for key in keys))
                for one in record["snapshots"]
            ),
            account=AccountRecord.read(record["account"]) if "account" in record else None,
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

    @property
    def drawn(self) -> list[SnapshotRecord]:
        """The snapshots, neighbours together where there are too many; of shares, the largest."""
        found = []
        for at in range(0, len(self.snapshots), self.each):
            some = self.snapshots[at : at + self.each]
            counts = ("arrived", "published", "moved_in", "left")
            found.append(
                SnapshotRecord(
                    some[0].label,
                    *(sum(getattr(one, key) for one in some) for key in counts),
                    *(max(getattr(one, key) for one in some) for key in ("share_before", "share")),
                )
            )
        return found

    def before_and_after(self) -> Chart:
        """What arrived and what is published; what came in and what went away."""
        return Chart(
            name="feed",
            says="Records that arrived, are published, were moved in and went away, by snapshot.",
            records=tuple(
                {
                    "snapshot": s.label, "arrived": s.arrived, "published": s.published,
                    "moved_in": s.moved_in, "left": -s.left,
                }
                for s in self.drawn
            ),
            head=("snapshot", "arrived", "published", "moved in", "went away"),
            rows=tuple(
                (s.label, *map(digits, (s.arrived, s.published, s.moved_in, s.left)))
                for s in self.drawn
            ),
            numeric=(1, 2, 3, 4),
        )  # fmt: skip

    def shares(self, ell: Fraction) -> Chart:
        """The largest share of a value, as records arrived and as they are published."""
        return shares([(one.label, one.share_before, one.share) for one in self.drawn], ell)

    def delays(self, unit: str) -> Chart:
        """Records that are published later than they happened, by how much, and those left out."""
        late = [(plural(d, unit, many(unit)), n) for d, n in enumerate(self.distances) if d]
        drawn = [(name, n, "moved") for name, n in late[: max(self.longest, 1)]]
        drawn.append(("left out", self.suppressed, "left out"))
        return Chart(
            name="delays",
            says="Records by how late they are published, and those that were left out.",
            records=tuple({"delay": name, "records": n, "kind": kind} for name, n, kind in drawn),
            head=("delay", "records"),
            rows=((f"none (own {unit})", digits(self.distances[0])),
                  *((name, digits(n)) for name, n, _ in drawn)),
            numeric=(1,),
            worded=("delay",),
        )  # fmt: skip


def shares(snapshots: Sequence[tuple[str, float | None, float]], ell: Fraction) -> Chart:
    """The largest share of one value, before and after, by snapshot; one in ``ell`` is promised."""
    has_before = any(before is not None for _, before, _ in snapshots)
    percent = [
        (label, *([f"{100 * (before or 0):.1f} %"] if has_before else []), f"{100 * after:.1f} %")
        for label, before, after in snapshots
    ]
    return Chart(
        name="shares",
        says="The largest share of one value by snapshot, against what is promised.",
        records=tuple(_point(*one, float(1 / ell)) for one in snapshots),
        head=("snapshot", *(["as it arrived"] if has_before else []), "as it is published"),
        rows=tuple(percent),
        numeric=(1, 2) if has_before else (1,),
    )


def _point(label: str, before: float | None, after: float, limit: float) -> dict[str, str | float]:
    point: dict[str, str | float] = {"snapshot": label, "after": after, "limit": limit}
    return point if before is None else {**point, "before": before}
