"""What a whole feed comes to, from its first snapshot to its last."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from anachron.errors import InternalError
from anachron.methods.reposition.memory import from_table
from anachron.trying.figures import Figures, Trying, cost, risk
from anachron.trying.rehearsing import Rehearsed, rehearsing

__all__ = ["FEED", "FeedFigures"]


@dataclass(frozen=True)
class FeedFigures(Figures):
    """What a whole feed comes to, whatever of it is published already."""

    largest_share: float | None = risk("share of a value", share=True)
    """Of the records of a published snapshot, at most; none of one that is m-invariant."""
    fewest_values: int | None = risk("fewest values")
    """Of an m-invariant feed: values that remain possible for everyone, at least."""
    published: int = cost("published")
    """Records."""
    moved: int = cost("moved")
    """Records that are published later than they happened."""
    mean_delay: float = cost("mean delay")
    """In snapshots, over the published records."""
    longest_delay: int = cost("longest", narrow=False)
    left_out: int = cost("left out")
    dropped: int = cost("dropped", narrow=False)
    """Records that came too late, or again."""
    refused: int = cost("refused", narrow=False)
    """Of an m-invariant feed: records of known people whose value would narrow them down."""
    loss: float = cost("loss")
    """What mu says of the records that moved, and beta of those that are left out."""
    counterfeits: int | None = cost("counterfeits")
    """Of an m-invariant feed: rows of nobody."""
    releases: int = cost("releases", narrow=False)


def _figures(rehearsed: Rehearsed) -> FeedFigures:
    _, ledger = rehearsed
    told = [entry.explanation for entry in ledger.entries]
    remembered = ledger.feed()
    if remembered is None:
        raise InternalError("A feed that was published is remembered.")
    account = from_table(remembered).account.total
    inside = [one["invariance"] for one in told if "invariance" in one]
    shares = [one["largest_share"] for release in told for one in release["snapshots"]]
    distances = [sum(n) for n in zip(*(one["distances"] for one in told), strict=True)]
    delays = [distance for distance, many in enumerate(distances) if many]
    published = sum(distances)
    return FeedFigures(
        largest_share=None if inside else max(shares, default=0.0),
        fewest_values=min(one["smallest_signature"] for one in inside) if inside else None,
        published=account.published,
        moved=sum(distances[1:]),
        mean_delay=sum(d * n for d, n in enumerate(distances)) / max(published, 1),
        longest_delay=max(delays, default=0),
        left_out=account.left_out,
        dropped=account.dropped,
        refused=account.refused,
        loss=float(sum(Fraction(one["loss"]) for one in told)),
        counterfeits=sum(one["counterfeits"] for one in inside) if inside else None,
        releases=len(told),
    )


FEED = Trying(FeedFigures, rehearsing(_figures))
