"""The feed before and after: what arrived, what is published, and how late."""

from __future__ import annotations

from collections.abc import Sequence

from anachron.reporting import parts
from anachron.reporting.charts import Chart
from anachron.reporting.markup import Markup, table, tag
from anachron.reporting.reposition.account import account
from anachron.reporting.reposition.feed import Feed, Record, Snapshot
from anachron.reporting.reposition.published import Shown
from anachron.reporting.words import count, many, plural

__all__ = ["bars", "delays", "joined", "over_snapshots", "published", "shares", "story"]

MOST_BARS = 120

OWNER = (
    "For the owner only: the figures of this section come from the table and the ledger, not from "
    "the release. They tell when a value was too frequent. Leave the ledger out when you make a "
    "certificate to hand on together with the release."
)


def story(paper: Feed) -> Markup:
    """Draw the feed, and say how late records are; or say where the record of it is."""
    record, unit = paper.record, paper.promise.unit
    if record is None:
        text = (
            "How many records arrived, were moved or left out is in the owner’s ledger. It is no "
            "part of the release, because it would tell when a value was too frequent."
        )
        return parts.section("The feed", tag("p", text), *_shown(paper))
    snapshots = joined(record.snapshots)
    drawn = _one(record.snapshots[0], unit)
    if len(record.snapshots) > 1:
        drawn = [over_snapshots(snapshots).figure(_caption(record, len(snapshots), unit))]
    return parts.section(
        "The feed before and after",
        tag("p", OWNER, class_="note"),
        tag("h3", "What arrived, and what is published"),
        *drawn,
        tag("h3", "How late records are published"),
        *_late(record, paper),
        *account(record.account, unit),
        *_shares(paper, snapshots),
    )


def joined(snapshots: Sequence[Snapshot]) -> list[Snapshot]:
    """Join neighbours where there are too many to draw one by one; of shares, the largest."""
    each = -(-len(snapshots) // MOST_BARS)
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


def _caption(record: Record, drawn: int, unit: str) -> str:
    each = -(-len(record.snapshots) // MOST_BARS)
    what = (
        f"Outlined: records that arrived. Filled: records that are published. Below, upwards: "
        f"records that come from an earlier {unit}; downwards: records that happened here and "
        "are published later, or left out."
    )
    return what + (f" A bar stands for {each} {many(unit)}; there are {drawn}." if each > 1 else "")


def _one(snapshot: Snapshot, unit: str) -> list[Markup]:
    """A drawing of one snapshot says less than its figures."""
    rows = [
        ("arrived", snapshot.arrived, f"happened in this {unit}"),
        ("published", snapshot.published, f"stand in the published {unit}"),
        ("of them moved in", snapshot.moved_in, f"happened in an earlier {unit}"),
        ("missing", snapshot.left, "happened here, and are published later or left out"),
    ]
    head = ("records", "", f"of {snapshot.label}")
    return [table(head, [(who, count(n), what) for who, n, what in rows], numeric=(1,))]


def _late(record: Record, paper: Feed) -> list[Markup]:
    unit = paper.promise.unit
    on_time = f"{plural(record.distances[0], 'record')} stand in their own {unit}"
    if not record.moved and not record.suppressed:
        return [tag("p", f"{on_time}; no record is late, and none was left out.")]
    caption = (
        f"{on_time} and are not drawn. Filled: records that stand in a later {unit}. Outlined: "
        "records that were left out."
    )
    return [delays(record, unit).figure(caption)]


def _shares(paper: Feed, snapshots: Sequence[Snapshot]) -> list[Markup]:
    if paper.register is not None or len(snapshots) < 2:
        return []
    pairs = [(one.label, one.share_before, one.share) for one in snapshots]
    return [
        tag("h3", "The largest share of a value"),
        shares(pairs, float(1 / paper.promise.ell)).figure(
            f"The share of the most frequent value in each {paper.promise.unit}: hollow points as "
            "the records arrived, full points as they are published. The dashed line is the most "
            f"that is promised, {paper.promise.odds}."
        ),
    ]


def _shown(paper: Feed) -> list[Markup]:
    """What a recipient can see as well."""
    shown, unit = paper.published.snapshots, paper.promise.unit
    if len(shown) < 2:
        return []
    each, some = -(-len(shown) // MOST_BARS), bars(shown)
    drawn = [
        tag("h3", f"Published records by {unit}"),
        published(some).figure(
            f"{plural(len(shown), unit, many(unit))} with records."
            + (f" A bar stands for {each} of them." if each > 1 else "")
        ),
    ]
    if paper.register is not None:
        return drawn
    return [
        *drawn,
        tag("h3", "The largest share of a value"),
        shares([(bar.label, None, bar.share) for bar in some],
               float(1 / paper.promise.ell)).figure(
            f"The share of the most frequent value in each published {unit}. The dashed line is "
            f"the most that is promised, {paper.promise.odds}."
        ),
    ]  # fmt: skip


def bars(shown: Sequence[Shown]) -> list[Shown]:
    """Join published neighbours where there are too many to draw; of shares, the largest."""
    each = max(-(-len(shown) // MOST_BARS), 1)
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
            (s.label, *map(count, (s.arrived, s.published, s.moved_in, s.left))) for s in snapshots
        ),
        numeric=(1, 2, 3, 4),
    )  # fmt: skip


def published(snapshots: Sequence[Shown]) -> Chart:
    """Published records by snapshot."""
    return Chart(
        name="feed_published",
        says="Published records by snapshot.",
        records=tuple({"snapshot": s.label, "published": s.rows} for s in snapshots),
        head=("snapshot", "published"),
        rows=tuple((s.label, count(s.rows)) for s in snapshots),
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
        rows=((f"none (own {unit})", count(record.distances[0])),
              *((name, count(n)) for name, n, _ in drawn)),
        numeric=(1,),
    )  # fmt: skip


def shares(snapshots: Sequence[tuple[str, float | None, float]], limit: float) -> Chart:
    """The largest share of one value, before and after, by snapshot."""
    has_before = any(before is not None for _, before, _ in snapshots)
    percent = [
        (label, *([f"{100 * (before or 0):.1f} %"] if has_before else []), f"{100 * after:.1f} %")
        for label, before, after in snapshots
    ]
    records: list[dict[str, str | float]] = [
        {"snapshot": label, "after": after, "limit": limit} for label, _, after in snapshots
    ]
    for record, (_, before, _) in zip(records, snapshots, strict=True):
        if before is not None:
            record["before"] = before
    return Chart(
        name="shares",
        says="The largest share of one value by snapshot, against what is promised.",
        records=tuple(records),
        head=("snapshot", *(["as it arrived"] if has_before else []), "as it is published"),
        rows=tuple(percent),
        numeric=(1, 2) if has_before else (1,),
    )
