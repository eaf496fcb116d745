"""The last pages: what was published, what its columns mean, and how to check it oneself."""

from __future__ import annotations

from anachron.reporting import parts
from anachron.reporting.charts import group_sizes
from anachron.reporting.markup import Markup, table, tag
from anachron.reporting.patterns.drawings import envelopes, every, levels, shapes
from anachron.reporting.patterns.published import Published
from anachron.reporting.patterns.series import Series
from anachron.reporting.words import count, plural

__all__ = ["check_yourself", "columns", "content"]


def content(paper: Series) -> Markup:
    """Show a few groups, how fine patterns are, and how large groups."""
    shown, title = paper.published, "What was published"
    if not shown.rows:
        return parts.section(title, tag("p", "The release holds no rows."))
    return parts.section(
        title,
        *_groups(shown),
        *_levels(paper),
        tag("h3", "How wide envelopes are"),
        *_widths(shown),
        tag("h3", "Sizes of groups"),
        *_sizes(shown),
    )


def _groups(shown: Published) -> list[Markup]:
    three = len(shown.panels) == 3
    which = (
        "Three groups: the one whose patterns are finest, one in the middle, and the one whose "
        "patterns are coarsest. "
        if three
        else "Groups of the release. "
    )
    band = (
        "The lines are the lowest and the highest value that is published at each time; the values "
        "of everyone in the group lie between them. All drawings have the same scale."
    )
    words = (
        "The patterns of the same groups: each step is a letter, the lowest at the bottom. A flat "
        "line is a pattern of level 1, which says nothing."
    )
    hidden = sum(panel.more for panel in shown.panels)
    if hidden:
        words += f" {plural(hidden, 'pattern')} of fewer people are not drawn."
    if every(shown.values) > 1:
        band += f" {every(shown.values)} neighbouring times are drawn as one."
    if every(shown.patterns) > 1:
        words += f" One in {every(shown.patterns)} letters is drawn."
    return [
        tag("h3", "Envelopes and patterns of a few groups"),
        envelopes(shown).figure(which + band),
        shapes(shown).figure(words),
    ]


def _levels(paper: Series) -> list[Markup]:
    shown = paper.published
    flat = shown.levels[0]
    caption = (
        f"How many letters patterns may use, by people: from 1 to {len(shown.levels)}, "
        f"{shown.mean_level:.1f} in the mean. The more letters, the finer is the shape. "
    )
    caption += (
        f"Outlined: {plural(flat, 'person', 'people')} of level 1, whose shape is not told at all."
        if flat
        else "Nobody’s shape is left out."
    )
    return [tag("h3", "How fine patterns are"), levels(shown).figure(caption)]


def _widths(shown: Published) -> list[Markup]:
    width = shown.width
    if width is None:
        return [tag("p", "No values are published.")]
    told = (width.half, width.most, width.widest, width.whole)
    return [
        tag("p", "Width of a person’s envelope, in the mean over the times:", class_="lead-in"),
        table(
            ("half are at most", "nine in ten are at most", "widest", "all series together"),
            [[f"{one:,.4g}" for one in told]],
            numeric=(0, 1, 2, 3),
        ),
    ]


def _sizes(shown: Published) -> list[Markup]:
    smallest, largest = shown.sizes[0].low, shown.sizes[-1].high
    about = (
        f"{plural(shown.groups, 'group')} with {plural(shown.subgroups, 'pattern')} in all; each "
        f"pattern of a group is that of at least {plural(shown.smallest_subgroup, 'row')}."
    )
    if smallest == largest:
        # One bar says less than a sentence.
        return [tag("p", f"{about} Every group has {plural(smallest, 'row')}.")]
    joined = any(size.low < size.high for size in shown.sizes)
    caption = parts.group_caption(shown.groups, smallest, joined)
    return [tag("p", about), group_sizes(shown.sizes).figure(caption)]


def columns(paper: Series) -> Markup:
    """Say what each column of the release means."""
    shown = paper.published
    usual = {
        "group": "Number of the group: people who share an envelope.",
        "level": "How many letters the pattern may use.",
        "pattern": f"The shape of the series: a letter for each of {count(len(shown.patterns))} "
        "times, a the lowest.",
        **dict.fromkeys(shown.sensitive, "Content, as in the table."),
    }
    for time in shown.values:
        usual[f"{time}_low"] = f"Lowest value of the group at {time}, or less."
        usual[f"{time}_high"] = f"Highest value of the group at {time}, or more."
    # Names with _low and _high are long, and must not be broken.
    return parts.columns(paper, usual, "white-space: nowrap")


def check_yourself(paper: Series) -> Markup:
    """Say how to repeat the audit."""
    owner = (
        "The owner of the data can also compare every series with its row, and look for people as "
        "an adversary would:"
    )
    return parts.check_yourself(paper, owner)
