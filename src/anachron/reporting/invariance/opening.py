"""The first page: the verdict, what was promised, what was done."""

from __future__ import annotations

from fractions import Fraction

from anachron.reporting import parts
from anachron.reporting.invariance.register import Register
from anachron.reporting.markup import Markup, join, names, tag
from anachron.reporting.words import count, percent, plural

__all__ = ["counterfeits", "done", "figures", "header", "manner", "ordinal", "promised", "ruling"]

MODES = {
    "paper": "Places that people left were filled with new people where one could be spared, and "
    "else with counterfeits (mode paper): few counterfeits, with the limit stated below.",
    "transparent": "Places that people left were always filled with counterfeits (mode "
    "transparent), so that whoever knows how Anachron works learns no more than who does not.",
    "sticky": "Groups stay together for ever; places that people left were filled with "
    "counterfeits (mode sticky). Whoever knows how Anachron works, or compares how people are "
    "grouped in different releases, learns no more than who does not.",
}
"""What each mode did."""
CANDIDATES = (
    "Whose value changed to another one of their set stayed where they were, so that nobody sees "
    "it. The values of a group are therefore candidates: each of its people has one of them, and "
    "two may have the same. Count with it accordingly; answers of Anachron do."
)
"""What the values of groups are that stay while values change."""


def header(paper: Register) -> Markup:
    """Say what this is about."""
    named = "" if paper.as_of is None else f", as of {paper.as_of}"
    about = f"A register of people, released for the {ordinal(paper.number)} time{named}."
    return parts.header(paper, f"{about} Folder {paper.folder}.")


def ruling(paper: Register) -> Markup:
    """Give the verdict, and how far it reaches."""
    return parts.ruling(
        paper,
        proof="The audit followed the people of the register through all releases, with code of "
        "its own.",
        doubt=f"{_missing(paper)} The owner of the data proves it with the register and the "
        "ledger.",
    )


def _missing(paper: Register) -> str:
    """What was not at hand, and what follows from that."""
    if paper.followed or paper.verdict.scope == "with ledger":
        return (
            "The register was not at hand: whether everybody stands in the right group could not "
            "be checked."
        )
    seen = "Only the release was" if paper.verdict.scope == "published" else "The ledger was not"
    return (
        f"{seen} at hand: that can refute the promise, but not prove it, because nothing published "
        "tells who is the same person in two releases."
    )


def figures(paper: Register) -> Markup:
    """The few numbers to remember."""
    shown = paper.published
    entries = [
        ("possible values, promised", f"at least {count(paper.promise.m)}"),
        ("rows published", count(shown.rows)),
        ("of them counterfeits", count(shown.counterfeits)),
        ("groups", count(shown.groups)),
    ]
    if paper.record is not None:
        entries.append(("people in the register", count(paper.record.subjects)))
    return parts.figures(entries)


def promised(paper: Register) -> Markup:
    """Say what is promised, so that it can be read aloud."""
    m, shown = paper.promise.m, paper.published
    content = names([shown.sensitive])
    lead = join(
        "Whoever knows a person’s ",
        names(shown.quasi),
        ", and even that the person is in the register, finds at least ",
        f"{m} different values of ",
        content,
        " that may be the person’s; and finds the same ones in every release, however many "
        "releases are put side by side.",
    )
    exactly = join(
        "Put exactly: in every group each value of ",
        content,
        f" stands once, and there are at least {m}. The set of values of a person’s group stays "
        "the same in all releases in which the person appears, also after an absence. If the "
        "person’s value changes to one that is not in the set, the new set has no value in common "
        "with the ones before. To whoever knows nothing else, and not how groups are made, each "
        "value of the set is equally likely: a guess is right with a chance of at most one in "
        f"{m}. " + _of_those_who_know(paper),
    )
    return parts.section("What is promised", tag("p", lead, class_="lead"), tag("p", exactly))


def _of_those_who_know(paper: Register) -> str:
    """Say what holds for somebody who knows how Anachron works."""
    if paper.promise.mode == "paper":
        return "Whoever knows how Anachron works may learn more, as is said below."
    if paper.promise.constant:
        return (
            "That holds for somebody who knows how Anachron works, too: it was declared that no "
            "value ever changes."
        )
    if paper.promise.knows_changes:
        return (
            "To somebody who knows how Anachron works, and which values can become which as it was "
            "declared, each value of the set remains possible, if not equally likely."
        )
    if paper.promise.declares_values:
        return (
            "That holds for somebody who knows how Anachron works, too: the values that can occur "
            "were declared, and sets are drawn without a look at anybody’s own."
        )
    return "That holds for somebody who knows how Anachron works, too, as long as no value changes."


def done(paper: Register) -> Markup:
    """Say what was done to the register."""
    shown, record = paper.published, paper.record
    items = [
        join(
            f"The rows were put into {plural(shown.groups, 'group')}. Of ",
            names(shown.quasi),
            " a group shows intervals only, the same for all of its rows.",
        ),
        *(_grid(column, width) for column, width in paper.grids.items()),
        counterfeits(paper),
        *manner(paper),
        join(names([shown.sensitive]), ", the content, is published as in the register."),
        "Everything else was left behind: the column that names the person, every column without "
        "a role, and the order of the rows. Nothing tells a counterfeit from a real row.",
    ]
    return parts.done(items, record.notes if record is not None else ())


def manner(paper: Register) -> list[str]:
    """Say what the mode did, and what the values of groups are then."""
    return [MODES[paper.promise.mode], *([] if paper.exact else [CANDIDATES])]


def _grid(column: str, width: str) -> Markup:
    manner = f"on a grid of {width}, the same for all releases" if width else (
        "neighbours in the declared order of its values"
    )  # fmt: skip
    ends = names([f"{column}_low", f"{column}_high"], "to")
    return join(names([column]), " is shown from ", ends, f": {manner}.")


def counterfeits(paper: Register) -> str:
    """Say how many rows belong to nobody."""
    shown = paper.published
    if not shown.counterfeits:
        return "No counterfeit was needed: every row belongs to a person."
    share = percent(Fraction(shown.counterfeits, shown.rows))
    rows = "row is a counterfeit" if shown.counterfeits == 1 else "rows are counterfeits"
    return (
        f"{count(shown.counterfeits)} of {count(shown.rows)} {rows} ({share}), in "
        f"{plural(shown.touched, 'group')}. A counterfeit belongs to nobody. It keeps a set of "
        "values whole when a person has left. The table counterfeits says how many each group "
        "has, not which rows they are."
    )


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, …"""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"
