"""What is not promised, in the words of those who have to decide.

The headings are those by which data protection authorities judge anonymization.
"""

from __future__ import annotations

from anachron.reporting import parts
from anachron.reporting.granularity.events import Events
from anachron.reporting.markup import Markup, join, names
from anachron.reporting.parts import Point
from anachron.reporting.words import percent

__all__ = ["limits"]


def limits(paper: Events) -> Markup:
    """Say what an adversary may still learn, and what to weigh before handing the data on."""
    return parts.limits(
        "The promise is about finding a person’s rows by the columns that it names. It ends there.",
        [
            ("Singling out", _singling_out(paper)),
            ("Linking", _linking()),
            ("Inferring", _inferring(paper)),
        ],
    )


def _singling_out(paper: Events) -> list[Point]:
    k, share = paper.promise.k, paper.promise.max_share
    owned = f"One person may own up to {percent(share)} of the rows of a group." if share else (
        "One person may own most rows of a group; a row picked from it is then theirs with a "
        f"chance far above one in {k}."
    )  # fmt: skip
    who = "too many people" if paper.promise.max_suppressed else "somebody"
    return [
        ("Rows are not people.", owned),
        (
            "A row may be unique by its content.",
            join("A rare value, an exact amount or free text in ", _content(paper), " can be the "
                 "only one of its kind, and name a person to those who know it."),
        ),
        (
            "The choice itself tells something.",
            f"That times are published by {paper.granule} tells that whatever was finer on offer "
            f"failed: with it, {who} would have stood in a group of fewer than {k}.",
        ),
    ]  # fmt: skip


def _linking() -> list[Point]:
    return [
        (
            "Several events of one person.",
            "The promise is about one event at a time. Whoever knows several events of a person, "
            "and can join rows by their content, may narrow the circle with each of them.",
        ),
        (
            "What others publish.",
            "Data on the same people from another publisher, safe on its own, may together with "
            "this release give away what neither gives away alone. Nobody can rule that out from "
            "one side.",
        ),
        (
            "What you publish next.",
            "A second view of the same table can be subtracted from this one. The ledger refuses "
            "it, but knows only what was published through it. Over many releases of the same "
            "people, small chances add up.",
        ),
    ]


def _inferring(paper: Events) -> list[Point]:
    return [
        (
            "People of a group may have something in common.",
            join("If all rows of a group agree in ", _content(paper), ", whoever knows that a "
                 "person is in the group knows it of that person. Groups are formed without "
                 "looking at the content."),
        ),
        (
            "Patterns can be learned.",
            "Whoever studies the whole release learns what is usual for people of a kind and can "
            "guess, better than by chance, what is true of one of them.",
        ),
        (
            "Presence is not hidden.",
            "Whoever knows that the table covers everybody of a kind knows that a person is in it.",
        ),
    ]  # fmt: skip


def _content(paper: Events) -> str:
    return names(paper.published.sensitive, "or") or "a column added later"
