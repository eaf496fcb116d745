"""Publish a feed: snapshots are pushed one after the other, and releases become due."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anachron.auditing.history import FeedPast, History
from anachron.engines.local.table import read
from anachron.errors import AlreadyPublished, GuaranteeError, PlanError
from anachron.guarantees import Guarantee, MInvariance, Reposition
from anachron.ledger import Ledger, Publication
from anachron.methods.outcome import Outcome
from anachron.methods.reposition import apply, compose, counted, recode
from anachron.methods.reposition.betas import check_betas
from anachron.methods.reposition.memory import Memory, from_table, to_table
from anachron.methods.reposition.push import Advanced, advance
from anachron.methods.reposition.standing import Standing
from anachron.methods.reposition.standing import standing as read_standing
from anachron.methods.values import kind_from_text
from anachron.publishing import (
    Work,
    history_of,
    noted,
    refuse_changes,
    refuse_other_history,
    refuse_spelling,
    staged,
    with_csv,
)
from anachron.release import Release
from anachron.release.beside import has_commas
from anachron.schema import REFUSE, Schema, check_published
from anachron.stopping import stoppable

__all__ = ["Publisher", "Standing", "publish", "standing"]


class Publisher:
    """Publishes a live feed. Get it from :func:`anachron.open`.

    Between two pushes the feed lives in its ledger: the publisher can be closed, killed and
    opened again, and the releases are those of an uninterrupted run.
    """

    def __init__(self, work: Work, *, ledger: Path, to: Path) -> None:
        check_schema(work.schema, work.guarantee)
        self._work, self._ledger, self._to = work, ledger, to

    def __repr__(self) -> str:
        return f"Publisher({self._work.guarantee!r}, ledger={str(self._ledger)!r})"

    @stoppable()
    def push(self, snapshot: object) -> list[Release]:
        """Push the next snapshot, or several, and get the releases that became due.

        Parameters
        ----------
        snapshot
            A table of any accepted kind. Snapshots between the last one that was pushed and
            this one had no records. A snapshot that was pushed before, with the same records,
            is recognised and changes nothing: the releases it made due are given again.
        """
        with closing(read(snapshot, self._work.schema)) as table:
            return run(replace(self._work, table=table), self._ledger, self._to, end=False)

    @stoppable()
    def flush(self) -> list[Release]:
        """End the feed, and get the releases that are left; once it has ended, the same again."""
        return run(self._work, self._ledger, self._to, end=True)

    @property
    def standing(self) -> Standing | None:
        """Where the feed stands: what waits, and for what. None before the first push."""
        return standing(Ledger.open(self._ledger))


def publish(work: Work, ledger: Path, to: Path) -> Release:
    """Publish a whole table as a feed that begins and ends with it; give the last release."""
    releases = run(work, ledger, to, end=True)
    if not releases:
        raise GuaranteeError(
            "no snapshot of the table can be published. Lower l, with a new ledger."
        )
    return releases[-1]


def standing(ledger: Ledger) -> Standing | None:
    """Say where the feed of a ledger stands; None if it has none."""
    remembered = ledger.feed()
    return None if remembered is None else read_standing(remembered)


def check_schema(schema: Schema, promise: Guarantee) -> None:
    """Refuse a schema that is not one of a feed, or has columns that cannot both be published."""
    if not schema.time or len(schema.sensitive) != 1 or not schema.quasi:
        raise PlanError(
            "a feed needs a time column, one sensitive column and at least one quasi column. "
            "Change the schema."
        )
    time = [schema.time, f"{schema.time}_start", f"{schema.time}_end"]
    if isinstance(promise, Reposition) and promise.then == "anatomy":
        check_published(["group", *time, *schema.quasi])
        check_published(["group", "count", *schema.sensitive], "in the table of values, 'count'")
    else:
        bounds = [f"{column}_{end}" for column in schema.quasi for end in ("low", "high")]
        check_published(["group", *time, *bounds, *schema.sensitive])


def run(work: Work, ledger: Path, to: Path, *, end: bool) -> list[Release]:
    """Take what is pushed, and publish what becomes due."""
    check_schema(work.schema, work.guarantee)
    releases: dict[int, Release] = {}

    def go(step: Callable[[Publication], _Step]) -> None:
        more = True
        while more:
            publishing = Ledger.open(ledger).publishing(to, spelling=work.schema.spelling)
            with publishing as publication:
                done = step(publication)
            releases.update({release.number: release for release in done.releases})
            more = done.more

    whole, rest = end and work.table is not None, replace(work, table=None)
    if isinstance(work.guarantee, Reposition) and isinstance(work.guarantee.then, MInvariance):
        # A release for each snapshot: the next one rests on the signatures of the last.
        if work.table is not None:
            go(lambda publication: _step(work, publication, one=True, whole=whole))
        if end:
            go(lambda publication: _step(rest, publication, one=True, end=True))
    else:
        go(lambda publication: _step(work, publication, end=end, whole=whole))
    for number, release in releases.items():
        if work.csv and not has_commas(release):
            with Ledger.open(ledger).publishing(to) as publication:
                releases[number] = with_csv(release, publication.entries[number - 1], publication)
    return [releases[number] for number in sorted(releases)]


@dataclass(frozen=True)
class _Step:
    """What one commit of the ledger came to: all of it, or nothing happened."""

    releases: list[Release]
    more: bool = False
    """Whether the push is not finished with it."""


def _step(
    work: Work,
    publication: Publication,
    *,
    end: bool = False,
    one: bool = False,
    whole: bool = False,
) -> _Step:
    """Take what is pushed, or the next snapshot only; or end the feed, at once or by one snapshot.

    ``whole`` says that the table is all of the feed: nothing will follow.
    """
    promise, memory = work.guarantee, _memory(work, publication)
    if not isinstance(promise, Reposition):
        raise TypeError("only a feed is published in steps")
    if work.table is None and memory.ended is not None:
        return _Step(_releases(publication, _of_the_end(memory, publication)))
    work.tell("planning snapshots", 0.2)
    composed = isinstance(promise.then, MInvariance)
    feed = advance(
        work.table,
        promise,
        memory,
        publication,
        end=end,
        one=one,
        settled=compose.settled(publication) if composed else None,
    )
    new = feed.arrivals
    known = set() if new is None else {*new.repeated, *memory.passing}
    known |= _of_the_end(memory, publication) if end else set()
    nothing_new = new is not None and not new.content and not new.more
    if nothing_new and (memory.ended is not None or not end):
        return _Step(_releases(publication, known))
    if new is not None and memory.ending is not None:
        raise AlreadyPublished(
            "this feed has ended: nothing can be pushed any more. Use a new ledger for a new one."
            if memory.ended is not None
            else "the end of this feed was interrupted: nothing more can be pushed. End it again."
        )
    _check_values(feed, promise, end=end, whole=whole)
    made, feed = _made(work, publication, feed)
    after = _remembered(feed, memory, publication, made is not None, end)
    releases = _releases(publication, known)
    if made is None:
        publication.keep(to_table(after))
    else:
        account = counted.told(memory, after, feed)
        releases.append(_publish(work, publication, *made, after, account))
    return _Step(releases, new.more if new is not None else after.ended is None)


def _memory(work: Work, publication: Publication) -> Memory:
    refuse_spelling(work, publication)
    refuse_other_history(work, publication)
    before = publication.feed()
    if before is None:
        return Memory(plan=work.plan)
    memory = from_table(before)
    refuse_changes(memory.plan, work.plan, published=publication.before is not None)
    return replace(memory, plan=work.plan)


def _publish(
    work: Work,
    publication: Publication,
    result: Outcome,
    past: FeedPast | History,
    after: Memory,
    account: Mapping[str, Any],
) -> Release:
    notes = [*result.explanation["notes"], *(() if work.table is None else work.table.notes)]
    told = {**result.explanation, "notes": notes, "account": account}
    result = replace(result, explanation=told)
    result = replace(result, explanation=noted(result.explanation, work, publication))
    # The people of an m-invariant snapshot are not those of the push that made it due.
    rows = work.table if isinstance(past, FeedPast) else None
    files = staged(work, result, publication, past, rows)
    work.tell("recording in the ledger", 0.97)
    path = publication.commit(
        snapshot=_name(after, publication),
        plan=work.plan,
        files=files,
        state=result.state,
        explanation=result.explanation,
        feed=to_table(after),
    )
    return Release(path, explanation=result.explanation)


def _made(
    work: Work, publication: Publication, feed: Advanced
) -> tuple[tuple[Outcome, FeedPast | History] | None, Advanced]:
    """The release, and what the audit needs of the past; and the feed with what is in the release.

    None instead of a release that would have no rows.
    """
    if not feed.published:
        return None, feed
    promise = work.guarantee
    if not isinstance(promise, Reposition):
        raise TypeError("only a feed is published in steps")
    if isinstance(promise.then, MInvariance):
        result, feed = compose.outcome(
            feed, promise, work.schema, publication, lambda what: work.tell(what, 0.3)
        )
        if not feed.published:  # all are held back or refused
            return None, feed
        return (result, history_of(result, publication)), feed
    if promise.then == "generalize" and promise.careful:
        feed = recode.in_cells(feed, promise, work.schema)
        if not feed.published:  # nobody is left of their cells
            return None, feed
    result = apply.outcome(feed, promise, work.schema)
    past = FeedPast(
        state=result.state,
        waiting=publication.feed(),
        secret=publication.secret("feed"),
        pseudonyms=publication.pseudonyms,
    )
    return (result, past), feed


def _name(memory: Memory, publication: Publication) -> str:
    """A name for what was pushed so far: no two releases of a feed have the same."""
    pushed = {at: [lot.content for lot in lots] for at, lots in memory.pushed.items()}
    text = json.dumps([publication.previous, pushed, memory.window.next], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _remembered(
    feed: Advanced, before: Memory, publication: Publication, is_made: bool, end: bool
) -> Memory:
    """What the feed remembers after a step that made a release, or none."""
    releases = (*before.passing, *((publication.number,) if is_made else ()))
    pushed = {}
    for at, lots in feed.memory.pushed.items():
        known = before.pushed.get(at, ())
        pushed[at] = (*known, *(replace(lot, releases=releases) for lot in lots[len(known) :]))
    is_gap = feed.arrivals is not None and not feed.arrivals.content
    after = replace(
        feed.memory,
        pushed=pushed,
        passing=releases if is_gap else (),
        account=counted.accounted(before, feed),
    )
    if not end:
        return after
    first = before.ending or publication.number
    is_over = after.window.start == after.window.next
    return replace(after, ending=first, ended=first if is_over else None)


def _of_the_end(memory: Memory, publication: Publication) -> set[int]:
    """The releases that the end of a feed made so far: nothing comes after them."""
    return set(range(memory.ending, publication.number)) if memory.ending else set()


def _releases(publication: Publication, numbers: set[int]) -> list[Release]:
    entries = publication.entries
    return [
        Release(entries[number - 1].path, explanation=entries[number - 1].explanation)
        for number in sorted(numbers - {0})
    ]


def _check_values(feed: Advanced, promise: Reposition, *, end: bool, whole: bool) -> None:
    """Refuse to end with too few values; a feed that goes on waits for more of them."""
    values, kind = feed.memory.values, kind_from_text(feed.memory.kind)
    if feed.arrivals is not None:
        column = feed.memory.plan["schema"]["sensitive"][0], kind
        spelling = feed.memory.plan["schema"].get("spelling", REFUSE)
        check_betas(promise, column, values, spelling, whole=whole)
    if not (end or whole) or len(values) >= promise.l:
        return
    raise GuaranteeError(
        f"the feed has {len(values)} different sensitive values, fewer than l = {promise.l}: no "
        "record can be published. Nothing was published, and nothing is recorded of this. "
        + ("Lower l." if whole else "Push more of the feed; or push all of it to a new ledger, "
           "with a lower l: nothing of it is out.")
    )  # fmt: skip
