"""The parts of a page that every certificate has, whatever was promised."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

from anachron.reporting.certificate import Certificate
from anachron.reporting.markup import Markup, mark, table, tag
from anachron.reporting.words import count, listing, plural

__all__ = [
    "Point",
    "at_hand",
    "check_yourself",
    "columns",
    "done",
    "figures",
    "group_caption",
    "header",
    "limits",
    "ruling",
    "section",
]

Point = tuple[str, str]
"""A sentence to remember, and what it means."""
MOST_COLUMNS = 60
"""So many columns are explained from the beginning of a table, and from its end."""


def section(title: str, *parts: Markup) -> Markup:
    """One section of the page."""
    return tag("section", tag("h2", title), *parts)


def header(paper: Certificate, about: str) -> Markup:
    """Say what this is about."""
    return tag(
        "header",
        tag("p", "Anachron certificate", class_="kind"),
        tag("h1", paper.title),
        tag("p", about, class_="about"),
    )


def ruling(paper: Certificate, proof: str, doubt: str) -> Markup:
    """Give the verdict in one sentence, and how far it reaches in another.

    ``proof`` says what was compared when the original rows were at hand, ``doubt`` what is
    missing when they were not.
    """
    holds = paper.proof.kept
    sentence, reach = _kept(paper, proof, doubt) if holds else _broken(paper)
    return tag(
        "section",
        mark("holds" if holds else "fails", "holds" if holds else "fails"),
        tag("div", tag("strong", sentence), tag("p", reach)),
        class_="verdict" if holds else "verdict failed",
    )


def at_hand(paper: Certificate) -> str:
    """Say what an audit saw that did not see the original rows."""
    if paper.verdict.scope == "with ledger":
        return "The ledger was at hand, the original rows were not"
    return "Only the release was at hand"


def _kept(paper: Certificate, proof: str, doubt: str) -> tuple[str, str]:
    checks = len(paper.verdict.checks)
    every = "The one check holds." if checks == 1 else f"All {checks} checks hold."
    if paper.proof.findings:
        every += f" {_tried(paper)}"
    if paper.proven:
        return "The promise is kept.", f"{every} {proof}"
    return "Nothing in the release speaks against the promise.", f"{every} {doubt}"


def _tried(paper: Certificate) -> str:
    findings = paper.proof.findings
    beyond = sum(finding.holds is None and finding.exposed > 0 for finding in findings)
    said = f"{plural(len(findings), 'attack was', 'attacks were')} tried: none breaks the promise"
    if not beyond:
        return f"{said}."
    # What is not promised may still be what the reader fears.
    return f"{said}, {beyond} {'finds' if beyond == 1 else 'find'} what it does not cover."


def _broken(paper: Certificate) -> tuple[str, str]:
    checks, attacks = paper.verdict.checks, paper.proof.broken_by
    failed = [check.about for check in checks if not check.holds]
    what = []
    if not checks:
        what.append("Nothing could be checked.")
    elif failed:
        fail = "fails" if len(failed) == 1 else "fail"
        what.append(f"{len(failed)} of {plural(len(checks), 'check')} {fail}: {listing(failed)}.")
    if attacks:
        succeed = "attack succeeds" if len(attacks) == 1 else "attacks succeed"
        titles = listing(attack.title for attack in attacks)
        what.append(f"{len(attacks)} {succeed} that should not: {titles}.")
    return "The promise is not kept.", f"{' '.join(what)} Do not hand the release on."


def figures(entries: Iterable[tuple[str, str]]) -> Markup:
    """The few numbers to remember."""
    items = (tag("div", tag("dt", label), tag("dd", value)) for label, value in entries)
    return tag("dl", *items, class_="figures")


def done(items: Iterable[str], notes: Iterable[str]) -> Markup:
    """Say what was done to the table."""
    noted = [f"{note[:1].upper()}{note[1:].removesuffix('.')}." for note in notes]
    listed = (tag("li", item) for item in (*items, *noted))
    return section("What was done", tag("ul", *listed))


def group_caption(groups: int, smallest: int, joined: bool) -> str:
    """Explain the chart of group sizes."""
    text = (
        f"How large the {plural(groups, 'group')} are, in rows. The smallest has "
        f"{plural(smallest, 'row')}."
    )
    more = " A bar counts the groups from its number of rows up to the next."
    return text + more if joined else text


def limits(scope: str, chapters: Iterable[tuple[str, Sequence[Point]]]) -> Markup:
    """Say what an adversary may still learn, and what to weigh before handing the data on."""
    parts = []
    for title, points in chapters:
        items = (tag("li", tag("strong", lead), " ", text) for lead, text in points)
        parts += [tag("h3", title), tag("ul", *items)]
    closing = (
        "Whether the release is anonymous in the sense of the law is a judgement about these "
        "points, the recipients and the setting. This certificate is material for it, not a "
        "substitute."
    )
    return section(
        "What is not promised",
        tag("p", scope, class_="lead-in"),
        *parts,
        tag("p", closing, class_="note"),
    )


def columns(paper: Certificate, usual: Mapping[str, str], style: str | None = None) -> Markup:
    """Say what each column of the release means, and else what such a column usually means.

    ``style`` is that of the columns' names.
    """
    parts = []
    for name, fields in paper.fields.items():
        rows: list[tuple[str, ...]] = [
            (tag("code", column, style=style), kind, stated or usual.get(column, ""))
            for column, kind, stated in fields
        ]
        if len(paper.fields) > 1:
            parts.append(tag("h3", f"The table {name}"))
        more = len(rows) - 2 * MOST_COLUMNS
        if more > 0:
            left = f"… {plural(more, 'more column')}, which datapackage.json lists"
            rows = [*rows[:MOST_COLUMNS], ("", "", left), *rows[-MOST_COLUMNS:]]
        parts.append(table(("column", "type", "meaning"), rows, class_="codebook"))
    return section("What the columns mean", *parts)


def check_yourself(paper: Certificate, owner: str) -> Markup:
    """List files with their digests, and say how to repeat the audit."""
    folder = shlex.quote(paper.folder)
    files = [
        (tag("code", file.path), "" if file.size is None else count(file.size),
         tag("span", file.digest, class_="digest"))
        for file in paper.files
    ]  # fmt: skip
    return section(
        "Check it yourself",
        tag("p", "Anybody who has the release can check the files and what the release shows:"),
        tag("pre", f"pip install anachron\nanachron audit {folder}"),
        tag("p", owner),
        tag("pre", f"anachron audit {folder} --table TABLE --ledger LEDGER"),
        tag("p", "These digests tell whether the files are the ones that this page is about."),
        table(("file", "bytes", "SHA-256"), files, numeric=(1,)),
    )
