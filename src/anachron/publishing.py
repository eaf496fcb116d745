"""How a release is made: recognise, plan, write, verify, remember, expose."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from anachron.auditing.history import FeedPast, History, SeriesPast
from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.engines.local.table import LocalTable
from anachron.errors import AlreadyPublished, InternalError, PlanError, Problem
from anachron.guarantees import Guarantee, KPAnonymity, MInvariance, TimeGranularity
from anachron.guarantees.lasting import changes
from anachron.ledger import Entry, Publication
from anachron.methods.doubts import ACCEPTABLE
from anachron.methods.outcome import Outcome
from anachron.published.layouts import AS_OF
from anachron.release import Release
from anachron.release.beside import has_commas, with_commas
from anachron.release.write import write
from anachron.schema import EXACT, MERGE, REFUSE, Schema

__all__ = [
    "Work",
    "accepted",
    "check_name",
    "history_of",
    "make",
    "noted",
    "refuse_changes",
    "refuse_other_history",
    "refuse_spelling",
    "staged",
    "with_csv",
]


@dataclass(frozen=True, eq=False)
class Work:
    """A table that is to be published under a guarantee."""

    table: LocalTable | None
    """None where a feed ends: nothing arrives, but something is published."""
    schema: Schema
    guarantee: Guarantee
    csv: bool
    tell: Callable[[str, float], None]
    max_views: int | None = None
    """Search so many views, however long it takes."""
    as_of: str | None = None
    """The name by which everybody knows this release of a register."""
    accept: frozenset[str] = frozenset()
    """What the owner was asked about, or would be, and takes as it is."""

    @property
    def held(self) -> LocalTable:
        """The table, where there must be one."""
        if self.table is None:
            raise InternalError("There is no table to publish.")
        return self.table

    @property
    def plan(self) -> dict[str, Any]:
        """What the ledger remembers of the wish."""
        schema, guarantee = self.schema.to_dict(), self.guarantee.to_dict()
        named = {} if self.as_of is None else {"as_of": self.as_of}
        return {"schema": schema, "guarantee": guarantee, "csv": self.csv, **named}


def check_name(as_of: str | None, guarantee: Guarantee) -> None:
    """Refuse a name that a release cannot have."""
    if as_of is None:
        return
    if not isinstance(guarantee, MInvariance):
        raise PlanError(
            "as_of names a release of a register, which is released again and again: leave it out, "
            "or use m-invariance."
        )
    if not isinstance(as_of, str) or not re.fullmatch(AS_OF, as_of):
        raise PlanError("as_of: give a short text in one line, such as '2024-06-30'.")


def accepted(accept: str | Iterable[str]) -> frozenset[str]:
    """What an owner says in advance about doubts."""
    told = frozenset((accept,) if isinstance(accept, str) else accept)
    if not told <= ACCEPTABLE:
        raise PlanError(f"accept takes {' and '.join(map(repr, sorted(ACCEPTABLE)))} only.")
    return told


def make(work: Work, publication: Publication) -> Release:
    """Publish a table, or give back the release that it was published as before."""
    refuse_spelling(work, publication)
    known, snapshot = _recognised(work, publication)
    if known is not None:
        return _again(known, work, publication)
    refuse_other_history(work, publication)
    outcome = _outcome(work, publication)
    explanation = _with_history(noted(outcome.explanation, work, publication), publication)
    files = staged(work, outcome, publication, _past(work, outcome, publication), work.held)
    work.tell("recording in the ledger", 0.97)
    path = publication.commit(
        snapshot=snapshot,
        plan=work.plan,
        files=files,
        state=outcome.state,
        explanation=explanation,
    )
    return Release(path, explanation=explanation)


def _with_history(explanation: dict[str, Any], publication: Publication) -> dict[str, Any]:
    """Add what the releases of a history came to, one after the other."""
    if explanation["method"] != MInvariance.method:
        return explanation
    before = publication.before
    told = [] if before is None else list(before.explanation["history"])
    rows = explanation["subjects"] - explanation["held"] - explanation["refused"]
    this = {
        "release": publication.number,
        "rows": rows + explanation["counterfeits"],
        "counterfeits": explanation["counterfeits"],
        "groups": explanation["groups"],
    }
    return {**explanation, "history": [*told, this]}


def _recognised(work: Work, publication: Publication) -> tuple[Entry | None, str]:
    """The release that this table was published as, if it was; and the name of the snapshot."""
    digest, last = _digest(work, publication), publication.before
    if isinstance(work.guarantee, TimeGranularity | KPAnonymity):
        return publication.find(digest), digest
    # A register may come back to what it was once, and is then released anew. Only if it is
    # as in the last release is it the same snapshot; or by its name, whatever the values are:
    # that there is a new release must not tell that one of them is another.
    named = None if work.as_of is None else _named(work.as_of, publication)
    known = last if work.as_of is None else named
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


def _named(name: str, publication: Publication) -> Entry | None:
    """The release of a name, if there is one."""
    return next((e for e in publication.entries if e.plan.get("as_of") == name), None)


def _digest(work: Work, publication: Publication) -> str:
    if not isinstance(work.guarantee, MInvariance):
        return work.held.digest()
    # DuckDB digests the rows while Python digests the people, who are needed soon.
    with ThreadPoolExecutor(max_workers=1) as beside:
        digest = beside.submit(work.held.digest)
        publication.pseudonyms(work.held.people())
        return digest.result()


def _after(digest: str, previous: str | None) -> str:
    return hashlib.sha256(f"{digest} after {previous}".encode()).hexdigest()


def _again(known: Entry, work: Work, publication: Publication) -> Release:
    """Give back the release of a table that was published before, byte for byte."""
    if any(known.plan[part] != work.plan[part] for part in ("schema", "guarantee")):
        raise AlreadyPublished(
            f"this very table was published before, as release {known.number}, with another "
            "schema or guarantee. Two different releases of one table intersect and give people "
            "away, so this one is refused. Use that release, or publish other rows."
        )
    if not known.path.exists():
        publication.redo(known)
        csv = any(name.endswith(".csv") for name in known.files)
        as_it_was = replace(work, csv=csv, as_of=known.plan.get("as_of"))
        # Whatever was asked then was answered.
        outcome = _outcome(replace(work, accept=ACCEPTABLE), publication)
        past = _past(work, outcome, publication)
        staged(as_it_was, outcome, publication, past, work.held)
        publication.restore()
    release = Release(known.path, explanation=known.explanation)
    release.check_digests()
    return with_csv(release, known, publication) if work.csv else release


def with_csv(release: Release, known: Entry, publication: Publication) -> Release:
    """Write CSV files beside a release that was published without them, if it was."""
    if has_commas(release):
        return release
    folder = publication.stage_copies(known)
    files = with_commas(release, folder)
    _check(verify(Release(folder)))
    publication.add_copies(known, files)
    return Release(known.path, explanation=known.explanation)


def refuse_other_history(work: Work, publication: Publication) -> None:
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


def noted(explanation: dict[str, Any], work: Work, publication: Publication) -> dict[str, Any]:
    """Say which parts of the promise are not as in the release before."""
    before = publication.before
    found = () if before is None else changes(before.plan, work.plan)
    told = [f"{c.name} is not as in the release before, as it may be ({c.part.may})" for c in found]
    if not publication.folds and work.schema.spelling == REFUSE:
        told.append(
            "this ledger knows its people as they are written, because it was begun so: who is "
            "spelled in another way than before is taken for somebody else"
        )
    return {**explanation, "notes": [*explanation["notes"], *told]}


def refuse_spelling(work: Work, publication: Publication) -> None:
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


def _outcome(work: Work, publication: Publication) -> Outcome:
    def told(what: str) -> None:
        work.tell(what, 0.3)

    if isinstance(work.guarantee, MInvariance):
        from anachron.methods.invariance.apply import carry_out as invariance

        return invariance(work.held, work.guarantee, publication, told, work.accept)
    if isinstance(work.guarantee, KPAnonymity):
        from anachron.methods.patterns.apply import carry_out as patterns

        return patterns(work.held, work.guarantee, publication, told, work.accept)
    if isinstance(work.guarantee, TimeGranularity):
        from anachron.methods.granularity.apply import carry_out as granularity

        return granularity(
            work.held, work.guarantee, publication, told, work.accept, work.max_views
        )
    raise InternalError("A feed is published in steps.")


def staged(
    work: Work,
    outcome: Outcome,
    publication: Publication,
    past: History | FeedPast | SeriesPast | None,
    table: LocalTable | None,
) -> dict[str, str]:
    """Write the release where nobody looks yet, and let the audit judge it.

    ``table`` has the rows that the audit compares it with, if they are at hand.
    """
    folder = publication.stage()
    work.tell("writing the release", 0.6)
    description = {
        "number": publication.number,
        "previous": publication.previous,
        "guarantee": work.guarantee.to_dict(),
        "time_zone": work.schema.time_zone,
        **({"spelling": EXACT} if work.schema.spelling == EXACT else {}),
        "columns": outcome.columns,
        **outcome.facts,
        **({} if work.as_of is None else {"as_of": work.as_of}),
    }
    files = write(folder, outcome.resources, description, work.csv)
    work.tell("verifying the release", 0.8)
    microdata = None if table is None else table.loaded
    _check(verify(Release(folder), microdata=microdata, history=past))
    return files


def _check(verdict: Verdict) -> None:
    if not verdict.holds:
        failed = ", ".join(check.name for check in verdict.checks if not check.holds)
        raise InternalError(
            f"the audit rejects the release before it was exposed ({failed}). Nothing was "
            "published. Please report this: it is a mistake of Anachron."
        )


def _past(work: Work, outcome: Outcome, publication: Publication) -> History | SeriesPast | None:
    if isinstance(work.guarantee, KPAnonymity):
        return SeriesPast(outcome.state, publication.pseudonyms)
    if not isinstance(work.guarantee, MInvariance):
        return None
    return history_of(outcome, publication)


def history_of(outcome: Outcome, publication: Publication) -> History:
    """What the audit needs of the past to judge the next release of a history."""
    before = publication.state()
    return History(
        state=outcome.state,
        before=() if before is None else (before,),
        releases=(),
        pseudonyms=publication.pseudonyms,
        marks=publication.marks,
    )
