"""Rehearse a publication: all of its steps up to the plan, and a ledger that remembers in mind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anachron.engines.local.table import LocalTable
from anachron.guarantees import Guarantee
from anachron.ledger import Entry
from anachron.ledger.imagined import Imagined
from anachron.making.conduct import courses, explained, nothing_due, written
from anachron.making.course import Course, Due, Waiting, Work
from anachron.making.refusing import refuse_spelling
from anachron.trying.figures import Figures, Try

__all__ = ["Rehearsed", "rehearsed", "rehearsing", "written_aside"]

Rehearsed = tuple[Sequence[Mapping[str, Any]], Imagined]
"""What the owner would be told of each release, and the ledger as it would be."""


def rehearsing(
    figures: Callable[[Rehearsed], Figures],
) -> Callable[[LocalTable, Sequence[Work[Any]], Imagined], Try]:
    """Try settings by rehearsal, of which each starts from the ledger as it is."""

    def begin(table: LocalTable, _works: Sequence[Work[Any]], ledger: Imagined) -> Try:
        return lambda work: [figures(rehearsed(work, table, ledger.anew()))]

    return begin


def rehearsed(work: Work[Guarantee], table: LocalTable, ledger: Imagined) -> Rehearsed:
    """Take every course as if it were published; raise what publishing would."""
    told = _played(work, table, ledger, None)
    return [told[number] for number in sorted(told)], ledger


def written_aside(
    work: Work[Guarantee], table: LocalTable, ledger: Imagined, to: Path
) -> tuple[Entry, ...]:
    """Rehearse, and write each release into a folder that is thrown away.

    Gives what the imagined ledger would know of each; one that is published already is where it is.
    """
    told = _played(work, table, ledger, to)
    return tuple(ledger.entries[number - 1] for number in sorted(told))


def _played(
    work: Work[Guarantee], table: LocalTable, ledger: Imagined, to: Path | None
) -> dict[int, Mapping[str, Any]]:
    """Take every course; what the owner would be told of each release, by its number."""
    told: dict[int, Mapping[str, Any]] = {}
    for course in courses(work, table, end=True):
        while _step(course, work, ledger, to, told):
            pass
    if not told:
        raise nothing_due()
    return told


def _step(
    course: Course[Any, Any],
    work: Work[Guarantee],
    ledger: Imagined,
    to: Path | None,
    told: dict[int, Mapping[str, Any]],
) -> bool:
    """One transaction of the ledger; whether another one must follow."""
    refuse_spelling(work, ledger)
    seen = course.recognise(work, ledger)
    told |= {entry.number: entry.explanation for entry in seen.again}
    if seen.new is None:
        return False
    planned = course.plan(work, seen.new, ledger)
    if isinstance(planned, Waiting):
        ledger.keep(planned.memory)
        return planned.more
    told[ledger.number] = explanation = explained(work, planned, ledger)
    ledger.take(
        snapshot=planned.name,
        plan=work.plan,
        state=planned.outcome.state,
        explanation=explanation,
        feed=planned.memory,
        files=None if to is None else _written(work, planned, ledger, to),
        to=to,
    )
    return planned.more


def _written(work: Work[Guarantee], due: Due, ledger: Imagined, to: Path) -> dict[str, str]:
    folder = to / f"{ledger.number:04d}"
    folder.mkdir()
    return written(work, due, folder, ledger)
