"""What the publication cost, as the owner knows it."""

from __future__ import annotations

from collections.abc import Iterator

from anachron.reporting import parts
from anachron.reporting.markup import Markup, table, tag
from anachron.reporting.patterns.series import Record, Series
from anachron.reporting.words import count

__all__ = ["story"]

TITLE = "What it cost"


def story(paper: Series) -> Markup:
    """Show what was lost, or say where the record of it is."""
    record = paper.record
    if record is None:
        text = (
            "How much of the shapes was lost is in the owner’s ledger: it takes the original "
            "series to tell. How wide envelopes are, and how fine patterns, is shown below."
        )
        return parts.section(TITLE, tag("p", text))
    return parts.section(
        TITLE,
        tag(
            "p",
            "For the owner only: the figures of this section come from the table and the ledger, "
            "not from the release.",
            class_="note",
        ),
        table(("series", "", "what became of them"), _series(paper, record), numeric=(1,)),
        table(("loss of a series", "in the mean", "what it is"), _losses(paper, record),
              numeric=(1,)),
    )  # fmt: skip


def _series(paper: Series, record: Record) -> list[tuple[str, str, str]]:
    rows = [
        ("in the table", record.series + record.dropped, "one for each person"),
        ("left out for gaps", record.dropped, "they miss a value at some time"),
        ("published", paper.published.rows, "each in a group, with a pattern of its own"),
        ("found late", record.bad, _late(paper)),
        ("left out", record.suppressed, "fewer than P remained, too few to share a pattern"),
        ("times left out", record.trimmed, "somebody has no value there"),
        ("values interpolated", record.interpolated, "between those before and after"),
    ]
    needed = ("in the table", "published", "left out")
    return [(what, count(n), how) for what, n, how in rows if n or what in needed]


def _late(paper: Series) -> str:
    if paper.promise.algorithm == "naive":
        return "too few in their group shared their shape at first; they joined the most similar"
    return "too few shared their shape at first; most found others at a lower level"


def _losses(paper: Series, record: Record) -> Iterator[tuple[str, str, str]]:
    rows = max(paper.published.rows, 1)
    yield (
        "of values",
        f"{record.value_loss / rows:,.4g}",
        "the width of its envelope, squared, averaged over the times, and the root of it",
    )
    yield (
        "of shape",
        f"{record.pattern_loss / rows:.3f}",
        "from 0, the shape is kept, to 1, nothing of it is: one minus the cosine of all "
        "differences between two times, in the series and in its pattern",
    )
