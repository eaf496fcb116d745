"""The first page: the verdict, what was promised, what was done."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from anachron.reporting import parts
from anachron.reporting.granularity.events import Events
from anachron.reporting.markup import Markup, join, names, tag
from anachron.reporting.words import count, listing, name, percent, plural

__all__ = ["done", "figures", "header", "promised", "ruling"]


def header(paper: Events) -> Markup:
    """Say what this is about."""
    shown = paper.published
    span = f"{shown.first} to {shown.last}" if shown.rows else "no rows"
    about = f"Times by {paper.granule}, {span} ({paper.time_zone}). Folder {paper.folder}."
    return parts.header(paper, about)


def ruling(paper: Events) -> Markup:
    """Give the verdict, and how far it reaches."""
    return parts.ruling(
        paper,
        proof="The audit counted the people in the rows that the release was made from, with code "
        "of its own.",
        doubt=f"{parts.at_hand(paper)}: that can refute the promise, but not prove it, because "
        "no published column tells people apart. The owner of the data proves it with the "
        "original rows.",
    )


def figures(paper: Events) -> Markup:
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
    return parts.figures(entries)


def promised(paper: Events) -> Markup:
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
    said = [tag("p", lead, class_="lead"), tag("p", exactly)]
    if promise.max_share is not None:
        share = percent(promise.max_share)
        said.append(tag("p", f"In no group does one person own more than {share} of the rows."))
    return parts.section("What is promised", *said)


def done(paper: Events) -> Markup:
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
    return parts.done(items, paper.search.notes if paper.search is not None else ())


def _unchanged(columns: Sequence[str]) -> str:
    return f"{'is' if len(columns) == 1 else 'are'} published as in the table."


def _coarsened(paper: Events, column: str, step: str) -> Markup:
    """How a column was published that could be made coarser."""
    ladder = paper.search.ladders[column] if paper.search is not None else ()
    offered = f" On offer were {listing(ladder, 'or')}." if ladder else ""
    verb = "was" if step == "left out" else "is published"
    manner = "in " if step.startswith(("bins", "classes")) else ""
    return join(names([column]), f" {verb} {manner}{step}.{offered}")


def _left_out(paper: Events) -> str:
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
