"""One push of a feed: what arrives is planned, and what becomes due is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.engines.base import Table
from anachron.errors import TableError
from anachron.guarantees import Reposition
from anachron.methods.outcome import Past
from anachron.methods.recorded import refuse_cutting
from anachron.methods.reposition.arrivals import Arrivals, arrivals
from anachron.methods.reposition.choose import Chosen, choose
from anachron.methods.reposition.memory import FeedMemory, Pushed
from anachron.methods.reposition.plan import Due, Rule, Window, arrive, closed, following, late
from anachron.methods.reposition.records import NOWHERE, Arriving, Records, gather
from anachron.methods.reposition.timeline import Timeline, timeline

__all__ = ["Advanced", "advance"]

_NONE = np.zeros(0, dtype=np.int64)


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
    held: Array = field(default_factory=lambda: _NONE)
    """Records of new people that m-invariance does not publish, though they were chosen."""
    refused: Array = field(default_factory=lambda: _NONE)
    """Likewise of known people."""
    waits: Array = field(default_factory=lambda: _NONE)
    """Records that are kept, because they may still be published."""
    cells: Array | None = None
    """Of each record, its group where intervals are cut by quasi values alone."""

    @property
    def published(self) -> bool:
        """Whether anything becomes due."""
        return bool((self.chosen.position != NOWHERE).any())


def advance(
    table: Table | None,
    promise: Reposition,
    memory: FeedMemory,
    past: Past,
    *,
    end: bool,
    one: bool = False,
    settled: pa.Array | None = None,
) -> Advanced:
    """Take the rows of a push, if there are any, and end the feed, if it is to end.

    Parameters
    ----------
    one
        Whether only the next snapshot arrives, also if it has no rows, or, at the end, only the
        next one with records becomes due; not all.
    settled
        The pseudonyms of people whose records need no plan.
    """
    time, until = _timeline(table, promise, memory), memory.window.next if one else None
    new = None if table is None else arrivals(table, promise, memory, time, past, until)
    records = _gathered(new, memory, past, settled)
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
    stays = (chosen.position == NOWHERE) & (records.home > window.start - promise.window)
    stays[chosen.dropped] = False
    rows = _NONE if end and window.start == window.next else np.flatnonzero(stays)
    return Advanced(
        replace(
            after,
            window=window,
            opens=int(time.bounds(np.array([opens]))[0][0]) if window.next else 0,
            waiting=records.waiting(rows, past) if len(rows) else None,
        ),
        records,
        dues,
        chosen,
        time,
        new,
        waits=rows,
    )


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


def _gathered(
    new: Arrivals | None, memory: FeedMemory, past: Past, settled: pa.Array | None
) -> Records:
    if new is None or not len(new.records):
        return gather(Arriving(), _NONE.astype(bool), memory.waiting, past)
    behind = new.records.home < memory.window.next
    return gather(new.records, behind, memory.waiting, past, settled)


def _planned(
    new: Arrivals | None,
    records: Records,
    promise: Reposition,
    memory: FeedMemory,
    until: int | None,
) -> tuple[Window, list[Due]]:
    window = memory.window
    values = memory.values if new is None else new.values
    arriving = Arriving() if new is None else new.records
    home, value = arriving.home, arriving.value
    planned = ~records.free[len(records) - len(home) :]
    rule = _rule(promise, values)
    behind = planned & (home < window.next)
    for position in np.unique(home[behind]).tolist():
        late_ones = value[behind & (home == position)]
        window = late(window, rule, position, np.bincount(late_ones, minlength=len(values)))
    newest = int(home.max(initial=-1))
    if until is not None and new is not None and new.more:
        newest = until
    dues: list[Due] = []
    for counts in _counts(home[planned], value[planned], window.next, newest, len(values)):
        window, due = arrive(window, rule, counts)
        dues += due
    return window, dues


def _ended(window: Window, rule: Rule, records: Records, one: bool) -> tuple[Window, list[Due]]:
    """Give what is left to publish, in order: all, or up to the first snapshot with records."""
    dues: list[Due] = []
    while window.start < window.next:
        window, due = following(window, rule)
        dues.append(due)
        if one and (len(due.count) or (records.home[records.free] == due.position).any()):
            break
    return window, dues


def _counts(home: Array, value: Array, following: int, newest: int, values: int) -> Array:
    """How many records of each value arrive in each snapshot, empty ones included."""
    snapshots = max(newest + 1 - following, 0)
    here = home >= following
    cell = (home[here] - following) * values + value[here]
    return np.bincount(cell, minlength=snapshots * values).reshape(snapshots, values)


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
    arrived = np.bincount(new.records.value, minlength=len(new.values))
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
