"""The account of a feed: what became of every record that was pushed.

==============  ==========================================================================
pushed          rows that came in; those of a snapshot that is pushed again are not new
published       in a release that is recorded
waiting         may still be published
left out        the plan has no place for them any more, their person was there already, or too
                many new people had their value
dropped         never planned: too late for their snapshot, one of several of a person in it, or
                (m-invariance) of somebody who was left out before
refused         known people whose value would narrow them down (m-invariance)
==============  ==========================================================================

Every record is in exactly one of these, and each is counted by itself: the plan says what waits
and what is left out, the records say what is published, the table what came in. If they disagree,
no account can be made, and nothing is recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field, fields
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.errors import InternalError
from anachron.methods.reposition.window import Window

__all__ = ["Account", "Line", "entered", "open_records"]


@dataclass(frozen=True)
class Line:
    """What became of the records of one snapshot, or of all: it balances, or it is not made."""

    pushed: int = 0
    published: int = 0
    waiting: int = 0
    left_out: int = 0
    dropped: int = 0
    refused: int = 0

    def __post_init__(self) -> None:
        known = self.published + self.waiting + self.left_out + self.dropped + self.refused
        if min(astuple(self)) < 0 or known != self.pushed:
            raise InternalError(
                f"the account of a feed does not balance: {self}. Nothing was published, and this "
                "push is not recorded. Please report this: it is a mistake of Anachron."
            )

    def __str__(self) -> str:
        return (
            f"{self.pushed:,} pushed = {self.published:,} published + {self.waiting:,} waiting + "
            f"{self.left_out:,} left out + {self.dropped:,} dropped + {self.refused:,} refused"
        )


FATES = tuple(one.name for one in fields(Line))


@dataclass(frozen=True)
class Account:
    """What became of all records of a feed, by the snapshot in which they happened."""

    lines: Mapping[int, Line] = field(default_factory=dict)
    """By the first instant of the snapshot; only of snapshots with records."""
    begins: int | None = None
    """Only snapshots from this instant on are counted: those before were pushed when no account
    was kept. None if there were none."""

    @property
    def total(self) -> Line:
        """All snapshots together."""
        return Line(*(sum(getattr(one, name) for one in self.lines.values()) for name in FATES))

    def changed(self, before: Account) -> dict[int, Line]:
        """Give the lines that are not what they were before, in the order of time."""
        ordered = sorted(self.lines.items())
        return {at: line for at, line in ordered if line != before.lines.get(at)}

    def to_dict(self) -> dict[str, Any]:
        """Give the account as plain values."""
        lines = [[at, *astuple(line)] for at, line in sorted(self.lines.items())]
        return {"begins": self.begins, "lines": lines}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Account:
        """Read back what :meth:`to_dict` gave."""
        return cls({at: Line(*counts) for at, *counts in told["lines"]}, told["begins"])


def entered(before: Account, counts: Mapping[str, Mapping[int, int]]) -> Account:
    """Enter what one commit of the ledger comes to, and see that every line balances.

    Parameters
    ----------
    counts
        For each kind, records by the first instant of their snapshot: how many are ``waiting``
        now, and how many more than before there are of all others.
    """
    touched = {at for kind in counts.values() for at, n in kind.items() if n}
    touched |= {at for at, line in before.lines.items() if line.waiting}
    lines = dict(before.lines)
    for at in sorted(touched):
        if before.begins is not None and at < before.begins:
            continue
        known = {**asdict(lines.get(at, Line())), "waiting": 0}
        lines[at] = Line(**{n: known[n] + counts.get(n, {}).get(at, 0) for n in FATES})
    return Account(lines, before.begins)


def open_records(window: Window, waiting: pa.Table | None) -> Counter[int]:
    """Count the records that may still be published, by the position of their snapshot.

    The records that are kept are more: which of several alike are left out is decided when the
    others are published.
    """
    found: Counter[int] = Counter()
    for strand in window.strands.values():
        for home, count in (*strand.standing, *strand.suppressed):
            found[home] += count
    value = np.array(list(window.strands), dtype=np.int64)
    until = np.array([strand.until for strand in window.strands.values()], dtype=np.int64)
    for position, row in enumerate(window.places, window.start):
        # The records in places up to there are those of the strand, counted by home above.
        elsewhere = value[(until >= position) & (value < len(row))]
        found[position] += int(row.sum() - row[elsewhere].sum())
    if waiting is not None:
        free = waiting["home"].filter(waiting["free"]).to_numpy()
        found.update(free[free >= window.start].tolist())
    return +found
