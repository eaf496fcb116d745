"""Courses of tables that are published at once: of events, of series, or of a register."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from anachron.auditing.history import History, TablePast
from anachron.engines.base import Table
from anachron.engines.local.table import LocalTable
from anachron.errors import AlreadyPublished, LedgerError
from anachron.guarantees import Guarantee, KPAnonymity, MInvariance, TimeGranularity
from anachron.ledger import Before, Entry
from anachron.ledger.sending import is_there
from anachron.making.course import Due, Past, Seen, Work
from anachron.making.refusing import refuse_other_history
from anachron.methods.invariance.explain import RegisterExplained
from anachron.methods.outcome import Explanation, Outcome, Record
from anachron.progress import Tell, between
from anachron.release import Release
from anachron.release.durable import failures_as

__all__ = ["RegisterCourse", "TableCourse", "events", "history_of", "register", "series"]

P = TypeVar("P", bound=Guarantee)
E = TypeVar("E", bound=Explanation)
CarryOut = Callable[[Table, P, Before, Tell, Collection[str]], Outcome[E]]


def events(work: Work[TimeGranularity], table: Table, _end: bool) -> tuple[TableCourse[Any, Any]]:
    """Publish a table of events by itself."""
    from anachron.methods.granularity.apply import carry_out

    return (TableCourse(table, partial(carry_out, max_views=work.max_views), _alone),)


def series(_work: Work[KPAnonymity], table: Table, _end: bool) -> tuple[TableCourse[Any, Any]]:
    """Publish a table of series by itself."""
    from anachron.methods.patterns.apply import carry_out

    return (TableCourse(table, carry_out, _alone),)


def _alone(outcome: Outcome[Any], publication: Before) -> TablePast:
    """What the audit needs to judge what is remembered of a table by itself."""
    return TablePast(outcome.state, publication.pseudonyms)


def register(_work: Work[MInvariance], table: Table, _end: bool) -> tuple[RegisterCourse]:
    """Publish a register as it is now."""
    from anachron.methods.invariance.apply import carry_out

    return (RegisterCourse(table, carry_out, history_of),)


def history_of(outcome: Outcome[Explanation], publication: Before) -> History:
    """What the audit needs of the past to judge the next release of a history."""
    before = publication.state()
    return History(
        state=outcome.state,
        before=() if before is None else (before,),
        releases=(),
        pseudonyms=publication.pseudonyms,
        marks=publication.marks,
    )


@dataclass(frozen=True, eq=False)
class TableCourse(Generic[P, E]):
    """A table that is published by itself, and known again by what is in it."""

    table: Table
    carry_out: CarryOut[P, E]
    past: Callable[[Outcome[E], Before], Past]
    """What the audit needs of the past."""
    one: ClassVar[bool] = False

    def recognise(self, work: Work[P], publication: Before) -> Seen[str]:
        """Look for the release that was made of this very table."""
        work.tell("looking it up in the ledger", 0.0)
        known, name = self._known(work, publication)
        if known is None:
            refuse_other_history(work, publication)
            return Seen(new=name)
        if any(known.plan[part] != work.plan[part] for part in ("schema", "guarantee")):
            raise AlreadyPublished(
                f"this very table was published before, as release {known.number}, with another "
                "schema or guarantee. Two different releases of one table intersect and give "
                "people away, so this one is refused. Use that release, or publish other rows."
            )
        with failures_as(LedgerError, f"Looking for release {known.number}"):
            there = is_there(known.path)
        if not there:
            return Seen(again=(known,), lost=name)
        Release(known.path).check_digests()
        return Seen(again=(known,))

    def plan(self, work: Work[P], new: str, publication: Before) -> Due:
        """Carry out the method on the whole table."""
        outcome = self.carry_out(
            self.table,
            work.guarantee,
            publication,
            between(work.tell, 0.1, 0.6),
            work.accept,
        )
        past = self.past(outcome, publication)
        return Due(new, outcome, past, self.table, self._beside(outcome, publication))

    def _known(self, _work: Work[P], publication: Before) -> tuple[Entry | None, str]:
        """The release that was made of this table, if one was; and the name of the snapshot."""
        digest = self.table.digest()
        return publication.find(digest), digest

    def _beside(self, _outcome: Outcome[E], _publication: Before) -> Record:
        """What the owner is told beside what the method explains."""
        return Record()


class RegisterCourse(TableCourse[MInvariance, RegisterExplained]):
    """The state of a register, which is released again and again."""

    def _known(self, work: Work[MInvariance], publication: Before) -> tuple[Entry | None, str]:
        # A register may come back to what it was once, and is then released anew. Only if it is
        # as in the last release is it the same snapshot; or by its name, whatever the values are:
        # that there is a new release must not tell that one of them is another.
        digest = self._digest(publication)
        named = None if work.as_of is None else _named(work.as_of, publication)
        known = publication.before if work.as_of is None else named
        if known is not None:
            same = _after(digest, publication.package_before(known))
            if known.snapshot == publication.named(same):
                return known, same
        if named is not None:
            raise AlreadyPublished(
                f"release {named.number} is the one as of {work.as_of!r}, and was made of another "
                "table. Give this table the name of its own release."
            )
        return None, _after(digest, publication.previous)

    def _digest(self, publication: Before) -> str:
        # DuckDB digests the rows while Python digests the people, who are needed soon.
        with ThreadPoolExecutor(max_workers=1) as beside:
            digest = beside.submit(self.table.digest)
            if isinstance(self.table, LocalTable):
                publication.pseudonyms(self.table.people())
            return digest.result()

    def _beside(self, outcome: Outcome[RegisterExplained], publication: Before) -> HistoryTold:
        told, before = outcome.explanation, publication.before
        this = {
            "release": publication.number,
            "rows": told.published,
            "counterfeits": told.figures.counterfeits,
            "groups": told.groups,
            "held": told.figures.held,
        }
        return HistoryTold([*([] if before is None else before.explanation["history"]), this])


@dataclass(frozen=True)
class HistoryTold(Record):
    """What the owner of a register is told beside."""

    history: Sequence[Mapping[str, int]]
    """What its releases came to, one after the other."""


def _named(name: str, publication: Before) -> Entry | None:
    """The release of a name, if there is one."""
    return next((e for e in publication.entries if e.plan.get("as_of") == name), None)


def _after(digest: str, previous: str | None) -> str:
    return hashlib.sha256(f"{digest} after {previous}".encode()).hexdigest()
