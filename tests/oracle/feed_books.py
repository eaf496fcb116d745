"""What becomes of every record of a feed, counted from what was pushed and what is published.

Nothing here is shared with the package. Days are numbers; a day is out once the feed has come so
far that the window has passed it, which a reader of the calendar can say without any plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.oracle.feed_cases import Move, Row


@dataclass(frozen=True)
class Books:
    """The books of a feed, in records."""

    pushed: int
    published: int
    open: int
    """Those that wait, and those that are left out: told apart only when the feed has ended."""
    waiting_at_least: int
    """Those of days that are not out: none of them can be decided yet."""
    dropped: int
    doubles: int
    """Left out because their person has another record on the same day."""

    @property
    def balanced(self) -> bool:
        return self.pushed == self.published + self.open + self.dropped + self.doubles


@dataclass
class Desk:
    """Keeps the books: what should be taken, dropped or refused, by the rules as they are told."""

    window: int
    late: str
    repeated: str
    newest: int | None = None
    """The last day of the feed so far."""
    first: int | None = None
    """Its first day: there is no place for what happened before."""
    ended: bool = False
    taken: set[Row] = field(default_factory=set)
    dropped: set[Row] = field(default_factory=set)
    doubles: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How many records of (who, day) too many there are; which of them stays is drawn by lot."""
    seen: set[Row] = field(default_factory=set)

    def refuses(self, move: Move) -> bool:
        """Whether a push must be refused."""
        fresh = [row for row in move if row not in self.seen]
        if not fresh:
            return False
        if self.ended:
            return True
        if self.late == "refuse" and any(self._is_late(row) for row in fresh):
            return True
        kept = [row for row in fresh if not self._is_gone(row)]
        people = Counter((row.who, row.day) for row in kept)
        people.update({(row.who, row.day): 1 for row in self.taken if (row.who, row.day) in people})
        return self.repeated == "refuse" and max(people.values(), default=0) > 1

    def takes(self, move: Move) -> None:
        """Enter a push that was accepted."""
        fresh = [row for row in move if row not in self.seen]
        for row in fresh:
            if self._is_gone(row):
                self.dropped.add(row)
            else:
                self.taken.add(row)
        self.seen.update(fresh)
        if self.first is None:
            self.first = min(row.day for row in move)
        self.newest = max(
            [row.day for row in move] + ([] if self.newest is None else [self.newest])
        )
        people = Counter((row.who, row.day) for row in self.taken)
        self.doubles = Counter({key: n - 1 for key, n in people.items() if n > 1})

    def books(self, published: int) -> Books:
        doubles = sum(self.doubles.values())
        out = [] if self.ended else [row for row in self.taken if not self._is_out(row)]
        people = {(row.who, row.day) for row in out}
        return Books(
            pushed=len(self.seen),
            published=published,
            open=len(self.taken) - doubles - published,
            waiting_at_least=len(people),
            dropped=len(self.dropped),
            doubles=doubles,
        )

    def _is_late(self, row: Row) -> bool:
        return self.newest is not None and row.day <= self.newest

    def _is_out(self, row: Row) -> bool:
        if self.newest is None or self.first is None:
            return False
        return row.day < self.first or row.day <= self.newest - self.window + 1

    def _is_gone(self, row: Row) -> bool:
        return self._is_late(row) and (self.late == "drop" or self._is_out(row))


def matched(shown: Sequence[Sequence[Row]]) -> bool:
    """Whether every published row can be another record, given those that each may be."""
    of_record: dict[Row, int] = {}

    def place(row: int, tried: set[Row]) -> bool:
        for record in shown[row]:
            if record in tried:
                continue
            tried.add(record)
            if record not in of_record or place(of_record[record], tried):
                of_record[record] = row
                return True
        return False

    return all(place(row, set()) for row in range(len(shown)))
