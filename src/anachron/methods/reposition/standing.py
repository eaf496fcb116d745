"""Where a feed stands between two pushes, in the words of the calendar."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
import pyarrow as pa

from anachron.guarantees import Reposition
from anachron.methods.reposition.memory import from_table
from anachron.methods.reposition.timeline import Timeline, timeline

__all__ = ["Standing", "standing"]


@dataclass(frozen=True)
class Standing:
    """A feed after a push."""

    waiting: int
    """Records that are not published yet."""
    last: str
    """The last snapshot that was pushed."""
    next_out: str | None
    """The first snapshot that is not out; None if the feed has ended, or its calendar has."""
    out_with: str | None
    """The snapshot with which that one becomes due; None if only the end of the feed does."""
    ended: bool
    values_to_come: int = 0
    """How many more different values must come before anything can be published."""

    def __str__(self) -> str:
        if self.ended:
            return f"The feed ended with {self.last}; nothing waits."
        waits = "1 record waits" if self.waiting == 1 else f"{self.waiting:,} records wait"
        known = f"The last snapshot was {self.last}; {waits}."
        if self.values_to_come:
            more = "1 more" if self.values_to_come == 1 else f"{self.values_to_come:,} more"
            return (
                f"{known} Fewer different sensitive values than l have come: nothing can be "
                f"published before {more} came, and what cannot wait until then is left out."
            )
        if self.next_out is None or self.out_with == self.next_out:
            return known
        when = f"once {self.out_with} is in" if self.out_with else "with the end of the feed"
        return f"{known} {self.next_out} is due {when}."


def standing(remembered: pa.Table) -> Standing:
    """Read what the ledger remembers of a feed."""
    memory = from_table(remembered)
    window, waiting = memory.window, 0 if memory.waiting is None else len(memory.waiting)
    promise = Reposition.from_dict(memory.plan["guarantee"])
    ends = sorted((memory.opens, memory.last))
    zone = memory.plan["schema"]["time_zone"]
    granules = timeline(promise.snapshot, zone, (ends[0], 0), ends[1], promise.window).granules
    opens = int(granules.next(memory.opens))
    time = Timeline(granules, min(window.start, window.next - 1) - opens)

    def label(position: int) -> str | None:
        if memory.ended is not None or position >= time.ends():
            return None
        return time.labels(np.array([position]))[0]

    [last] = time.labels(time.positions(np.array([memory.last]), memory.plan["schema"]["time"]))
    return Standing(
        waiting=waiting,
        last=last,
        next_out=label(window.start),
        out_with=label(window.start + promise.window - 1) if memory.ending is None else None,
        ended=memory.ended is not None,
        values_to_come=max(ceil(promise.l) - len(memory.values), 0),
    )
