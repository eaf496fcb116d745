"""Publish the snapshots of a feed m-invariantly: the two papers as one pipeline.

People who were published before keep the values that are possible for them, so their records
need no plan and are published on time. Those of new people are repositioned, so that the new
people of every snapshot are m-eligible. Should some of them meanwhile have been published with
another record, the others may be too many of one value; the fewest of these are left out. Who is
left out is not published later, either: see :mod:`anachron.methods.reposition.barred`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags
from anachron.engines.base import ROW, SUBJECT, Rows, quasi, sensitive
from anachron.errors import GuaranteeError, InternalError
from anachron.guarantees import MInvariance, Reposition
from anachron.methods.doubts import ACCEPTABLE
from anachron.methods.invariance.apply import RegisterFacts, carry_out
from anachron.methods.invariance.explain import RegisterExplained
from anachron.methods.outcome import Outcome, Past, Record
from anachron.methods.reposition.apply import typed
from anachron.methods.reposition.barred import Barred, left_out_for_good
from anachron.methods.reposition.explain import FeedExplained, explain
from anachron.methods.reposition.push import Advanced, Lost
from anachron.methods.reposition.records import NOWHERE, WAITED, WAITS
from anachron.progress import Tell
from anachron.schema import Schema
from anachron.streamed import Streamed

__all__ = ["InvarianceFigures", "SnapshotFacts", "barred", "outcome", "settled", "without_barred"]


@dataclass(frozen=True)
class SnapshotPlace(Record):
    """Which snapshot a release is of, in microseconds since 1970."""

    label: str
    start: int
    end: int


@dataclass(frozen=True)
class SnapshotFacts(RegisterFacts):
    """What a recipient must know of a snapshot that is published m-invariantly."""

    snapshot: SnapshotPlace


@dataclass(frozen=True)
class InvarianceFigures(Record):
    """What became of the snapshot as a register, and of records that never came to it."""

    invariance: RegisterExplained
    barred: int
    """Records of people who were left out before."""


def settled(past: Past) -> pa.Array | None:
    """The pseudonyms of everyone who was published before."""
    state = past.state()
    return None if state is None else state.table()["subject"].combine_chunks()


def without_barred(feed: Advanced) -> Advanced:
    """Withhold what waited, and is due now, of people who were barred meanwhile."""
    held = feed.held
    waited = held.flag(WAITED) & (held.position != NOWHERE)
    if not waited.any():
        return feed
    gone = np.flatnonzero(waited)[feed.memory.barred.among(held.people.filter(pa.array(waited)))]
    if not len(gone):
        return feed
    position = held.position.copy()
    position[gone] = NOWHERE
    return replace(feed.placed(position), withheld=Lost().with_others(held, gone))


def barred(feed: Advanced, promise: Reposition, past: Past, published: pa.Array | None) -> Barred:
    """Who is never published any more, once all of ``published`` are, and this was pushed."""
    held = feed.held
    gone = (held.position == NOWHERE) & ~held.flag(WAITS)
    everybody = feed.records.pseudonyms(held.people, past)
    people = left_out_for_good(held, everybody, gone, promise, published)
    newest = feed.time.bounds(np.array([feed.memory.window.next - 1]))[0]
    return feed.memory.barred.joined_by(people, int(newest[0]))


def outcome(
    feed: Advanced,
    promise: Reposition,
    schema: Schema,
    past: Past,
    told: Tell,
) -> tuple[Outcome[FeedExplained], Advanced]:
    """Turn the one snapshot that became due into a release.

    Gives the feed, too, of which some records are now held back or refused.
    """
    if not isinstance(promise.then, MInvariance):
        raise TypeError("the promise is not an m-invariance")
    [position] = {int(p) for p in feed.held.position if p >= 0}
    rows = np.flatnonzero(feed.held.position == position)
    register = _Register(feed, schema, rows, past)
    made = _carried_out(register, promise.then, past, told)
    state = made.state.table()
    feed = _withheld(feed, rows, made, state, register.people(), settled(past))
    start, end = feed.time.bounds(np.array([position]))
    label = feed.time.labels(np.array([position]))[0]
    if not isinstance(made.facts, RegisterFacts):
        raise TypeError("what was made is no release of a register")
    of_register = made.facts.counterfeits, made.facts.margins
    facts = SnapshotFacts(*of_register, SnapshotPlace(label, int(start[0]), int(end[0])))
    return Outcome(
        made.resources,
        made.columns,
        facts,
        Streamed.of(_with_homes(state, feed, rows, register.people())),
        explain(feed, promise, InvarianceFigures(made.explanation, _dropped(feed))),
    ), feed


def _dropped(feed: Advanced) -> int:
    """How many records came of people who were left out before."""
    return 0 if feed.arrivals is None else len(feed.arrivals.barred)


def _carried_out(
    register: _Register, promise: MInvariance, past: Past, told: Tell
) -> Outcome[RegisterExplained]:
    """Release the snapshot, or refuse it, as its owner has said, and say how to go on.

    New people whom the plan could not foresee to be too many are left out, as the plan leaves out
    others. Of known people whom no set can hold, the owner decides.
    """
    try:
        return carry_out(
            register, promise, _Known(past), told, ACCEPTABLE, new_may_wait=True  # type: ignore[arg-type]
        )  # fmt: skip
    except GuaranteeError as error:
        raise GuaranteeError(
            f"{error} Of the feed, {register.label} is neither published nor recorded, and all "
            "before it stays. Change the guarantee and push the same again: the feed goes on from "
            "there."
        ) from error


def _withheld(
    feed: Advanced,
    rows: Array,
    made: Outcome[RegisterExplained],
    state: pa.Table,
    people: pa.Array,
    known: pa.Array | None,
) -> Advanced:
    """Take the records of people whom the release does not show out of those that are published."""
    present = state["subject"].filter(pc.is_valid(state["group"]))
    there = _among(people, present.combine_chunks())
    old = np.zeros(len(rows), dtype=bool) if known is None else _among(people, known)
    position = feed.held.position.copy()
    position[rows[~there]] = NOWHERE
    held, refused = rows[~there & ~old], rows[~there & old]
    said = made.explanation.figures.held, made.explanation.figures.refused
    if (len(held), len(refused)) != said:
        raise InternalError(
            f"the release of a snapshot lacks {len(held):,} new and {len(refused):,} known people, "
            f"but {said[0]:,} were held back and {said[1]:,} refused. Nothing was published. "
            "Please report this: it is a mistake of Anachron."
        )
    withheld = feed.withheld.with_others(feed.held, held)
    others = Lost().with_others(feed.held, refused)
    return replace(feed.placed(position), withheld=withheld, refused=others)


def _among(people: pa.Array, others: pa.Array) -> Flags:
    found: Flags = pc.is_in(people, others).to_numpy(zero_copy_only=False)
    return found


def _with_homes(state: pa.Table, feed: Advanced, rows: Array, people: pa.Array) -> pa.Table:
    """Remember for everyone in the release when their record happened."""
    homes = pa.array(feed.time.bounds(feed.held.home[rows])[0])
    there = pc.is_valid(state["group"])
    found = homes.take(pc.index_in(state["subject"].combine_chunks(), people))
    return state.append_column("home", pc.if_else(there, found, pa.scalar(None, pa.int64())))


@dataclass(frozen=True, eq=False)
class _Register:
    """The records of a snapshot, as a table of people: what m-invariance asks of one."""

    feed: Advanced
    source: Schema
    chosen: Array
    past: Past
    notes: tuple[str, ...] = ()

    @property
    def schema(self) -> Schema:
        return Schema(
            subject=self.source.subject,
            quasi=self.source.quasi,
            sensitive=self.source.sensitive,
            spelling=self.source.spelling,
        )

    @property
    def label(self) -> str:
        """The snapshot, in words."""
        return self.feed.time.labels(self.feed.held.position[self.chosen[:1]])[0]

    @property
    def rows(self) -> int:
        return len(self.chosen)

    @property
    def subjects(self) -> int:
        return len(self.chosen)

    def people(self) -> pa.Array:
        people = self.feed.held.people.take(pa.array(self.chosen))
        return self.feed.records.pseudonyms(people, self.past)

    def values(self, column: str) -> pa.Array:
        """The distinct values of a quasi column."""
        return self._coded(column)[0]

    def held(self, secret: bytes | None = None) -> Rows:  # noqa: ARG002
        """The records as rows of people."""
        [name] = self.source.sensitive
        values, _ = typed(self.feed)
        return self.feed.hold(
            {
                ROW: np.arange(self.rows),
                SUBJECT: self.people(),
                sensitive(name): values.take(pa.array(self.feed.held.value[self.chosen])),
                **{quasi(column): self._coded(column)[1] for column in self.source.quasi},
            }
        )

    def _coded(self, column: str) -> tuple[pa.Array, Array]:
        """The values that are there, and of each row the place of its own among them."""
        coded = self.feed.held.quasi[column]
        codes = coded.indices.to_numpy(zero_copy_only=False)[self.chosen]
        there, place = np.unique(codes, return_inverse=True)
        return coded.dictionary.take(pa.array(there)), place


@dataclass(frozen=True, eq=False)
class _Known:
    """The past, for people who are given by their pseudonyms."""

    past: Past

    @property
    def number(self) -> int:
        return self.past.number

    def pseudonyms(self, values: pa.Array) -> pa.Array:
        return values

    def marks(self, values: pa.Array) -> pa.Array:
        return self.past.marks(values)

    def secret(self, purpose: str) -> bytes:
        return self.past.secret(purpose)

    def state(self) -> Streamed | None:
        return self.past.state()

    def aside(self, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Streamed:
        """People of a snapshot are few, and further told of before they are remembered."""
        return Streamed.of(pa.Table.from_batches(batches, schema))
