"""The first page: the verdict, what was promised, what was done."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from anachron.reporting import parts
from anachron.reporting.invariance.opening import counterfeits, manner
from anachron.reporting.markup import Markup, join, names, tag
from anachron.reporting.reposition.feed import Feed, Promise
from anachron.reporting.words import count, percent, plural

__all__ = ["done", "figures", "header", "promised", "ruling"]


def header(paper: Feed) -> Markup:
    """Say what this is about."""
    shown, unit = paper.published.snapshots, paper.promise.unit
    span = "without records"
    if shown:
        span = shown[0].label if len(shown) == 1 else f"{shown[0].label} to {shown[-1].label}"
    about = f"A feed of events, published by {unit}: {span} ({paper.time_zone})."
    return parts.header(paper, f"{about} Folder {paper.folder}.")


def ruling(paper: Feed) -> Markup:
    """Give the verdict, and how far it reaches."""
    return parts.ruling(
        paper,
        proof="The audit followed every record from the table to the release, with code of its "
        "own.",
        doubt="The table was not at hand: whether every record is there once, and not too late, "
        "could not be checked. The owner of the data proves it with the table and the ledger.",
    )


def figures(paper: Feed) -> Markup:
    """The few numbers to remember."""
    shown, record, promise = paper.published, paper.record, paper.promise
    entries = [("with the same value, at most", promise.odds)]
    fake = 0
    if paper.register is not None:
        entries = [("possible values for everyone", f"at least {paper.register.promise.m}")]
        fake = paper.register.published.counterfeits
    entries.append(("records published", count(shown.rows - fake)))
    if fake:
        entries.append(("counterfeits", count(fake)))
    if record is None:
        entries.append(("groups", count(shown.groups)))
    else:
        entries += [
            ("of them late", count(record.moved)),
            ("longest delay", plural(record.longest, promise.unit)),
            ("left out", count(record.suppressed)),
        ]
        entries += [("refused", count(record.refused))] if record.refused else []
    return parts.figures(entries)


def promised(paper: Feed) -> Markup:
    """Say what is promised, so that it can be read aloud."""
    promise, shown, unit = paper.promise, paper.published, paper.promise.unit
    content, known = names([shown.sensitive]), names(shown.quasi)
    if paper.register is None and promise.careful:
        lead = join(
            "Whoever knows a person’s ", known, ", and that the person’s record is published in "
            f"the {unit} in which it happened, guesses the person’s ", content, " from the release "
            f"with a chance of at most {promise.odds}.",
        )  # fmt: skip
        exactly = join(
            "Put exactly: in every published group, no value of ", content, " has more than ",
            f"{promise.odds} of the records, also without those that came late; and nothing that "
            "can be seen depends on who of the others has which value, except by a fair draw.",
        )  # fmt: skip
    elif paper.register is None:
        lead = join(
            "Whoever knows a person’s ", known, f", and with which {unit} the person’s record is "
            "published, finds a group in which no value of ", content, f" has more than "
            f"{promise.odds} of the records.",
        )  # fmt: skip
        exactly = join(
            "Put exactly: that holds of the values in a group. Whoever knows how groups are "
            "formed may learn more of some of the people in them."
        )
    else:
        lead = join(
            "Whoever knows a person’s ", known, ", and that the person is in the feed, finds at "
            f"least {paper.register.promise.m} different values of ", content,
            " that may be the person’s; and finds the same ones in every snapshot, however many "
            "are put side by side.",
        )  # fmt: skip
        exactly = join(
            "Put exactly: in every group each value of ", content, " stands once, and the set of "
            "values of a person’s group stays the same in all snapshots in which the person "
            "appears. If the value changes to one outside the set, the new set has no value in "
            "common with the ones before.",
        )  # fmt: skip
    return parts.section(
        "What is promised",
        tag("p", lead, class_="lead"),
        tag("p", exactly),
        tag("p", _once_and_on_time(promise)),
    )


def _once_and_on_time(promise: Promise) -> str:
    late = promise.window - 1
    after = f", in one of the {late} that follow" if late > 1 else ", in the next one"
    return (
        f"A record is published in the {promise.unit} in which it happened{after if late else ''}, "
        "or not at all; never twice, never earlier, and never two of one person in the same "
        f"{promise.unit}. What is published stays as it is."
    )


def done(paper: Feed) -> Markup:
    """Say what was done to the feed."""
    return parts.done(_done(paper), paper.record.notes if paper.record is not None else ())


def _done(paper: Feed) -> Iterator[str]:
    promise, shown, unit = paper.promise, paper.published, paper.promise.unit
    yield join(
        f"The records were put together by {unit}, by the clock and calendar of ",
        f"{paper.time_zone}. A {unit} in which one value was too frequent was relieved: a few "
        f"records are published with a later {unit}, and the fewest are left out. Also records of "
        "other values may have moved, to make room for them.",
    )
    yield from _moved(paper)
    if promise.then == "anatomy":
        yield join(
            names(shown.quasi), " are" if len(shown.quasi) > 1 else " is", " published exactly, in "
            "the table data. The values of ", names([shown.sensitive]), " stand in the table "
            "sensitive, by group: which row of a group has which value is not said.",
        )  # fmt: skip
    else:
        yield join("Of ", names(shown.quasi), " a group shows intervals only.")
        yield from (_grid(column, width) for column, width in paper.grids.items())
    if paper.register is not None:
        yield counterfeits(paper.register)
        yield from manner(paper.register)
    yield (
        "Which of several records is moved or left out was drawn by lot, without a look at any "
        f"column but {shown.sensitive} and the time."
    )
    yield (
        "Everything else was left behind: the column that names the person, every column without "
        "a role, the exact times, and the order of the rows. Nothing tells a moved record from "
        "the others."
    )


def _moved(paper: Feed) -> Iterator[str]:
    record, promise = paper.record, paper.promise
    longest = promise.window - 1
    if record is None:
        if longest:
            yield (
                f"Records may be published up to {plural(longest, promise.unit)} later than they "
                "happened. Which, and how many, is not said."
            )
        return
    if record.moved:
        share = percent(Fraction(record.moved, record.published))
        yield (
            f"{count(record.moved)} of {plural(record.published, 'published record')} ({share}) "
            f"stand in a later {promise.unit} than the one in which they happened, by at most "
            f"{plural(record.longest, promise.unit)}; allowed were {longest}."
        )
    else:
        yield f"Every published record stands in the {promise.unit} in which it happened."
    if record.suppressed:
        of = f" ({percent(Fraction(record.suppressed, record.rows))})" if record.rows else ""
        were = "was" if record.suppressed == 1 else "were"
        yield f"{plural(record.suppressed, 'record')}{of} {were} left out."
    else:
        yield "No record was left out."
    if record.refused:
        were = "was" if record.refused == 1 else "were"
        yield (
            f"{plural(record.refused, 'record')} of known people {were} refused: the value would "
            "have narrowed them down."
        )


def _grid(column: str, width: str) -> Markup:
    manner = f"on a grid of {width}" if width else "neighbours in the declared order of its values"
    ends = names([f"{column}_low", f"{column}_high"], "to")
    return join(names([column]), " is shown from ", ends, f": {manner}.")
