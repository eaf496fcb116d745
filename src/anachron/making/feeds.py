"""Courses of a feed: snapshots are pushed one after the other, and releases become due."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from anachron.auditing.history import FeedPast, History
from anachron.engines.base import Table
from anachron.engines.local.rows import LocalRows
from anachron.errors import AlreadyPublished, GuaranteeError, PlanError
from anachron.guarantees import MInvariance, Reposition
from anachron.guarantees.reposition import register_in
from anachron.ledger import Before, Entry
from anachron.making.course import Due, Seen, Waiting, Work
from anachron.making.refusing import refuse_changes, refuse_other_history
from anachron.making.tables import history_of
from anachron.methods.outcome import Outcome, Record
from anachron.methods.reposition import apply, compose, counted, recode
from anachron.methods.reposition.betas import check_betas
from anachron.methods.reposition.explain import FeedExplained
from anachron.methods.reposition.memory import FeedMemory, from_table, to_table
from anachron.methods.reposition.push import Advanced, advance
from anachron.methods.values import kind_from_text
from anachron.progress import between
from anachron.schema import REFUSE, Schema, check_published

__all__ = ["Feed", "Taken", "check_schema", "feed"]


def feed(work: Work[Reposition], table: Table | None, end: bool) -> tuple[Feed, ...]:
    """Take what is pushed, and end the feed, if it is to end."""
    check_schema(work.schema, work.guarantee)
    whole = end and table is not None
    if not isinstance(work.guarantee.then, MInvariance):
        return (Feed(table, end, whole),)
    # A release for each snapshot: the next one rests on the signatures of the last.
    pushed = () if table is None else (Feed(table, whole=whole, one=True),)
    return (*pushed, *((Feed(None, end=True, one=True),) if end else ()))


@dataclass(frozen=True, eq=False)
class Taken:
    """What arrived, or the end: the feed before it, and with it."""

    before: FeedMemory
    feed: Advanced


@dataclass(frozen=True)
class Accounted(Record):
    """What the owner of a feed is told beside."""

    account: counted.AccountTold


@dataclass(frozen=True, eq=False)
class Feed:
    """Snapshots that arrive, or the end of a feed, or both at once."""

    table: Table | None
    """None where a feed ends: nothing arrives, but something is published."""
    end: bool = False
    whole: bool = False
    """Whether the table is all of the feed: nothing will follow."""
    one: bool = False
    """Whether each transaction takes the next snapshot only."""

    def recognise(self, work: Work[Reposition], publication: Before) -> Seen[Taken]:
        """Tell the records that are new from those that were pushed before."""
        memory = _memory(work, publication)
        over = _of_the_end(memory, publication) if self.end else ()
        if self.table is None and memory.ended is not None:
            return Seen(_entries(publication, over))
        work.tell("planning snapshots", 0.0)
        composed = isinstance(work.guarantee.then, MInvariance)
        feed = advance(
            self.table,
            work.guarantee,
            memory,
            publication,
            hold=LocalRows.of,
            end=self.end,
            one=self.one,
            settled=compose.settled(publication) if composed else None,
        )
        new = feed.arrivals
        passed = () if new is None else (*new.repeated, *memory.passing)
        again = _entries(publication, (*passed, *over))
        nothing_new = new is not None and not new.content and not new.more
        if nothing_new and (memory.ended is not None or not self.end):
            return Seen(again)
        if new is not None and memory.ending is not None:
            raise AlreadyPublished(
                "this feed has ended: nothing can be pushed any more. Use a new ledger for a new "
                "one."
                if memory.ended is not None
                else "the end of this feed was interrupted: nothing more can be pushed. End it "
                "again."
            )
        return Seen(again, Taken(memory, feed))

    def plan(self, work: Work[Reposition], new: Taken, publication: Before) -> Due | Waiting:
        """Turn what became due into a release, if anything did."""
        self._check_values(new.feed, work.guarantee)
        made, feed = _made(work, publication, new.feed)
        after = self._remembered(feed, new.before, publication, made is not None)
        after = _barring(
            after, feed, work.guarantee, publication, None if made is None else made[0]
        )
        more = after.ended is None if feed.arrivals is None else feed.arrivals.more
        if made is None:
            return Waiting(to_table(after), more, _done(feed))
        outcome, past = made
        notes = [*outcome.explanation.notes, *(() if self.table is None else self.table.notes)]
        return Due(
            _name(after, publication),
            replace(outcome, explanation=replace(outcome.explanation, notes=notes)),
            past,
            # The people of an m-invariant snapshot are not those of the push that made it due.
            self.table if isinstance(past, FeedPast) else None,
            Accounted(counted.told(new.before, after, feed)),
            to_table(after),
            more,
            _done(feed),
        )

    def _remembered(
        self, feed: Advanced, before: FeedMemory, publication: Before, is_made: bool
    ) -> FeedMemory:
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
        if not self.end:
            return after
        first = before.ending or publication.number
        is_over = after.window.start == after.window.next
        return replace(after, ending=first, ended=first if is_over else None)

    def _check_values(self, feed: Advanced, promise: Reposition) -> None:
        """Refuse to end with too few values; a feed that goes on waits for more of them."""
        values, kind = feed.memory.values, kind_from_text(feed.memory.kind)
        if feed.arrivals is not None:
            column = feed.memory.plan["schema"]["sensitive"][0], kind
            spelling = feed.memory.plan["schema"].get("spelling", REFUSE)
            check_betas(promise, column, values, spelling, whole=self.whole)
        if not (self.end or self.whole) or len(values) >= promise.l:
            return
        otherwise = (
            "Push more of the feed; or push all of it to a new ledger, with a lower l: nothing of "
            "it is out."
        )
        raise GuaranteeError(
            f"the feed has {len(values)} different sensitive values, fewer than l = {promise.l}: "
            "no record can be published. Nothing was published, and nothing is recorded of this. "
            f"{'Lower l.' if self.whole else otherwise}"
        )


def check_schema(schema: Schema, promise: Reposition) -> None:
    """Refuse a schema that is not one of a feed, or has columns that cannot both be published."""
    if not schema.time or len(schema.sensitive) != 1 or not schema.quasi:
        raise PlanError(
            "a feed needs a time column, one sensitive column and at least one quasi column. "
            "Change the schema."
        )
    time = [schema.time, f"{schema.time}_start", f"{schema.time}_end"]
    if (register_in(promise) or promise).then == "anatomy":
        check_published(["group", *time, *schema.quasi])
        check_published(["group", "count", *schema.sensitive], "in the table of values, 'count'")
    else:
        bounds = [f"{column}_{end}" for column in schema.quasi for end in ("low", "high")]
        check_published(["group", *time, *bounds, *schema.sensitive])


def _memory(work: Work[Reposition], publication: Before) -> FeedMemory:
    """What the feed remembers, if it may go on as is wished now."""
    refuse_other_history(work, publication)
    before = publication.feed()
    if before is None:
        return FeedMemory(plan=work.plan)
    memory = from_table(before)
    refuse_changes(memory.plan, work.plan, published=publication.before is not None)
    return replace(memory, plan=work.plan)


def _made(
    work: Work[Reposition], publication: Before, feed: Advanced
) -> tuple[tuple[Outcome[FeedExplained], FeedPast | History] | None, Advanced]:
    """The release, and what the audit needs of the past; and the feed with what is in the release.

    None instead of a release that would have no rows.
    """
    if not feed.published:
        return None, feed
    promise = work.guarantee
    if isinstance(promise.then, MInvariance):
        feed = compose.without_barred(feed)
        if not feed.published:
            return None, feed
        result, feed = compose.outcome(
            feed,
            promise,
            work.schema,
            publication,
            between(work.tell, 0.2, 0.6),
        )
        if not feed.published:  # all are held back or refused
            return None, feed
        register = replace(history_of(result, publication), feed=publication.feed())
        return (result, register), feed
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


def _done(feed: Advanced) -> float:
    """Which share of the snapshots is taken in; of those that wait for the end, which is out."""
    window = feed.memory.window
    if feed.arrivals is None:
        return window.start / max(window.next, 1)
    return min(window.next / max(feed.time.ends(), 1), 1.0)


def _barring(
    memory: FeedMemory,
    feed: Advanced,
    promise: Reposition,
    publication: Before,
    made: Outcome[FeedExplained] | None,
) -> FeedMemory:
    """Remember who is never published any more, if the feed is m-invariant."""
    if not isinstance(promise.then, MInvariance):
        return memory
    settled = compose.settled(publication) if made is None else made.state.table()["subject"]
    return replace(memory, barred=compose.barred(feed, promise, publication, settled))


def _name(memory: FeedMemory, publication: Before) -> str:
    """A name for what was pushed so far: no two releases of a feed have the same."""
    pushed = {at: [lot.content for lot in lots] for at, lots in memory.pushed.items()}
    text = json.dumps([publication.previous, pushed, memory.window.next], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _of_the_end(memory: FeedMemory, publication: Before) -> Iterable[int]:
    """The releases that the end of a feed made so far: nothing comes after them."""
    return range(memory.ending, publication.number) if memory.ending else ()


def _entries(publication: Before, numbers: Iterable[int]) -> tuple[Entry, ...]:
    """What is recorded of some releases; 0 is none."""
    return tuple(publication.entries[number - 1] for number in sorted({*numbers} - {0}))
