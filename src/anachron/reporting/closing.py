"""The last pages: what was published, what its columns mean, and how to check it oneself."""

from __future__ import annotations

import shlex

from anachron.reporting.certificate import Certificate
from anachron.reporting.charts import group_sizes, rows_over_time
from anachron.reporting.markup import Markup, table, tag
from anachron.reporting.published import Published
from anachron.reporting.words import count, many, plural

__all__ = ["check_yourself", "columns", "content", "meanings"]


def content(paper: Certificate) -> Markup:
    """Show the release over time, and how large its groups are."""
    shown = paper.published
    title = tag("h2", "What was published")
    if not shown.rows:
        return tag("section", title, tag("p", "The release holds no rows."))
    joined = max(bar.granules for bar in shown.bars)
    steps = many(paper.granularity)
    each = f"one {paper.granule}" if joined == 1 else f"up to {joined} {steps}"
    over_time = (
        f"{plural(shown.rows, 'row')} in {plural(shown.granules, paper.granule, steps)}. "
        f"A bar stands for {each}."
    )
    sizes = (
        f"How large the {plural(shown.groups, 'group')} are, in rows. The smallest has "
        f"{plural(shown.sizes[0].low, 'row')}."
    )
    if any(size.low < size.high for size in shown.sizes):
        sizes += " A bar counts the groups from its number of rows up to the next."
    return tag(
        "section",
        title,
        tag("h3", "Rows over time"),
        rows_over_time(shown).figure(over_time),
        tag("h3", "Sizes of groups"),
        group_sizes(shown).figure(sizes),
    )


def columns(paper: Certificate) -> Markup:
    """Say what each column of the release means."""
    usual = meanings(paper.published, paper.granule)
    rows = [
        (tag("code", column), kind, stated or usual.get(column, ""))
        for column, kind, stated in paper.fields
    ]
    return tag(
        "section",
        tag("h2", "What the columns mean"),
        table(("column", "type", "meaning"), rows, class_="codebook"),
    )


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


def check_yourself(paper: Certificate) -> Markup:
    """List files with their digests, and say how to repeat the audit."""
    folder = shlex.quote(paper.folder)
    files = [
        (tag("code", file.path), "" if file.size is None else count(file.size),
         tag("span", file.digest, class_="digest"))
        for file in paper.files
    ]  # fmt: skip
    return tag(
        "section",
        tag("h2", "Check it yourself"),
        tag("p", "Anybody who has the release can check the files and what the release shows:"),
        tag("pre", f"pip install anachron\nanachron audit {folder}"),
        tag("p", "The owner of the data can also count the people in the original rows:"),
        tag("pre", f"anachron audit {folder} --table TABLE --ledger LEDGER"),
        tag("p", "These digests tell whether the files are the ones that this page is about."),
        table(("file", "bytes", "SHA-256"), files, numeric=(1,)),
    )
