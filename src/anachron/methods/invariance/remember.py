"""What the ledger remembers of everyone who was ever published, as one table.

One row a person, for ever; see ``memory``. What the numbers stand for (values, signatures, standing
groups) is in the table's metadata. The table is nowhere held: those who are published now pass by
in the order of their pseudonyms, and with them those who ever were.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Bytes
from anachron.engines.base import Batch
from anachron.errors import InternalError
from anachron.kernels.digests import recall, texts
from anachron.methods.invariance.buckets import NEW
from anachron.methods.invariance.memory import PEOPLE, Memory, StandingGroups, column_of, digests
from anachron.methods.invariance.plan import Plan
from anachron.streamed import Streamed

__all__ = ["from_state", "to_state"]

_KEY = b"anachron"


def from_state(state: Streamed | None) -> tuple[Memory, list[str]]:
    """Read what the last release remembered, and the values that it knew; nothing before it."""
    if state is None:
        return Memory(), []
    notes = json.loads(state.schema.metadata[_KEY])
    standing = None
    if notes["standing"] is not None:
        stood = notes["standing"]
        width = len(stood["low"][0]) if stood["low"] else notes["quasi"]
        standing = StandingGroups(
            np.array(stood["signature"], dtype=np.int64),
            np.array(stood["low"], dtype=np.float64).reshape(-1, width),
            np.array(stood["high"], dtype=np.float64).reshape(-1, width),
        )
    signatures = tuple(tuple(signature) for signature in notes["signatures"])
    return Memory(signatures, state, standing), list(notes["values"])


def to_state(
    before: Memory,
    planned: Plan,
    standing: StandingGroups | None,
    number: Array,
    values: tuple[Sequence[str], Bytes],
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Remember a release beside those before it: the rows pass by once.

    Parameters
    ----------
    before
        What was planned on.
    planned
        Who is published in which group.
    standing
        The groups of sticky mode, as they are published.
    number
        The place of each planned group in the release.
    values
        All values, and a keyed digest of each.
    """
    texts_of_values, marks = values
    notes: dict[str, Any] = {
        "values": list(texts_of_values),
        "signatures": planned.signatures,
        "quasi": 0 if standing is None else standing.low.shape[1],
        "standing": None
        if standing is None
        else {
            "signature": standing.signature.tolist(),
            "low": standing.low.tolist(),
            "high": standing.high.tolist(),
        },
    }
    groups, figures = planned.groups, planned.figures
    told = _Told(
        marks,
        groups.signature.astype(np.int32),
        (number + 1).astype(np.int32),
        None if groups.standing is None else groups.standing.astype(np.int32),
    )
    present = planned.rows.map(_present).where("there").ordered(("subject", "value", "group"))
    schema = PEOPLE.with_metadata({_KEY: json.dumps(notes)})
    everyone = before.people.rows + figures.new - figures.held

    def batches() -> Iterator[pa.RecordBatch]:
        people, rows = before.people, 0
        for old, new in _side_by_side(
            _Passing(people.schema, people.batches()), _Passing(*present)
        ):
            batch = told.together(old, new).cast(schema)
            rows += batch.num_rows
            yield batch
        if rows != everyone:
            raise InternalError(f"{rows:,} people would be remembered, and there are {everyone:,}.")

    return schema, batches()


def _present(batch: Batch) -> Batch:
    """Who is published, by their pseudonyms as they are remembered."""
    return {"subject": column_of(batch["who"]), "there": batch["group"] != NEW}


def _side_by_side(
    one: _Passing, other: _Passing
) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch]]:
    """Give the rows of two tables that ascend by digests, those of the same digests at a time."""
    while waiting := [table for table in (one, other) if table.batch is not None]:
        end = min(table.last for table in waiting)
        yield one.until(end), other.until(end)


class _Passing:
    """A table that passes by, of which rows are taken up to a digest."""

    def __init__(self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = (batch for batch in batches if batch.num_rows)
        self._empty = pa.RecordBatch.from_pylist([], schema)
        self.batch = next(self._batches, None)

    @property
    def last(self) -> bytes:
        """The last digest of the rows that are there."""
        return bytes(texts(digests(self.batch["subject"]))[-1]) if self.batch else b""

    def until(self, digest: bytes) -> pa.RecordBatch:
        """Take the rows up to a digest, of those that are there."""
        if self.batch is None:
            return self._empty
        end = np.searchsorted(texts(digests(self.batch["subject"])), digest, side="right")
        taken, rest = self.batch.slice(0, end), self.batch.slice(end)
        self.batch = rest if rest.num_rows else next(self._batches, None)
        return taken


@dataclass(frozen=True, eq=False)
class _Told:
    """What is remembered of those who are published: of each value, and of each planned group."""

    marks: Bytes
    signature: Array
    number: Array
    standing: Array | None

    def together(self, old: pa.RecordBatch, new: pa.RecordBatch) -> pa.RecordBatch:
        """Lay those who are published now among those who were before."""
        before, now = digests(old["subject"]), digests(new["subject"])
        known = recall(now, before)
        fresh = np.flatnonzero(known < 0)
        at = np.searchsorted(texts(before), texts(now[fresh])) + np.arange(len(fresh))
        everyone = len(before) + len(fresh)
        is_old = np.ones(everyone, dtype=bool)
        is_old[at] = False
        # Where each of everyone stands among the old, and among the new.
        was, there = (np.full(everyone, -1) for _ in range(2))
        was[is_old] = np.arange(len(before))
        place = np.empty(len(now), dtype=np.int64)
        place[known >= 0] = np.flatnonzero(is_old)[known[known >= 0]]
        place[fresh] = at
        there[place] = np.arange(len(now))
        newest = pa.array(np.where(there >= 0, len(before) + there, was))

        group = new["group"].to_numpy()
        signature = self.signature[group]
        marks = column_of(self.marks[new["value"].to_numpy()])
        standing = pa.nulls(everyone, pa.int32())
        if self.standing is not None:
            standing = _behind(old["standing"], pa.array(self.standing[group])).take(newest)
        return pa.RecordBatch.from_arrays(
            [
                _behind(old["subject"], new["subject"]).take(newest),
                _behind(old["value"], marks).take(newest),
                _behind(old["signature"], pa.array(signature)).take(newest),
                _earlier(old, known, signature, was, there),
                pa.array(self.number[group]).take(pa.array(there, mask=there < 0)),
                standing,
            ],
            names=PEOPLE.names,
        )


def _behind(old: pa.Array, new: pa.Array) -> pa.Array:
    return pa.concat_arrays([old, new.cast(old.type)])


def _earlier(old: pa.RecordBatch, known: Array, now: Array, was: Array, there: Array) -> pa.Array:
    """The earlier signatures of everyone; hardly anybody has any."""
    histories = old["earlier"].cast(PEOPLE.field("earlier").type)
    latest = old["signature"].to_numpy()
    moved = np.flatnonzero(known >= 0)
    moved = moved[latest[known[moved]] != now[moved]]
    lists = []
    for row in moved.tolist():
        before = int(latest[known[row]])
        history = histories[int(known[row])].as_py()
        lists.append([*(s for s in history if s not in (before, int(now[row]))), before])
    # Of who moved, the new one; of who is new, the last, which is empty.
    of = np.where(was >= 0, was, len(histories) + len(moved))
    place = np.full(len(known), -1)
    place[moved] = len(histories) + np.arange(len(moved))
    changed = np.append(place, -1)[there]
    rows = pa.array(np.where(changed >= 0, changed, of))
    return pa.concat_arrays([histories, pa.array([*lists, []], histories.type)]).take(rows)
