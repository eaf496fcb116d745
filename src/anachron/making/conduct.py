"""The steps by which every release is made: recognise, plan, write, verify, remember, expose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from anachron.attacking.uniqueness import Alone
from anachron.auditing.run import passes, verify
from anachron.auditing.verdict import Verdict
from anachron.behind import AT_ONCE, Large, Microdata, read, read_aside
from anachron.engines.aside.table import AsideTable
from anachron.engines.base import Table
from anachron.engines.local.table import LocalTable
from anachron.errors import GuaranteeError, InternalError, TableError
from anachron.guarantees import Guarantee
from anachron.ledger import Before, Entry, Ledger, Publication
from anachron.making.course import Course, Due, Waiting, Work
from anachron.making.openness import notes_of, opened_by
from anachron.making.refusing import notes_of_changes, refuse_spelling, refuse_unjudged
from anachron.memory import given_back
from anachron.methods.doubts import ACCEPTABLE
from anachron.progress import between
from anachron.registry import METHODS
from anachron.release import Release
from anachron.release.beside import has_commas, with_commas
from anachron.release.read import examined, vouched
from anachron.release.write import write
from anachron.schema import EACH_ROW, EXACT
from anachron.stores import Address, Place

__all__ = [
    "Made",
    "courses",
    "explained",
    "make",
    "nothing_due",
    "publish",
    "run",
    "written",
]

P = TypeVar("P", bound=Guarantee)
New = TypeVar("New")


@dataclass(frozen=True)
class Made:
    """What one transaction of the ledger came to: all of it, or nothing happened."""

    releases: list[Release]
    more: bool = False
    """Whether another one must follow."""
    done: float = 1.0
    """Which share of the course is done with it."""


def publish(work: Work[Guarantee], table: Table, ledger: Path, to: Place) -> Release:
    """Publish a whole table; of a feed, which begins and ends with it, give the last release."""
    refuse_unjudged(table, work.guarantee)
    releases = run(work, courses(work, table, end=True), ledger, to)
    if not releases:
        raise nothing_due()
    return releases[-1]


def nothing_due() -> GuaranteeError:
    """What is to be said of a table of which not one release comes."""
    return GuaranteeError("no snapshot of the table can be published. Lower l, with a new ledger.")


def courses(
    work: Work[Guarantee], table: Table | None, *, end: bool
) -> tuple[Course[Any, Any], ...]:
    """Say how something is published: a table, the next snapshots of a feed, or its end."""
    begin: Callable[..., tuple[Course[Any, Any], ...]]
    begin = METHODS[work.guarantee.method].courses.load()
    return begin(work, table, end)


def run(
    work: Work[Guarantee], several: Iterable[Course[Any, Any]], ledger: Path, to: Place
) -> list[Release]:
    """Take one course after the other, in as many transactions as they need."""
    releases: dict[int, Release] = {}
    courses = tuple(several)
    for at, course in enumerate(courses):
        tell = between(work.tell, at / len(courses), (at + 1) / len(courses))
        made = Made([], more=True, done=0.0)
        while made.more:
            opened = Ledger.open(ledger)
            # One transaction of many moves no bar: only what it adds to the whole does.
            told = between(tell, made.done, made.done if course.one else 1.0)
            with opened.publishing(to, spelling=work.schema.spelling) as publication:
                made = make(course, replace(work, tell=told), publication)
            releases |= {release.number: release for release in made.releases}
    for number, release in releases.items():
        if work.csv and not has_commas(release):
            with Ledger.open(ledger).publishing(to) as publication:
                releases[number] = _add_csv(release, publication.entries[number - 1], publication)
    return [releases[number] for number in sorted(releases)]


def make(course: Course[P, New], work: Work[P], publication: Publication) -> Made:
    """Take all steps once; or give back what was published before."""
    refuse_spelling(work, publication)
    seen = course.recognise(work, publication)
    if seen.lost is not None:
        _restore(course, work, seen.lost, seen.again[0], publication)
    again = [Release(entry.path, explanation=entry.explanation) for entry in seen.again]
    if seen.new is None:
        return Made(again)
    planned = course.plan(work, seen.new, publication)
    if isinstance(planned, Waiting):
        publication.keep(planned.memory)
        return Made(again, planned.more, planned.done)
    folder = publication.stage()
    files = written(work, planned, folder, publication)
    alone = _verify(work, planned, folder)
    entry = _remember(work, planned, files, alone, publication)
    return Made([*again, entry], planned.more, planned.done)


def written(work: Work[Guarantee], due: Due, folder: Path, publication: Before) -> dict[str, str]:
    """Write a release where nobody looks yet, and give the digests of its files."""
    work.tell("writing the release", 0.6)
    description = {
        "number": publication.number,
        "previous": publication.previous,
        "guarantee": work.guarantee.to_dict(),
        "time_zone": work.schema.time_zone,
        **({"spelling": EXACT} if work.schema.spelling == EXACT else {}),
        **({"people": EACH_ROW} if work.schema.each_row else {}),
        "columns": due.outcome.columns,
        **due.outcome.facts.to_dict(),
        **({} if work.as_of is None else {"as_of": work.as_of}),
    }
    return write(folder, due.outcome.resources, description, work.csv)


def _verify(work: Work[Guarantee], due: Due, folder: Path) -> Alone | None:
    """Let the audit judge a release: it is shown the files, the rows, and what is remembered.

    What no promise covers is counted as well: who is alone by what is published.
    """
    work.tell("verifying the release", 0.7)
    release = Release(folder)
    given_back()  # by the method, before the audit takes its own
    with _read_again(due.rows, work.guarantee) as microdata:
        told = between(work.tell, 0.75, 0.97)
        verdict = verify(release, microdata=microdata, history=due.past, ours=True, tell=told)
        if not verdict.holds:
            _check_same(due.rows, microdata)
        _check(verdict)
        return opened_by(vouched(release), microdata)


@contextmanager
def _read_again(rows: Table | None, promise: Guarantee) -> Iterator[Microdata | Large | None]:
    """The table as the audit reads it, which does not look through the eyes of the method.

    What its engine did not hold is not held by the audit either, if that can do without.
    """
    if rows is None:
        yield None
        return
    most = _held_at_once(rows)
    if most is None or not passes(promise.to_dict()):
        found: Microdata | Large = read(rows.given, rows.schema)
    else:
        found = read_aside(rows.given, rows.schema, most)
    with closing(found) as microdata:
        yield microdata


def _held_at_once(rows: Table) -> int | None:
    """How many rows the engine of a table holds at a time; None if it holds all."""
    if isinstance(rows, AsideTable):
        return rows.scan.at_once
    return None if isinstance(rows, LocalTable) else AT_ONCE


def _check_same(rows: Table | None, microdata: Microdata | Large | None) -> None:
    """Say so if the two readers do not see the same table: that is a fault of its file."""
    if rows is not None and microdata is not None and rows.digest() != microdata.digest():
        raise TableError(
            "means one thing to the reader that publishes it, and another to the one that judges "
            "it: it is damaged, or not quite of the kind that its name says.",
            rows.file,
            remedy="Open it with the program that wrote it, and write it again, or as Parquet.",
        )


def _remember(
    work: Work[Guarantee],
    due: Due,
    files: dict[str, str],
    alone: Alone | None,
    publication: Publication,
) -> Release:
    """Record a release that was verified, and expose it."""
    work.tell("recording in the ledger", 0.97)
    explanation = explained(work, due, publication, notes_of(alone))
    path = publication.commit(
        snapshot=due.name,
        plan=work.plan,
        files=files,
        state=due.outcome.state,
        explanation=explanation,
        feed=due.memory,
    )
    release = Release(path, explanation=explanation)
    # What a store holds was fetched from there, and nobody has looked at it yet.
    return examined(release, files) if isinstance(path, Address) else vouched(release)


def explained(
    work: Work[Guarantee], due: Due, before: Before, beside: Iterable[str] = ()
) -> dict[str, Any]:
    """All that the owner is told of a release, and the ledger remembers.

    ``beside`` are notes on what only the written release shows.
    """
    told = due.outcome.explanation
    told = replace(told, notes=[*told.notes, *notes_of_changes(work, before), *beside])
    return {**told.to_dict(), **due.beside.to_dict()}


def _restore(
    course: Course[P, New], work: Work[P], lost: New, known: Entry, publication: Publication
) -> None:
    """Make a release again whose folder was lost, byte for byte."""
    publication.redo(known)
    as_it_was = replace(
        work,
        csv=any(name.endswith(".csv") for name in known.files),
        as_of=known.plan.get("as_of"),
        accept=ACCEPTABLE,  # whatever was asked then was answered
    )
    planned = course.plan(as_it_was, lost, publication)
    if isinstance(planned, Waiting):
        raise InternalError("A release that was made cannot be waiting.")
    folder = publication.stage()
    written(as_it_was, planned, folder, publication)
    _verify(work, planned, folder)
    publication.restore()


def _add_csv(release: Release, known: Entry, publication: Publication) -> Release:
    """Write CSV files beside a release that was published without them."""
    folder = publication.stage_copies(known)
    files = with_commas(release, folder)
    _check(verify(Release(folder), ours=True))
    publication.add_copies(known, files)
    return Release(known.path, explanation=known.explanation)


def _check(verdict: Verdict) -> None:
    if not verdict.holds:
        failed = ", ".join(check.name for check in verdict.checks if not check.holds)
        raise InternalError(
            f"the audit rejects the release before it was exposed ({failed}). Nothing was "
            "published. Please report this: it is a mistake of Anachron."
        )
