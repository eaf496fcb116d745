"""What is refused before anything is planned: wishes that nobody or this ledger can fulfil."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from anachron.auditing.run import passes
from anachron.behind.spark import is_frame_of_spark, refuse_unheld
from anachron.engines.base import Table
from anachron.errors import AlreadyPublished, PlanError, Problem
from anachron.guarantees import Guarantee
from anachron.guarantees.lasting import changes
from anachron.ledger import Before
from anachron.making.course import Work
from anachron.methods.doubts import ACCEPTABLE, Acceptable
from anachron.published.layouts import AS_OF, layout_of
from anachron.schema import EXACT, MERGE, REFUSE

__all__ = [
    "Acceptable",
    "accepted",
    "check_name",
    "notes_of_changes",
    "refuse_changes",
    "refuse_other_history",
    "refuse_spelling",
    "refuse_unjudged",
]


def check_name(as_of: str | None, guarantee: Guarantee) -> None:
    """Refuse a name that a release cannot have."""
    if as_of is None:
        return
    if "as_of" not in layout_of(guarantee).own:
        raise PlanError(
            "as_of names a release of a register, which is released again and again: leave it out, "
            "or use m-invariance."
        )
    if not isinstance(as_of, str) or not re.fullmatch(AS_OF, as_of):
        raise PlanError("as_of: give a short text in one line, such as '2024-06-30'.")


def accepted(accept: str | Iterable[str]) -> frozenset[Acceptable]:
    """What an owner says in advance about doubts."""
    told = frozenset((accept,) if isinstance(accept, str) else accept)
    if not told <= ACCEPTABLE:
        raise PlanError(f"accept takes {' and '.join(map(repr, sorted(ACCEPTABLE)))} only.")
    return ACCEPTABLE & told


def refuse_other_history(work: Work[Guarantee], publication: Before) -> None:
    """A history of releases keeps what protects its people from the first to the last."""
    last = publication.before
    if last is None:
        return
    if last.plan["guarantee"]["method"] != work.guarantee.method:
        raise AlreadyPublished(
            f"the ledger holds releases of another method (release {last.number}). Releases of "
            "one register need a ledger of their own from the first one on."
        )
    refuse_changes(last.plan, work.plan)


def refuse_changes(
    before: Mapping[str, Any], after: Mapping[str, Any], *, published: bool = True
) -> None:
    """Refuse a plan that does not keep what protects the people of a history.

    Before anything is published, only what a feed was planned with is kept.
    """
    differing = (c for c in changes(before, after) if published or c.part.planned)
    wrong = [change for change in differing if not change.allowed]
    if wrong:
        remedy = "Say it as before, or begin a new ledger with other people."
        raise PlanError([Problem(f"{change}.", remedy=remedy) for change in wrong])


def notes_of_changes(work: Work[Guarantee], publication: Before) -> Iterator[str]:
    """Say which parts of the promise are not as in the release before."""
    before = publication.before
    for change in () if before is None else changes(before.plan, work.plan):
        may = change.part.may
        yield f"{change.name} is not as in the release before, as it may be ({may})"
    if not publication.folds and work.schema.spelling == REFUSE:
        yield (
            "this ledger knows its people as they are written, because it was begun so: who is "
            "spelled in another way than before is taken for somebody else"
        )


def refuse_unjudged(table: Table, promise: Guarantee) -> None:
    """Refuse a DataFrame that the audit could not hold, before anybody works on it for hours."""
    if is_frame_of_spark(table.given) and not passes(promise.to_dict()):
        refuse_unheld(table.rows)


def refuse_spelling(work: Work[Guarantee], publication: Before) -> None:
    """Refuse a spelling by which a ledger would no longer know its people."""
    spelling = work.schema.spelling
    if spelling != (EXACT if publication.folds else MERGE):
        return
    how = "whatever their spelling" if publication.folds else "as they are written"
    rest = (REFUSE, MERGE) if publication.folds else (REFUSE, EXACT)
    raise PlanError(
        Problem(
            f"spelling cannot be {spelling!r} here: this ledger knows its people {how}, for ever.",
            remedy=f"Set it to {' or '.join(map(repr, rest))}; or begin a new ledger with other "
            "people.",
        )
    )
