"""The last pages: what was published, what its columns mean, and how to check it oneself."""

from __future__ import annotations

from collections.abc import Sequence

from anachron.reporting import parts
from anachron.reporting.charts import group_sizes
from anachron.reporting.invariance.published import Published, Span
from anachron.reporting.invariance.register import Register
from anachron.reporting.markup import Markup, join, names, table, tag
from anachron.reporting.words import count, plural

__all__ = ["check_yourself", "columns", "content", "exactness"]


def content(paper: Register) -> Markup:
    """Show how large the groups are, and how exact their intervals."""
    shown, title = paper.published, "What was published"
    if not shown.rows:
        return parts.section(title, tag("p", "The release holds no rows."))
    return parts.section(
        title,
        tag("h3", "Sizes of groups"),
        *_sizes(shown),
        *exactness(shown.spans),
    )


def exactness(spans: Sequence[Span]) -> list[Markup]:
    """Say how wide the published intervals are."""
    return [
        tag("h3", "How exact the columns are"),
        tag("p", "How many values the intervals cover that the rows show:", class_="lead-in"),
        table(
            ("column", "half are at most", "nine in ten are at most", "widest"),
            [_exactness(span) for span in spans],
            numeric=(1, 2, 3),
        ),
    ]


def _sizes(shown: Published) -> list[Markup]:
    smallest, largest = shown.sizes[0].low, shown.sizes[-1].high
    sets = plural(shown.signatures, "different set")
    about = join(
        f"A group has as many rows as there are values in its set. There are {sets} of values of ",
        names([shown.sensitive]),
        f" in {plural(shown.groups, 'group')}.",
    )
    if smallest == largest:
        # One bar says less than a sentence.
        return [tag("p", join(about, f" Every group has {plural(smallest, 'row')}."))]
    joined = any(size.low < size.high for size in shown.sizes)
    caption = parts.group_caption(shown.groups, smallest, joined)
    return [tag("p", about), group_sizes(shown.sizes).figure(caption)]


def _exactness(span: Span) -> list[str]:
    widths = (span.half, span.most, span.widest)
    return [names([span.column]), *(_width(span, width) for width in widths)]


def _width(span: Span, width: float) -> str:
    number = count(int(width)) if width == int(width) else f"{width:g}"
    unit = "" if span.grid else " value" if width == 1 else " values"
    return f"{number}{unit}" + (" (exact)" if width == 1 and span.grid in ("", "1") else "")


def columns(paper: Register) -> Markup:
    """Say what each column of the release means."""
    shown = paper.published
    usual = {
        "group": "Number of the group: rows that show the same intervals and among which each "
        "sensitive value stands once.",
        "counterfeits": "How many rows of that group belong to nobody; groups without any are "
        "left out.",
        shown.sensitive: "Content, as in the register.",
    }
    for column in shown.quasi:
        usual[f"{column}_low"] = f"Lower end of {column}, included."
        usual[f"{column}_high"] = f"Upper end of {column}, included."
    # Names with _low and _high are long, and must not be broken.
    return parts.columns(paper, usual, "white-space: nowrap")


def check_yourself(paper: Register) -> Markup:
    """Say how to repeat the audit."""
    owner = "The owner of the data can also follow the people through all releases:"
    return parts.check_yourself(paper, owner)
