"""One push of a feed: what arrives is planned, and what becomes due is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.engines.base import Batch, Rows, Table
from anachron.errors import TableError
from anachron.guarantees import Reposition
from anachron.methods.outcome import Past
from anachron.methods.recorded import refuse_cutting
from anachron.methods.reposition.arrivals import Arrivals, arrivals
from anachron.methods.reposition.choose import Chosen, choose
from anachron.methods.reposition.memory import FeedMemory, Pushed
from anachron.methods.reposition.plan import Due, Rule, Window, arrive, closed, following, late
from anachron.methods.reposition.records import (
    HOME,
    NOWHERE,
    OUT,
    POSITION,
    WAITS,
    Arriving,
    Gathered,
    Records,
    gather,
    held,
    remembered,
)
from anachron.methods.reposition.timeline import Timeline, timeline

__all__ = ["Advanced", "Lost", "advance"]

_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Lost:
    """Records that are not published, though they were chosen."""

    home: Array = field(default_factory=lambda: _NONE)
    value: Array = field(default_factory=lambda: _NONE)

    def __len__(self) -> int:
        return len(self.home)

    def with_others(self, records: Gathered, rows: Array) -> Lost:
        """These, and some others."""
        others = records.home[rows], records.value[rows]
        return Lost(np.append(self.home, others[0]), np.append(self.value, others[1]))


@dataclass(frozen=True, eq=False)
class Advanced:
    """A feed after a push."""

    memory: FeedMemory
    records: Records
    dues: Sequence[Due]
    chosen: Chosen
    time: Timeline
    arrivals: Arrivals | None
    """None if nothing was pushed: the feed ended."""
    hold: Callable[[Batch], Rows]
    """Gives rows to an engine that holds them in this process."""
    withheld: Lost = field(default_factory=Lost)
    """Records of new people that m-invariance does not publish."""
    refused: Lost = field(default_factory=Lost)
    """Likewise of known people."""
    cells: Array | None = None
    """Of each record that is held, its group where intervals are cut by quasi values alone."""

    @property
    def published(self) -> bool:
        """Whether anything becomes due."""
        return bool(self.chosen.placings.here.any())

    @cached_property
    def held(self) -> Gathered:
        """The chosen records, gathered."""
        return held(self.records, self.chosen.rows)

    def placed(self, position: Array, out: Flags | None = None) -> Advanced:
        """The same with other positions of the records that are held, and others left out."""
        rows = self.hold(self.held.placed(position, out))
        return replace(self, chosen=replace(self.chosen, rows=rows))


def advance(
    table: Table | None,
    promise: Reposition,
    memory: FeedMemory,
    past: Past,
    *,
    hold: Callable[[Batch], Rows],
    end: bool,
    one: bool = False,
    settled: pa.Array | None = None,
) -> Advanced:
    """Take the rows of a push, if there are any, and end the feed, if it is to end.

    Parameters
    ----------
    hold
        Gives rows to an engine that holds them in this process.
    one
        Whether only the next snapshot arrives, also if it has no rows, or, at the end, only the
        next one with records becomes due; not all.
    settled
        The pseudonyms of people whose records need no plan.
    """
    time, until = _timeline(table, promise, memory), memory.window.next if one else None
    new = None if table is None else arrivals(table, promise, memory, time, past, until)
    arriving = Arriving() if new is None else new.records
    records = gather(arriving, memory.window.next, memory.waiting, past, hold, settled)
    window, dues = _planned(new, records, promise, memory, until)
    if end:
        rule = _rule(promise, memory.values if new is None else new.values)
        if memory.ending is None:
            window = closed(window, rule, room=window.next < time.ends())
        window, rest = _ended(window, rule, records, one)
        dues += rest
    chosen = choose(records, dues, promise.l, strict=promise.careful)
    after = _after(memory, new, time)
    opens = window.start if window.start < window.next else window.next - 1
    # Older records have no place any more; at the end of all nothing waits.
    least = window.start - promise.window if not end or window.start < window.next else None
    chosen = replace(chosen, rows=chosen.rows.map(partial(_waits, least)))
    return Advanced(
        replace(
            after,
            window=window,
            opens=int(time.bounds(np.array([opens]))[0][0]) if window.next else 0,
            waiting=None if least is None else remembered(records, chosen.rows, past),
        ),
        records,
        dues,
        chosen,
        time,
        new,
        hold,
    )


def _waits(least: int | None, batch: Batch) -> Batch:
    """Which records are kept, because they may still be published."""
    if least is None:
        return {WAITS: np.zeros(len(batch[HOME]), dtype=bool)}
    return {WAITS: (batch[POSITION] == NOWHERE) & (batch[HOME] > least) & ~batch[OUT]}


def _timeline(table: Table | None, promise: Reposition, memory: FeedMemory) -> Timeline:
    window = memory.window
    zone = memory.plan["schema"]["time_zone"]
    if table is not None:
        refuse_cutting(promise.snapshot, table, "snapshots")
    if not window.next:
        if table is None:
            raise TableError("nothing was pushed yet, so there is nothing to end.")
        start = (table.first, 0)
        return timeline(promise.snapshot, zone, start, table.last, promise.window)
    last = memory.last if table is None else max(table.last, memory.last)
    if table is not None and table.first < memory.opens:
        # Records of snapshots that are out: they must be told apart, whatever becomes of them.
        far = timeline(promise.snapshot, zone, (table.first, 0), last, promise.window)
        opens = int(far.granules.next(memory.opens))
        return Timeline(far.granules, min(window.start, window.next - 1) - opens)
    start = (memory.opens, min(window.start, window.next - 1))
    return timeline(promise.snapshot, zone, start, last, promise.window)


def _planned(
    new: Arrivals | None,
    records: Records,
    promise: Reposition,
    memory: FeedMemory,
    until: int | None,
) -> tuple[Window, list[Due]]:
    window = memory.window
    values = memory.values if new is None else new.values
    rule, census = _rule(promise, values), records.census
    # What waited has a plan.
    new_ones = ~census.waited & ~census.free
    home, value, count = (column[new_ones] for column in (census.home, census.value, census.count))
    for position in np.unique(home[home < window.next]).tolist():
        here = home == position
        some = np.bincount(value[here], count[here], len(values)).astype(np.int64)
        window = late(window, rule, position, some)
    newest = int(census.home[~census.waited].max(initial=-1))
    if until is not None and new is not None and new.more:
        newest = until
    dues: list[Due] = []
    for counts in _counts(home, value, count, window.next, newest, len(values)):
        window, due = arrive(window, rule, counts)
        dues += due
    return window, dues


def _ended(window: Window, rule: Rule, records: Records, one: bool) -> tuple[Window, list[Due]]:
    """Give what is left to publish, in order: all, or up to the first snapshot with records."""
    dues: list[Due] = []
    census = records.census
    while window.start < window.next:
        window, due = following(window, rule)
        dues.append(due)
        if one and (len(due.count) or (census.home[census.free] == due.position).any()):
            break
    return window, dues


def _counts(
    home: Array, value: Array, count: Array, following: int, newest: int, values: int
) -> Array:
    """How many records of each value arrive in each snapshot, empty ones included."""
    snapshots = max(newest + 1 - following, 0)
    here = home >= following
    cell = (home[here] - following) * values + value[here]
    found = np.bincount(cell, count[here], snapshots * values).astype(np.int64)
    return found.reshape(snapshots, values)


def _rule(promise: Reposition, values: Sequence[str]) -> Rule:
    code = {value: number for number, value in enumerate(values)}
    return Rule(
        l=promise.l,
        window=promise.window,
        mu=promise.mu_table,
        beta=promise.beta_default,
        betas={code[text]: cost for text, cost in promise.betas.items() if text in code},
        strict=promise.careful,
        solver=promise.solver,
        first=promise.first,
        budget=promise.budget,
    )


def _after(memory: FeedMemory, new: Arrivals | None, time: Timeline) -> FeedMemory:
    if new is None:
        return memory
    starts = time.bounds(np.array(sorted(new.content), dtype=np.int64))[0].tolist()
    fresh = {
        at: (*memory.pushed.get(at, ()), Pushed(new.content[p]))
        for p, at in zip(sorted(new.content), starts, strict=True)
    }
    arriving = new.records
    arrived = np.bincount(arriving.value, arriving.count, len(new.values)).astype(np.int64)
    arrived[: len(memory.arrived)] += np.array(memory.arrived, dtype=np.int64)
    return replace(
        memory,
        values=new.values,
        arrived=tuple(arrived.tolist()),
        kind=new.kind,
        last=max([memory.last, *starts]) if memory.pushed else max(starts),
        pushed={**memory.pushed, **fresh},
        dropped=np.concatenate([memory.dropped, new.dropped]),
    )
