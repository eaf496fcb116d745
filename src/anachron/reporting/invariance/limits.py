"""What is not promised, in the words of those who have to decide.

The headings are those by which data protection authorities judge anonymization.
"""

from __future__ import annotations

from anachron.reporting import parts
from anachron.reporting.invariance.register import Register
from anachron.reporting.markup import Markup, join, names
from anachron.reporting.parts import Point

__all__ = ["chapters", "limits"]


def limits(paper: Register) -> Markup:
    """Say what an adversary may still learn, and what to weigh before handing the data on."""
    return parts.limits(
        "The promise is about the value of one person, to whoever knows the published columns of "
        "that person and compares releases. It ends there.",
        chapters(paper),
    )


def chapters(paper: Register) -> list[tuple[str, list[Point]]]:
    """The limits by the way in which something is learned."""
    return [
        ("Singling out", _singling_out(paper)),
        ("Linking", _linking(paper)),
        ("Inferring", _inferring(paper)),
    ]


def _singling_out(paper: Register) -> list[Point]:
    return [
        (
            "Presence is not hidden.",
            "Whoever knows a person’s columns may see that somebody like that is in the register, "
            "since when, and that somebody has left it.",
        ),
        (
            "Counterfeits are announced.",
            "The release says how many rows of a group belong to nobody. That is needed to count "
            "with it, and tells how many places are empty.",
        ),
        *(
            [(
                "Holding back tells something.",
                "New people may be held back when too many of them share a value. Whoever learns "
                "that a person was held back learns that the person’s value is a frequent one.",
            )]
            if paper.promise.holds_back
            else []
        ),
    ]  # fmt: skip


def _linking(paper: Register) -> list[Point]:
    points = []
    if paper.promise.mode == "paper":
        points.append((
            "Whoever knows how Anachron works may learn more.",
            "In mode paper the place of a person who left goes to a new person with the missing "
            "value if one can be spared, and to a counterfeit if not. Which of the two happened "
            "depends on the value that was missing. From it, somebody who knows the rule and works "
            "through all possibilities can at times tell the value of a person who stayed: in "
            "small histories that were worked through completely, in about one of five. The modes "
            "transparent and sticky do not have this weakness; they need more counterfeits.",
        ))  # fmt: skip
    if paper.promise.mode != "sticky":
        points.append((
            "One value that leaks may give away others.",
            "People are grouped anew in every release. Two people who in different releases "
            "complete the same set with the same companions must have the same value: whoever "
            "learns the value of one of them learns that of the other. Mode sticky ends this.",
        ))  # fmt: skip
    return [
        *points,
        (
            "What others publish.",
            "Data on the same people from another publisher, safe on its own, may together with "
            "these releases give away what neither gives away alone. Nobody can rule that out from "
            "one side.",
        ),
        (
            "What is published without the ledger.",
            "Sets of values stay the same because the ledger remembers them. A release made with "
            "another ledger, or after the ledger was lost, breaks the promise of all of them.",
        ),
    ]


def _changes(paper: Register) -> list[Point]:
    """What is seen of values that change; nothing, if none does."""
    if paper.promise.constant:
        return []
    seen = (
        "A person whose value leaves the set gets a new set, so whoever follows that person sees "
        "that something changed. "
    )
    if paper.promise.mode == "sticky":
        seen += "A change to another value of the set is not seen. "
    weighed = "Which values can become which was taken into account as the plan declares it."
    if not paper.promise.knows_changes:
        weighed = (
            "Which values can become which was not declared, so knowledge of it may narrow the "
            "sets down."
        )
    title = "Changes are weighed." if paper.promise.knows_changes else "Changes can be seen."
    points = [(title, seen + weighed)]
    if paper.as_of is None:
        points.append((
            "That there is a release may tell.",
            "The release has no name of its own (as_of): of a register that is exactly as it was, "
            "none would have been made. Where nobody came, left or moved, it tells that a value "
            "is another.",
        ))  # fmt: skip
    return points


def _inferring(paper: Register) -> list[Point]:
    m, content = paper.promise.m, names([paper.published.sensitive])
    return [
        (
            "Knowledge about values shortens the list.",
            join("Whoever can rule out a value of ", content, " for a person, or knows a more "
                 f"likely one, guesses better than one in {m}. Values that mean nearly the same "
                 "count as different ones."),
        ),
        *_changes(paper),
        (
            "Patterns can be learned.",
            "Whoever studies all releases learns what is usual for people of a kind and can guess, "
            "better than by chance, what is true of one of them.",
        ),
    ]  # fmt: skip
