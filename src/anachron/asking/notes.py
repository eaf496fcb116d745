"""Why an answer is wide, and what it speaks of, in a line each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from anachron.asking.catalogue import Catalogue
from anachron.asking.figures import Estimate
from anachron.asking.published import Published
from anachron.asking.question import Aggregate, Condition, Question
from anachron.asking.suggest import quoted
from anachron.published.ways import Bins, Envelope, Interval

__all__ = ["notes"]

_ROUNDING = 1e-9
_REASONS = ("cut", "counterfeits", "late", "candidates")


def notes(
    published: Published, question: Question, lines: Mapping[Aggregate, Sequence[Estimate]]
) -> tuple[str, ...]:
    """Say why an answer is wide, and what it speaks of.

    Parameters
    ----------
    published
        What was asked.
    question
        The question.
    lines
        What was found for each aggregate, line by line.
    """
    every = [line for some in lines.values() for line in some if line.high - line.low > _ROUNDING]
    cut, counterfeits, late, candidates = (
        math.ceil(max((getattr(line, why) for line in every), default=0.0) - _ROUNDING)
        for why in _REASONS
    )
    catalogue, where = published.catalogue, question.where
    # Series know more of what an answer leans on than figures can say.
    noted: Callable[[Condition], tuple[str, ...]] | None = getattr(published, "notes", None)
    own = noted(where) if noted is not None else ()
    asked = [line for aggregate in question.aggregates for line in lines[aggregate]]
    return (
        *_width(cut, counterfeits, late, catalogue, "up to " if question.groupings else ""),
        *_open_values(candidates, "up to " if question.groupings else ""),
        *_hidden_numbers(lines, catalogue),
        *_without_error(asked),
        *(own or _withheld(catalogue)),
    )


def _hidden_numbers(
    lines: Mapping[Aggregate, Sequence[Estimate]], catalogue: Catalogue
) -> Iterator[str]:
    """Sums and means are wide also where it is certain which records count."""
    seen = dict.fromkeys(
        aggregate.column
        for aggregate, some in lines.items()
        if aggregate.kind != "count" and any(line.high > line.low for line in some)
    )
    for name in seen:
        column = catalogue.columns.get(str(name))
        if column is not None and isinstance(column.way, Bins | Interval | Envelope):
            yield f"Wide because {quoted(column.name)} is published in intervals."


def _without_error(lines: Sequence[Estimate]) -> Iterator[str]:
    """Say why no standard error is stated, where none is."""
    wide = [line for line in lines if line.wide and not line.error]
    if any(line.late for line in wide):
        yield "No standard error is known: how many records are late is not published."
    if any(not line.late for line in wide):
        yield (
            "No standard error is known: what the answer depends on, such as a single value within "
            "an interval, is not described by an even spread."
        )


def _width(
    cut: int, counterfeits: int, late: int, catalogue: Catalogue, up_to: str
) -> Iterator[str]:
    line = " in a line" if up_to else ""
    if cut:
        yield (
            f"Wide because {up_to}{_rows(cut)}{line} in groups that the question cuts may count "
            "or not."
        )
    if counterfeits:
        are = "are counterfeits" if counterfeits > 1 else "is counterfeit"
        yield (
            f"Wide because {up_to}{counterfeits:,} of the rows{line} {are}, and it is not "
            "published which."
        )
    if late:
        far = (catalogue.window or 2) - 1
        yield (
            f"Wide because {up_to}{_rows(late)}{line} may have happened up to {far:,} "
            f"snapshot{'s' if far > 1 else ''} before the one they are published in."
        )


def _open_values(candidates: int, up_to: str) -> Iterator[str]:
    """Say that people of a group may have the same value, where they may."""
    if candidates:
        people = f"{candidates:,} {'people' if candidates > 1 else 'person'}"
        yield (
            f"Wide because {up_to}{people}{' in a line' if up_to else ''} may have any value of "
            "their group: values may have changed since it was formed."
        )


def _withheld(catalogue: Catalogue) -> Iterator[str]:
    if catalogue.withheld is None:
        yield "It speaks of the published records; how many were withheld is not published."
    elif catalogue.withheld:
        yield (
            f"It speaks of the {catalogue.rows:,} published records; {catalogue.withheld:,} more "
            "were withheld."
        )


def _rows(many: int) -> str:
    return f"{many:,} row{'s' if many != 1 else ''}"
