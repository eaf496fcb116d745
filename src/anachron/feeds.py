"""Publish a feed: snapshots are pushed one after the other, and releases become due."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from anachron.auditing.history import FeedPast, History
from anachron.engines.local.table import read
from anachron.errors import AlreadyPublished, GuaranteeError, PlanError
from anachron.guarantees import Guarantee, MInvariance, Reposition
from anachron.ledger import Ledger, Publication
from anachron.methods.outcome import Outcome
from anachron.methods.reposition import apply, compose
from anachron.methods.reposition.memory import Memory, Pushed, from_table, to_table
from anachron.methods.reposition.push import Advanced, advance
from anachron.methods.reposition.standing import Standing
from anachron.methods.reposition.standing import standing as read_standing
from anachron.publishing import (
    Work,
    history_of,
    noted,
    refuse_changes,
    refuse_other_history,
    staged,
    with_csv,
)
from anachron.release import Release
from anachron.release.beside import has_commas
from anachron.schema import Schema, check_published

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

    def flush(self) -> list[Release]:
        """End the feed, and get the releases that are left."""
        return run(self._work, self._ledger, self._to, end=True)


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
            with Ledger.open(ledger).publishing(to) as publication:
                done = step(publication)
            releases.update({release.number: release for release in done.releases})
            more = done.more

    if isinstance(work.guarantee, Reposition) and isinstance(work.guarantee.then, MInvariance):
        # A release for each snapshot: the next one rests on the signatures of the last.
        if work.table is not None:
            go(lambda publication: _step(work, publication, one=True))
        if end:
            rest = replace(work, table=None)
            go(lambda publication: _step(rest, publication, one=True))
            go(lambda publication: _step(rest, publication, end=True))
    else:
        go(lambda publication: _step(work, publication, end=end))
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


def _step(work: Work, publication: Publication, *, end: bool = False, one: bool = False) -> _Step:
    """Take all that is pushed, or the next snapshot only; and end the feed, if it is to end."""
    promise, memory = work.guarantee, _memory(work, publication)
    if not isinstance(promise, Reposition):
        raise TypeError("only a feed is published in steps")
    if work.table is None and memory.ended is not None:
        return _Step(_releases(publication, {memory.ended}))
    if work.table is None and one and memory.waiting is None:
        return _Step([])
    work.tell("planning snapshots", 0.2)
    composed = isinstance(promise.then, MInvariance)
    feed = advance(
        work.table,
        promise,
        memory,
        publication,
        end=end,
        until=memory.window.next if one else None,
        settled=compose.settled(publication) if composed else None,
    )
    new, known = feed.arrivals, _known(feed, memory)
    nothing_new = new is not None and not len(new.rows) and not new.more
    if nothing_new and (memory.ended is not None or not end):
        return _Step(_releases(publication, known | {memory.ended or 0}))
    if memory.ended is not None:
        raise AlreadyPublished(
            "this feed has ended: nothing can be pushed any more. Use a new ledger for a new one."
        )
    _check_values(feed, promise)
    number = publication.number if feed.published else 0
    after = _remembered(feed, memory, number, end)
    made = []
    if feed.published:
        made.append(_publish(work, publication, feed, after))
    else:
        publication.keep(to_table(after))
    more = new.more if new is not None else one and after.waiting is not None
    return _Step([*_releases(publication, known), *made], more)


def _memory(work: Work, publication: Publication) -> Memory:
    refuse_other_history(work, publication)
    before = publication.feed()
    if before is None:
        return Memory(plan=work.plan)
    memory = from_table(before)
    refuse_changes(memory.plan, work.plan, published=publication.before is not None)
    return replace(memory, plan=work.plan)


def _publish(work: Work, publication: Publication, feed: Advanced, after: Memory) -> Release:
    result, past = _outcome(work, publication, feed)
    if work.table is not None:
        notes = [*result.explanation["notes"], *work.table.notes]
        result = replace(result, explanation={**result.explanation, "notes": notes})
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


def _outcome(
    work: Work, publication: Publication, feed: Advanced
) -> tuple[Outcome, FeedPast | History]:
    """The release, and what the audit needs of the past."""
    promise = work.guarantee
    if not isinstance(promise, Reposition):
        raise TypeError("only a feed is published in steps")
    if isinstance(promise.then, MInvariance):
        result = compose.outcome(
            feed, promise, work.schema, publication, lambda what: work.tell(what, 0.3)
        )
        return result, history_of(result, publication)
    result = apply.outcome(feed, promise, work.schema)
    return result, FeedPast(
        state=result.state,
        waiting=publication.feed(),
        secret=publication.secret("feed"),
        pseudonyms=publication.pseudonyms,
    )


def _name(memory: Memory, publication: Publication) -> str:
    """A name for what was pushed so far: no two releases of a feed have the same."""
    pushed = {at: pushed.content for at, pushed in memory.pushed.items()}
    text = json.dumps([publication.previous, pushed, memory.window.next], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _known(feed: Advanced, memory: Memory) -> set[int]:
    """The releases that snapshots made due which are pushed again."""
    if feed.arrivals is None:
        return set()
    starts, _ = feed.time.bounds(np.array(feed.arrivals.repeated, dtype=np.int64))
    return {memory.pushed[at].release for at in starts.tolist()}


def _remembered(feed: Advanced, before: Memory, number: int, end: bool) -> Memory:
    pushed = {
        at: known if at in before.pushed else Pushed(known.content, number)
        for at, known in feed.memory.pushed.items()
    }
    return replace(feed.memory, pushed=pushed, ended=number if end else None)


def _releases(publication: Publication, numbers: set[int]) -> list[Release]:
    entries = publication.entries
    return [
        Release(entries[number - 1].path, explanation=entries[number - 1].explanation)
        for number in sorted(numbers - {0})
    ]


def _check_values(feed: Advanced, promise: Reposition) -> None:
    values = len(feed.memory.values)
    if feed.dues and values < promise.l:
        raise GuaranteeError(
            f"the feed has {values} different sensitive values, fewer than l = {promise.l}: no "
            "record could be published. Nothing was published, and this push is not recorded. "
            "Lower l."
        )
