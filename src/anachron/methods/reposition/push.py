"""One push of a feed: what arrives is planned, and what becomes due is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from anachron.engines.base import Table
from anachron.errors import AlreadyPublished, TableError
from anachron.guarantees import Reposition
from anachron.methods.outcome import Past
from anachron.methods.reposition.arrivals import Arrivals, arrivals
from anachron.methods.reposition.choose import Chosen, choose
from anachron.methods.reposition.eligible import Array
from anachron.methods.reposition.memory import Memory, Pushed
from anachron.methods.reposition.plan import Due, Rule, Window, arrive, finish, late
from anachron.methods.reposition.records import NOWHERE, Records, gather
from anachron.methods.reposition.timeline import Timeline, timeline
from anachron.methods.values import check_alike

__all__ = ["Advanced", "advance"]

_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Advanced:
    """A feed after a push."""

    memory: Memory
    records: Records
    dues: Sequence[Due]
    chosen: Chosen
    time: Timeline
    arrivals: Arrivals | None
    """None if nothing was pushed: the feed ended."""
    beyond: Sequence[Due]
    """What was planned for after the end of the calendar, and is left out."""
    held: Array = field(default_factory=lambda: _NONE)
    """Records of new people that m-invariance does not publish, though they were chosen."""
    refused: Array = field(default_factory=lambda: _NONE)
    """Likewise of known people."""

    @property
    def published(self) -> bool:
        """Whether anything becomes due."""
        return bool((self.chosen.position != NOWHERE).any())


def advance(
    table: Table | None,
    promise: Reposition,
    memory: Memory,
    past: Past,
    *,
    end: bool,
    until: int | None = None,
    settled: pa.Array | None = None,
) -> Advanced:
    """Take the rows of a push, if there are any, and end the feed, if it is to end.

    Parameters
    ----------
    until
        The last snapshot that arrives with this push, also if it has no rows; without it, the
        last one of the table.
    settled
        The pseudonyms of people whose records need no plan.
    """
    time = _timeline(table, promise, memory)
    new = None if table is None else arrivals(table, promise, memory, time, past, until)
    if new is not None:
        column = memory.plan["schema"]["sensitive"][0]
        check_alike(past.marks(pa.array(new.values, pa.string())), column)
    records = _gathered(table, new, memory, past, settled)
    window, dues = _planned(new, records, promise, memory, until)
    if end:
        dues += finish(window, _rule(promise, memory.values if new is None else new.values))
        window = replace(window, start=window.next, places=(), strands={})
    beyond = [due for due in dues if due.position >= time.ends()]
    dues = [due for due in dues if due.position < time.ends()]
    chosen = choose(records, dues, promise.l)
    after = _after(memory, new, time)
    opens = window.start if window.start < window.next else window.next - 1
    stays = (chosen.position == NOWHERE) & (records.home > window.start - promise.window)
    stays[chosen.dropped] = False
    rows = _NONE if end else np.flatnonzero(stays)
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
        beyond,
    )


def _timeline(table: Table | None, promise: Reposition, memory: Memory) -> Timeline:
    window = memory.window
    zone = memory.plan["schema"]["time_zone"]
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
    table: Table | None,
    new: Arrivals | None,
    memory: Memory,
    past: Past,
    settled: pa.Array | None,
) -> Records:
    if new is None or not len(new.rows):
        nothing = (_NONE, _NONE, np.zeros((0, 2), dtype=np.uint64))
        return gather(None, _NONE, nothing, memory.waiting, past)
    arriving = new.home, new.value, new.key
    records = gather(table, new.rows, arriving, memory.waiting, past, settled)
    behind = new.home < memory.window.next
    if behind.any():
        _check_not_waiting(records, len(records) - len(new.rows))
    return records


def _check_not_waiting(records: Records, waiting: int) -> None:
    """A late record must not be one that was pushed before."""
    cell = records.home * (int(records.person.max()) + 1) + records.person
    if np.isin(cell[waiting:], cell[:waiting]).any():
        raise AlreadyPublished(
            "this push repeats people of a snapshot that was pushed before, among other records. "
            "Push only the records that come late, or each snapshot once."
        )


def _planned(
    new: Arrivals | None,
    records: Records,
    promise: Reposition,
    memory: Memory,
    until: int | None,
) -> tuple[Window, list[Due]]:
    window = memory.window
    values = memory.values if new is None else new.values
    home = _NONE if new is None else new.home
    value = _NONE if new is None else new.value
    planned = ~records.free[len(records) - len(home) :]
    rule = _rule(promise, values)
    behind = planned & (home < window.next)
    for position in np.unique(home[behind]).tolist():
        late_ones = value[behind & (home == position)]
        window = late(window, rule, position, np.bincount(late_ones, minlength=len(values)))
    newest = int(home.max(initial=-1)) if until is None else until
    if new is not None and not new.more and (home < window.next).all():
        newest = -1  # Late records alone are no next snapshot.
    dues: list[Due] = []
    for counts in _counts(home[planned], value[planned], window.next, newest, len(values)):
        window, due = arrive(window, rule, counts)
        dues += due
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
        solver=promise.solver,
        first=promise.first,
    )


def _after(memory: Memory, new: Arrivals | None, time: Timeline) -> Memory:
    if new is None:
        return memory
    positions = np.array(sorted(new.content), dtype=np.int64)
    starts = time.bounds(positions)[0].tolist()
    fresh = {
        at: Pushed(new.content[p], 0) for p, at in zip(positions.tolist(), starts, strict=True)
    }
    arrived = np.bincount(new.value, minlength=len(new.values))
    arrived[: len(memory.arrived)] += np.array(memory.arrived, dtype=np.int64)
    return replace(
        memory,
        values=new.values,
        arrived=tuple(arrived.tolist()),
        kind=new.kind,
        last=max([memory.last, *starts]) if memory.pushed else max(starts),
        pushed={**memory.pushed, **fresh},
        dropped=np.concatenate([memory.dropped, new.late_key]),
    )
