"""What is not promised, in the words of those who have to decide.

The headings are those by which data protection authorities judge anonymization.
"""

from __future__ import annotations

from fractions import Fraction

from anachron.reporting import parts
from anachron.reporting.invariance.limits import chapters
from anachron.reporting.markup import Markup, join, names
from anachron.reporting.parts import Point
from anachron.reporting.reposition.feed import Feed
from anachron.reporting.words import many, percent, plural

__all__ = ["limits"]


def limits(paper: Feed) -> Markup:
    """Say what an adversary may still learn, and what to weigh before handing the data on."""
    own = [
        ("Singling out", _singling_out(paper)),
        ("Linking", _linking(paper)),
        ("Inferring", _inferring(paper)),
    ]
    if paper.register is not None:
        inherited = dict(chapters(paper.register))
        own = [(title, [*points, *inherited[title]]) for title, points in own]
    return parts.limits(
        "The promise is about the value of a person whose record stands in a published group, to "
        "whoever knows the published columns of that person. It ends there.",
        own,
    )


def _singling_out(paper: Feed) -> list[Point]:
    points: list[Point] = [_missing(paper)]
    if paper.promise.then == "anatomy":
        columns = names(paper.published.quasi)
        points.append((
            "People can be found, their values not.",
            join(columns, " are published exactly. Whoever knows them of a person finds the row, "
                 "and with it that the person is in the feed, and about when."),
        ))  # fmt: skip
    elif paper.register is None:
        points.append((
            "Presence is not hidden.",
            "Whoever knows a person’s columns may see that somebody like that is in the feed, and "
            "about when.",
        ))  # fmt: skip
    return points


def _missing(paper: Feed) -> Point:
    """The records that are not where they happened: who looks for them learns something."""
    unit = paper.promise.unit
    text = (
        f"A record that was moved or left out is missing from the {unit} in which it happened. "
        f"Whoever knows that something happened to a person in that very {unit}, and finds no "
        "published record there that fits, learns that this one was moved or left out; and since "
        "that happens mostly to values that were too frequent, what the value probably is. "
    )
    if paper.promise.then == "anatomy":
        text += "With columns that are published exactly, it is easy to see who is missing. "
    elif paper.promise.then == "generalize":
        text += "Groups were therefore widened so that one of them fits whoever is missing. "
    if paper.promise.careful:
        text += (
            "Count their values as known; those who are published on time are hidden without them. "
        )
    elif paper.promise.window > 1:
        text += (
            f"Whoever stands beside them in a later {unit} has one value less to be hidden among. "
        )
    return (
        "Who is missing may be noticed.",
        f"{text}{_figure(paper)}Nothing hides it from somebody who knows when everybody else was "
        f"there: a {unit} as it was could not be published at all.",
    )


def _figure(paper: Feed) -> str:
    record = paper.record
    if record is None:
        return "The owner of the data knows how many records are concerned. "
    missing = sum(snapshot.left for snapshot in record.snapshots)
    if not missing:
        return "In this release no record is missing. "
    total = sum(snapshot.arrived for snapshot in record.snapshots)
    share = percent(Fraction(missing, total))
    said = f"In this release {plural(missing, 'record')} of {total:,} ({share}) "
    said += "is missing from its own" if missing == 1 else "are missing from their own"
    exposed = ""
    if paper.promise.then == "anatomy":
        exposed = ", in sight of whoever knows that they belong there"
    elif record.uncovered:
        exposed = f"; {record.uncovered:,} of them could not be covered by a group"
    elif record.uncovered is not None:
        exposed = "; a group covers each of them"
    return f"{said} {paper.promise.unit}{exposed}. "


def _linking(paper: Feed) -> list[Point]:
    unit = paper.promise.unit
    points: list[Point] = []
    if paper.register is None:
        points = [
            (
                "A person in several snapshots.",
                f"Each {unit} keeps the promise on its own. Whoever knows that a person with a "
                f"lasting value is in the feed on several {many(unit)} can compare the groups, and "
                "the list of possible values gets shorter. If people return with the same value, "
                "publish the feed m-invariantly.",
            ),
            (
                "What others publish.",
                "Data on the same people from another publisher, safe on its own, may together "
                "with these releases give away what neither gives away alone.",
            ),
            (
                "What is published without the ledger.",
                "The ledger remembers which records are out. The same events published with "
                "another ledger, or in another way, intersect with these.",
            ),
        ]
    return points


def _inferring(paper: Feed) -> list[Point]:
    promise, content = paper.promise, names([paper.published.sensitive])
    points: list[Point] = []
    if promise.window > 1:
        points.append((
            f"The published {promise.unit} may be a later one.",
            f"For recipients: a record may stand up to {plural(promise.window - 1, promise.unit)} "
            f"later than it happened. Counts by {promise.unit} are off by what was moved, and "
            "values that were too frequent are published less often than they happened.",
        ))  # fmt: skip
    if paper.register is None:
        points += [
            (
                "Knowledge about values shortens the list.",
                join("Whoever can rule out a value of ", content, " for a person, or knows a more "
                     f"likely one, guesses better than {promise.odds}. Values that mean nearly "
                     "the same count as different ones."),
            ),
            ("Patterns can be learned.", _learned(paper)),
        ]  # fmt: skip
    return points


def _learned(paper: Feed) -> str:
    """What the feed teaches; with exact columns, how far that goes, if it was measured."""
    said = (
        "Whoever studies the feed learns what is usual for people of a kind and can guess, "
        "better than by chance, what is true of one of them."
    )
    if paper.promise.then != "anatomy":
        return said
    tried = [f for f in paper.proof.findings if f.attack == "learning"]
    if not tried:
        return (
            f"{said} With columns that are published exactly, that is easiest. How often such a "
            "guess is right, its owner can tell, with the table and the ledger."
        )
    return f"{said} It was tried: {tried[0].measured}"
