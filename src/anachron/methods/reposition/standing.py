"""Where a feed stands between two pushes, in the words of the calendar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.guarantees import Reposition
from anachron.methods.reposition.account import Account, Line, open_records
from anachron.methods.reposition.memory import FeedMemory, from_table
from anachron.methods.reposition.timeline import Timeline, timeline

__all__ = ["Standing", "standing"]


@dataclass(frozen=True)
class Standing:
    """A feed after a push."""

    waiting: int
    """Records that are not published yet, and may be."""
    last: str
    """The last snapshot that was pushed."""
    next_out: str | None
    """The first snapshot that is not out; None if the feed has ended, or its calendar has."""
    out_with: str | None
    """The snapshot with which that one becomes due; None if only the end of the feed does."""
    ended: bool
    values_to_come: int
    """How many more different values must come before anything can be published."""
    account: Account
    """What became of everything that was pushed."""
    labels: Mapping[int, str]
    """The snapshots of the account, by their first instants."""

    def to_dict(self, before: Standing | None = None) -> dict[str, Any]:
        """Give all as plain values; of the account the total, and the snapshots that changed."""
        changed = self.account.changed(Account() if before is None else before.account)
        return {
            "waiting": self.waiting,
            "last": self.last,
            "next_out": self.next_out,
            "out_with": self.out_with,
            "ended": self.ended,
            "values_to_come": self.values_to_come,
            "account": {
                **asdict(self.account.total),
                "complete": self.account.begins is None,
                "snapshots": [
                    {"snapshot": self.labels[at], **asdict(line)} for at, line in changed.items()
                ],
            },
        }

    def lost(self, before: Standing | None = None) -> dict[str, int]:
        """Count the records that since then are known never to be published, by how it came."""
        now, then = self.account.total, Line() if before is None else before.account.total
        counts = {"left out": now.left_out - then.left_out, "dropped": now.dropped - then.dropped}
        counts["refused"] = now.refused - then.refused
        return {how: n for how, n in counts.items() if n}

    @property
    def books(self) -> str:
        """The account in a sentence."""
        said = f"Account: {self.account.total}."
        if self.account.begins is None:
            return said
        first = self.labels[min(self.labels)] if self.labels else "the next snapshot"
        return f"{said} It begins with {first}: of what was pushed before, none was kept."

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
    window = memory.window
    promise = Reposition.from_dict(memory.plan["guarantee"])
    time = _timeline(memory, promise)

    def label(position: int) -> str | None:
        if memory.ended is not None or position >= time.ends():
            return None
        return time.labels(np.array([position]))[0]

    def labels(instants: list[int]) -> list[str]:
        at = np.array(instants, dtype=np.int64)
        return time.labels(time.positions(at, memory.plan["schema"]["time"]))

    known = sorted(memory.account.lines)
    return Standing(
        waiting=open_records(window, memory.waiting).total(),
        last=labels([memory.last])[0],
        next_out=label(window.start),
        out_with=label(window.start + promise.window - 1) if memory.ending is None else None,
        ended=memory.ended is not None,
        account=memory.account,
        labels=dict(zip(known, labels(known), strict=True)),
        values_to_come=max(ceil(promise.l) - len(memory.values), 0),
    )


def _timeline(memory: FeedMemory, promise: Reposition) -> Timeline:
    """Lay out the snapshots from the first that is accounted for to the last."""
    first = min([memory.opens, memory.last, *memory.account.lines])
    last = max([memory.opens, memory.last, *memory.account.lines])
    zone = memory.plan["schema"]["time_zone"]
    granules = timeline(promise.snapshot, zone, (first, 0), last, promise.window).granules
    window, opens = memory.window, int(granules.next(memory.opens))
    return Timeline(granules, min(window.start, window.next - 1) - opens)
