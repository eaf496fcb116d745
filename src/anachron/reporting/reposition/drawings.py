"""The feed before and after: what arrived, what is published, and how late."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from anachron.reporting.charts import Chart, together
from anachron.reporting.reposition.published import Shown
from anachron.reporting.reposition.record import MOST_BARS, Record, Snapshot
from anachron.reporting.words import digits, many, plural

__all__ = ["bars", "delays", "over_snapshots", "published", "shares", "shares_published"]


def bars(shown: Sequence[Shown]) -> list[Shown]:
    """Join published neighbours where there are too many to draw; of shares, the largest."""
    each = together(len(shown), MOST_BARS)
    some = [shown[at : at + each] for at in range(0, len(shown), each)]
    return [Shown(s[0].label, sum(o.rows for o in s), max(o.share for o in s)) for s in some]


def over_snapshots(snapshots: Sequence[Snapshot]) -> Chart:
    """What arrived and what is published; what came in and what went away."""
    return Chart(
        name="feed",
        says="Records that arrived, are published, were moved in and went away, by snapshot.",
        records=tuple(
            {
                "snapshot": s.label, "arrived": s.arrived, "published": s.published,
                "moved_in": s.moved_in, "left": -s.left,
            }
            for s in snapshots
        ),
        head=("snapshot", "arrived", "published", "moved in", "went away"),
        rows=tuple(
            (s.label, *map(digits, (s.arrived, s.published, s.moved_in, s.left))) for s in snapshots
        ),
        numeric=(1, 2, 3, 4),
    )  # fmt: skip


def published(shown: Sequence[Shown]) -> Chart:
    """Published records by snapshot."""
    drawn = bars(shown)
    return Chart(
        name="feed_published",
        says="Published records by snapshot.",
        records=tuple({"snapshot": s.label, "published": s.rows} for s in drawn),
        head=("snapshot", "published"),
        rows=tuple((s.label, digits(s.rows)) for s in drawn),
        numeric=(1,),
    )


def delays(record: Record, unit: str) -> Chart:
    """Records that are published later than they happened, by how much, and those left out."""
    late = [(plural(d, unit, many(unit)), n) for d, n in enumerate(record.distances) if d]
    drawn = [(name, n, "moved") for name, n in late[: max(record.longest, 1)]]
    drawn.append(("left out", record.suppressed, "left out"))
    return Chart(
        name="delays",
        says="Records by how late they are published, and those that were left out.",
        records=tuple({"delay": name, "records": n, "kind": kind} for name, n, kind in drawn),
        head=("delay", "records"),
        rows=((f"none (own {unit})", digits(record.distances[0])),
              *((name, digits(n)) for name, n, _ in drawn)),
        numeric=(1,),
    )  # fmt: skip


def shares_published(shown: Sequence[Shown], ell: Fraction) -> Chart:
    """The largest share of one value by snapshot, as anybody can see it."""
    return shares([(bar.label, None, bar.share) for bar in bars(shown)], ell)


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
