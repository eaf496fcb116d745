"""What is not promised, in the words of those who have to decide.

The headings are those by which data protection authorities judge anonymization.
"""

from __future__ import annotations

from anachron.reporting import parts
from anachron.reporting.markup import Markup, join, names
from anachron.reporting.parts import Point
from anachron.reporting.patterns.series import Series
from anachron.reporting.words import plural

__all__ = ["limits"]


def limits(paper: Series) -> Markup:
    """Say what an adversary may still learn, and what to weigh before handing the data on."""
    return parts.limits(
        "The promise is about finding a person’s row by the values and the shape of the person’s "
        "series. It ends there.",
        [
            ("Singling out", _singling_out(paper)),
            ("Linking", _linking()),
            ("Inferring", _inferring(paper)),
        ],
    )


def _singling_out(paper: Series) -> list[Point]:
    shown, promise = paper.published, paper.promise
    points: list[Point] = [
        (
            "Presence is not hidden.",
            "Whoever knows a person’s series may see that a group fits it. If only one does, the "
            "person is in it, or among the few that were left out.",
        ),
        (
            "Bounds are somebody’s values.",
            "At every time somebody of a group lies at its lower and somebody at its upper bound, "
            f"to within {shown.precision}: of a group of {promise.k}, the values of up to two. "
            "Who it is, is not said; but whoever knows all the others of a group knows it.",
        ),
    ]
    if shown.suppressed:
        points.append((
            "Who is left out is unlike the others.",
            f"{plural(shown.suppressed, 'series', 'series')} left out, and the release says how "
            "many. Whoever finds no group that fits a person learns that the person’s series is "
            "an unusual one.",
        ))  # fmt: skip
    return points


def _linking() -> list[Point]:
    return [
        (
            "Later times of the same people.",
            "Each release keeps the promise on its own. Whoever knows a person’s series over the "
            "times of several releases can compare the people who fit in each; they may have "
            "fewer than P in common. The ledger refuses times that were published before, not "
            "later ones.",
        ),
        (
            "What others publish.",
            "Data on the same people from another publisher, safe on its own, may together with "
            "this release give away what neither gives away alone.",
        ),
        (
            "What is published without the ledger.",
            "The ledger remembers whose series are out. The same series published with another "
            "ledger, or in another way, intersect with these.",
        ),
    ]


def _inferring(paper: Series) -> list[Point]:
    points = []
    if paper.published.sensitive:
        points += [_alike(paper), _continues(paper)]
    if not paper.is_whole:
        points.append((
            "Times that were left out can be estimated.",
            "A time that has a letter only has a value between bounds, which the times that have "
            "both give away; the other way round, an envelope tells which letters are possible. "
            "How well depends on how many times have both.",
        ))  # fmt: skip
    else:
        points.append((
            "Pattern and envelope together tell more.",
            "Which letter a time has narrows the envelope down a little. That is so for everyone "
            "of a pattern, and does not tell them apart.",
        ))  # fmt: skip
    points.append((
        "What is usual can be learned.",
        "Whoever studies the release learns what is usual for people of a kind and can guess, "
        "better than by chance, what is true of one of them.",
    ))  # fmt: skip
    return points


def _alike(paper: Series) -> Point:
    """Nothing, or not enough, keeps people of one pattern from having the same value."""
    promise, content = paper.promise, names(paper.published.sensitive)
    worst = paper.verdict.figures.get("largest_value_breach")
    found = "" if worst is None else (
        f" In this release the value of a person whose values and shape are known is found with "
        f"a chance of {100 * float(str(worst)):.0f} % in the worst case."
    )  # fmt: skip
    if promise.ell is None:
        return (
            "People of one shape may have the same value.",
            join("The promise is about rows. If all the people who fit have the same ", content,
                 f", it is found without finding the row.{found} The setting l rules that out."),
        )  # fmt: skip
    if promise.by_subgroup:
        near = (
            f"Numbers further than {promise.noise} apart count as different"
            if promise.noise
            else "Only equal values count as the same"
        )
        return (
            "Values may be close to each other.",
            join(near, f", however little the difference may mean. Among {promise.ell} values of ",
                 content, f" that are nearly the same, any guess is nearly right.{found}"),
        )  # fmt: skip
    return (
        "Noise hides little.",
        join("Values of ", content, f" that repeat were changed by up to {promise.noise}. Whoever "
             f"reads 55, 54.99 and 55.01 reads 55 three times.{found} The setting diversity = "
             "subgroup does not lean on noise."),
    )  # fmt: skip


def _continues(paper: Series) -> Point:
    """A sensitive column that goes on where the series ends."""
    hits = paper.verdict.figures.get("found_by_last_value")
    found = "" if hits is None else (
        " The audit tried: taking, of the rows that fit a person, the one whose number is nearest "
        f"to the last value of the series gives the right number in {100 * float(str(hits)):.0f} % "
        "of the cases."
    )  # fmt: skip
    return (
        "Content that continues the series gives it away.",
        join("If ", names(paper.published.sensitive, "or"), " is a number that follows from the "
             "series, such as next year’s income after those of the years before, whoever knows "
             "the series can pick the row whose number fits it best, and may be right more often "
             f"than one time in {paper.promise.few}.{found}"),
    )  # fmt: skip
