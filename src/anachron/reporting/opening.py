"""The first page: the verdict, what was promised, what was done, what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from anachron.reporting.certificate import Certificate
from anachron.reporting.markup import Markup, join, mark, names, table, tag
from anachron.reporting.words import count, listing, name, percent, plural

__all__ = ["done", "figures", "header", "measured", "promised", "ruling"]


def header(paper: Certificate) -> Markup:
    """Say what this is about."""
    shown = paper.published
    span = f"{shown.first} to {shown.last}" if shown.rows else "no rows"
    about = f"Times by {paper.granule}, {span} ({paper.time_zone}). Folder {paper.folder}."
    return tag(
        "header",
        tag("p", "Anachron certificate", class_="kind"),
        tag("h1", paper.title),
        tag("p", about, class_="about"),
    )


def ruling(paper: Certificate) -> Markup:
    """Give the verdict in one sentence, and how far it reaches in another."""
    holds = paper.verdict.holds
    sentence, reach = _kept(paper) if holds else _broken(paper)
    return tag(
        "section",
        mark("holds" if holds else "fails", "holds" if holds else "fails"),
        tag("div", tag("strong", sentence), tag("p", reach)),
        class_="verdict" if holds else "verdict failed",
    )


def _kept(paper: Certificate) -> tuple[str, str]:
    checks = len(paper.verdict.checks)
    every = "The one check holds." if checks == 1 else f"All {checks} checks hold."
    if paper.proven:
        return "The promise is kept.", (
            f"{every} The audit counted the people in the rows that the release was made from, "
            "with code of its own."
        )
    return "Nothing in the release speaks against the promise.", (
        f"{every} Only the release was at hand: it can refute the promise, but not prove it, "
        "because no published column tells people apart. The owner of the data proves it with "
        "the original rows."
    )


def _broken(paper: Certificate) -> tuple[str, str]:
    checks = paper.verdict.checks
    failed = [check.about for check in checks if not check.holds]
    what = "Nothing could be checked."
    if checks:
        fail = "fails" if len(failed) == 1 else "fail"
        what = f"{len(failed)} of {plural(len(checks), 'check')} {fail}: {listing(failed)}."
    return "The promise is not kept.", f"{what} Do not hand the release on."


def figures(paper: Certificate) -> Markup:
    """The few numbers to remember."""
    shown, search = paper.published, paper.search
    entries = [
        ("people in every group, promised", f"at least {count(paper.promise.k)}"),
        ("rows published", count(shown.rows)),
    ]
    if paper.left_out is not None:
        entries.append(("rows left out", count(paper.left_out)))
    entries.append(("groups", count(shown.groups)))
    if search is not None:
        entries.append(("people in the table", count(search.subjects)))
    items = (tag("div", tag("dt", label), tag("dd", value)) for label, value in entries)
    return tag("dl", *items, class_="figures")


def promised(paper: Certificate) -> Markup:
    """Say what is promised, so that it can be read aloud."""
    promise, shown = paper.promise, paper.published
    person = join("a person’s ", names(shown.quasi), " and ") if shown.quasi else ""
    combination = join(names(shown.quasi), " and " if shown.quasi else "")
    lead = join(
        "Whoever knows ",
        person,
        f"the {paper.granule} of one event finds at least {promise.k} different people who fit, "
        "and cannot tell from these columns which of them is meant.",
    )
    exactly = join(
        "Put exactly: the rows with the same ",
        combination,
        f"the same {paper.granule} in " if shown.quasi else f"{paper.granule} in ",
        names([shown.time]),
        f" form a group, and every group has rows of at least {promise.k} different people. "
        "People are counted, not rows: one person with many rows counts once.",
    )
    parts = [tag("p", lead, class_="lead"), tag("p", exactly)]
    if promise.max_share is not None:
        share = percent(promise.max_share)
        parts.append(tag("p", f"In no group does one person own more than {share} of the rows."))
    return _section("What is promised", *parts)


def done(paper: Certificate) -> Markup:
    """Say what was done to the table."""
    shown = paper.published
    kept = [column for column in shown.quasi if column not in paper.steps]
    offered = listing(map(name, paper.promise.offered), "or")
    items = [
        join(
            "Every time in ",
            names([shown.time]),
            f" was replaced by its {paper.granule}, as the calendar and the clock of "
            f"{paper.time_zone} have it. On offer were {offered}.",
        ),
        *(_coarsened(paper, column, step) for column, step in paper.steps.items()),
        _left_out(paper),
    ]
    if kept:
        items.append(join(names(kept), ", which an outsider may know, ", _unchanged(kept)))
    if shown.sensitive:
        content = shown.sensitive
        items.append(join(names(content), ", the content, ", _unchanged(content)))
    items.append(
        "Everything else was left behind: the column that names the person, every column without "
        "a role, and the order of the rows."
    )
    notes = paper.search.notes if paper.search is not None else ()
    items += [f"{note[:1].upper()}{note[1:].removesuffix('.')}." for note in notes]
    return _section("What was done", tag("ul", *(tag("li", item) for item in items)))


def _unchanged(columns: Sequence[str]) -> str:
    return f"{'is' if len(columns) == 1 else 'are'} published as in the table."


def _coarsened(paper: Certificate, column: str, step: str) -> Markup:
    """How a column was published that could be made coarser."""
    ladder = paper.search.ladders[column] if paper.search is not None else ()
    offered = f" On offer were {listing(ladder, 'or')}." if ladder else ""
    verb = "was" if step == "left out" else "is published"
    manner = "in " if step.startswith(("bins", "classes")) else ""
    return join(names([column]), f" {verb} {manner}{step}.{offered}")


def _left_out(paper: Certificate) -> str:
    limit, left, rows = paper.promise.max_suppressed, paper.left_out, paper.published.rows
    allowed = (
        f"The plan allowed up to {percent(limit)} of the rows to be left out, to keep the others "
        "finer."
        if limit
        else "The plan allowed no row to be left out."
    )
    if left is None:
        return allowed
    if not left:
        return f"Every row of the table is published. {allowed}"
    share = percent(Fraction(left, left + rows))
    were = "was" if left == 1 else "were"
    return f"{plural(left, 'row')} of {count(left + rows)} ({share}) {were} left out. {allowed}"


def measured(paper: Certificate) -> Markup:
    """List every check, and the figures that the audit took along the way."""
    rows = [
        (
            tag("span", _sign(check.holds), class_="state" if check.holds else "state failing"),
            check.about,
            check.promised,
            check.measured,
        )
        for check in paper.verdict.checks
    ]
    head = ("", "what was checked", "promised", "measured")
    parts = [table(head, rows, class_="checks")]
    if paper.verdict.figures:
        entries = [
            (key.replace("_", " "), count(value) if isinstance(value, int) else str(value))
            for key, value in paper.verdict.figures.items()
        ]
        data = table(("figure", "value"), entries, numeric=(1,))
        parts.append(tag("details", tag("summary", "All figures of the audit"), data))
    return _section("What was measured", *parts)


def _sign(holds: bool) -> Markup:
    word = "holds" if holds else "fails"
    return join(mark(word, ""), f" {word}")


def _section(title: str, *parts: Markup) -> Markup:
    return tag("section", tag("h2", title), *parts)
