"""The last pages: what was published, what its columns mean, and how to check it oneself."""

from __future__ import annotations

from anachron.reporting import parts
from anachron.reporting.charts import Chart, group_sizes
from anachron.reporting.granularity.events import Events
from anachron.reporting.granularity.published import Published
from anachron.reporting.markup import Markup, tag
from anachron.reporting.words import count, many, plural

__all__ = ["check_yourself", "columns", "content", "meanings", "rows_over_time"]


def content(paper: Events) -> Markup:
    """Show the release over time, and how large its groups are."""
    shown = paper.published
    title = "What was published"
    if not shown.rows:
        return parts.section(title, tag("p", "The release holds no rows."))
    joined = max(bar.granules for bar in shown.bars)
    steps = many(paper.granularity)
    each = f"one {paper.granule}" if joined == 1 else f"up to {joined} {steps}"
    over_time = (
        f"{plural(shown.rows, 'row')} in {plural(shown.granules, paper.granule, steps)}. "
        f"A bar stands for {each}."
    )
    joint = any(size.low < size.high for size in shown.sizes)
    return parts.section(
        title,
        tag("h3", "Rows over time"),
        rows_over_time(shown).figure(over_time),
        tag("h3", "Sizes of groups"),
        group_sizes(shown.sizes).figure(
            parts.group_caption(shown.groups, shown.sizes[0].low, joint)
        ),
    )


def columns(paper: Events) -> Markup:
    """Say what each column of the release means."""
    return parts.columns(paper, meanings(paper.published, paper.granule))


def meanings(shown: Published, granule: str) -> dict[str, str]:
    """What the columns of any release mean, where the release does not say more."""
    found = {"group": "Number of the group: rows that agree in all columns but the content."}
    for column in shown.quasi:
        found[column] = "What an outsider may know."
        found[f"{column}_low"] = f"Lower end of {column}, included."
        found[f"{column}_high"] = f"Upper end of {column}, included."
    found[shown.time] = f"The {granule} of the event, as a label."
    found[f"{shown.time}_start"] = f"When that {granule} begins, in UTC; included."
    found[f"{shown.time}_end"] = "When it ends, in UTC; not included."
    return found | dict.fromkeys(shown.sensitive, "Content, as in the table.")


def check_yourself(paper: Events) -> Markup:
    """Say how to repeat the audit."""
    owner = "The owner of the data can also count the people in the original rows:"
    return parts.check_yourself(paper, owner)


def rows_over_time(published: Published) -> Chart:
    """Published rows in each granule, or slice of consecutive granules."""
    return Chart(
        name="rows_over_time",
        says=f"Published rows over time, from {published.first} to {published.last}.",
        records=tuple(
            {"since": bar.since, "until": bar.until, "rows": bar.rows} for bar in published.bars
        ),
        head=("from", "to", "granules", "rows"),
        rows=tuple(
            (bar.first, bar.last, count(bar.granules), count(bar.rows)) for bar in published.bars
        ),
        numeric=(2, 3),
    )
