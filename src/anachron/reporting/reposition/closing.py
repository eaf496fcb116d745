"""The last pages: what was published, what its columns mean, and how to check it oneself."""

from __future__ import annotations

from anachron.reporting import parts
from anachron.reporting.charts import group_sizes
from anachron.reporting.invariance import closing as register
from anachron.reporting.markup import Markup, tag
from anachron.reporting.reposition.feed import Feed
from anachron.reporting.words import percent, plural

__all__ = ["check_yourself", "columns", "content"]


def content(paper: Feed) -> Markup:
    """Show how large the groups are, and how exact their intervals."""
    shown, title = paper.published, "What was published"
    if paper.register is not None:
        return register.content(paper.register)
    if not shown.rows:
        return parts.section(title, tag("p", "The release holds no rows."))
    exact = register.exactness(shown.spans) if shown.spans else []
    return parts.section(title, tag("h3", "Sizes of groups"), *_sizes(paper), *exact)


def _sizes(paper: Feed) -> list[Markup]:
    shown = paper.published
    smallest, largest = shown.sizes[0].low, shown.sizes[-1].high
    about = (
        f"{plural(shown.groups, 'group')} of records that are published together. In none of them "
        f"do more than {percent(shown.largest_share)} have the same value."
    )
    if smallest == largest:
        # One bar says less than a sentence.
        return [tag("p", f"{about} Every group has {plural(smallest, 'row')}.")]
    sizes = tuple(size for size in shown.sizes if size.groups or len(shown.sizes) > 1)
    joined = any(size.low < size.high for size in sizes)
    caption = parts.group_caption(shown.groups, smallest, joined)
    return [tag("p", about), group_sizes(sizes).figure(caption)]


def columns(paper: Feed) -> Markup:
    """Say what each column of the release means."""
    if paper.register is not None:
        return register.columns(paper.register)
    shown = paper.published
    usual = {
        "group": f"Number of the group: records of one {paper.promise.unit} among which no "
        "sensitive value is too frequent.",
        "count": "How many records of that group have that value.",
        shown.sensitive: "Content, as in the table.",
        **{column: f"{column}, as in the table." for column in shown.quasi},
    }
    for column in paper.grids:
        usual[f"{column}_low"] = f"Lower end of {column}, included."
        usual[f"{column}_high"] = f"Upper end of {column}, included."
    # Names with _low and _start are long, and must not be broken.
    return parts.columns(paper, usual, "white-space: nowrap")


def check_yourself(paper: Feed) -> Markup:
    """Say how to repeat the audit."""
    owner = (
        "The owner of the data can also follow every record, with the table of all that was "
        "pushed so far:"
    )
    return parts.check_yourself(paper, owner)
