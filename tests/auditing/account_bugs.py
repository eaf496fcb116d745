"""Mistakes in the books of a feed: records counted nowhere, twice, or as something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

PUSHED, PUBLISHED, WAITING, LEFT_OUT, DROPPED, REFUSED = range(1, 7)
"""Places in a line of the account, after the first instant of its snapshot."""


@dataclass
class Draft:
    """The books of a feed, to be spoilt."""

    said: dict[str, Any]
    """What the ledger remembers beside the records that wait."""
    rows: list[dict[str, Any]]
    """The table of all that was pushed."""
    kept: int
    """How many of the records that wait the ledger still has."""

    def line(self, kind: int) -> list[int]:
        """A line with records of a kind."""
        return next(line for line in self.said["account"]["lines"] if line[kind])

    def count_as(self, kind: int, other: int) -> None:
        """Count one record of a kind as something else."""
        line = self.line(kind)
        line[kind] -= 1
        line[other] += 1

    def add(self, kind: int, many: int) -> None:
        """Count so many records more of a kind, as if they had been pushed."""
        line = self.line(kind)
        line[kind] += many
        line[PUSHED] += many


Bug = Callable[[Draft], object]
BUGS: dict[str, tuple[str, Bug]] = {}
"""What the audit must say, and what spoils the books."""


def told(says: str, **bugs: Bug) -> None:
    """Seed bugs of which the audit must say this."""
    BUGS.update({name: (says, bug) for name, bug in bugs.items()})


def lines(bad: Draft) -> list[list[int]]:
    """The lines of the account."""
    found: list[list[int]] = bad.said["account"]["lines"]
    return found


def a_debt(bad: Draft) -> None:
    line = bad.line(PUBLISHED)
    line[LEFT_OUT] -= 1
    line[WAITING] += 1


def a_record_twice(bad: Draft) -> None:
    bad.line(LEFT_OUT)[LEFT_OUT] += 1


def no_plan_for_a_record(bad: Draft) -> None:
    window = bad.said["window"]
    places = next(name for name in ("standing", "suppressed", "places") if window[name])
    window[places][-1][2] -= 1


told(
    "1 snapshot with records that are counted nowhere",
    a_record_that_was_left_out_is_forgotten=lambda bad: bad.add(LEFT_OUT, -1),
    a_push_that_published_nothing_is_forgotten=lambda bad: lines(bad).remove(bad.line(LEFT_OUT)),
    a_row_of_the_table_was_never_taken=lambda bad: bad.rows.append(
        {**bad.rows[0], "who": "nobody"}
    ),
    a_day_before_the_first_was_never_counted=lambda bad: bad.rows.append(
        {**bad.rows[0], "day": "2024-04-29T12:00:00"}
    ),
)
told(
    "1 snapshot with more records than happened",
    a_record_is_counted_that_never_was=lambda bad: bad.add(LEFT_OUT, 1),
    a_row_is_gone_from_the_table=lambda bad: bad.rows.pop(0),
)
told(
    "1 snapshot that do not add up",
    a_record_is_counted_twice=a_record_twice,
    a_debt_makes_up_for_it=a_debt,
)
told(
    "1 snapshot with other numbers of published records",
    a_record_that_was_left_out_is_said_to_be_published=lambda bad: bad.count_as(
        LEFT_OUT, PUBLISHED
    ),
    a_published_record_is_said_to_be_left_out=lambda bad: bad.count_as(PUBLISHED, LEFT_OUT),
)
told(
    "1 snapshot with other records waiting than are planned for",
    a_record_that_waits_is_given_up=lambda bad: bad.count_as(WAITING, LEFT_OUT),
    a_record_that_was_left_out_waits_for_ever=lambda bad: bad.count_as(LEFT_OUT, WAITING),
    the_plan_forgets_a_record_that_waits=no_plan_for_a_record,
)
told(
    "with other records waiting than are planned for",
    the_records_that_wait_are_lost=lambda bad: vars(bad).update(kept=0),
)
told(
    "1 snapshot with records dropped that had to be planned",
    a_record_is_dropped_without_leave=lambda bad: bad.count_as(LEFT_OUT, DROPPED),
)
told(
    "1 line of no snapshot, or of one that has another",
    a_line_is_of_no_snapshot=lambda bad: lines(bad).append(
        [bad.line(PUSHED)[0] + 1, 0, 0, 0, 0, 0, 0]
    ),
    a_snapshot_has_two_lines=lambda bad: lines(bad).append(list(bad.line(LEFT_OUT))),
)
told(
    "something is missing or malformed",
    the_account_is_a_sentence=lambda bad: bad.said["account"].update(lines="all is well"),
)
