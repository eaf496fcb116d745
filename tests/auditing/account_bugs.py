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


Bug = Callable[[Draft], None]
BUGS: list[tuple[str, Bug]] = []
"""What the audit must say, and what spoils the books."""


def told(says: str) -> Callable[[Bug], Bug]:
    """Seed a bug of which the audit must say this."""

    def keep(bug: Bug) -> Bug:
        BUGS.append((says, bug))
        return bug

    return keep


@told("1 snapshot with records that are counted nowhere")
def a_record_that_was_left_out_is_forgotten(bad: Draft) -> None:
    line = bad.line(LEFT_OUT)
    line[LEFT_OUT] -= 1
    line[PUSHED] -= 1


@told("1 snapshot with records that are counted nowhere")
def a_push_that_published_nothing_is_forgotten(bad: Draft) -> None:
    bad.said["account"]["lines"].remove(bad.line(LEFT_OUT))


@told("1 snapshot with records that are counted nowhere")
def a_row_of_the_table_was_never_taken(bad: Draft) -> None:
    bad.rows.append({**bad.rows[0], "who": "nobody"})


@told("1 snapshot with more records than happened")
def a_record_is_counted_that_never_was(bad: Draft) -> None:
    line = bad.line(LEFT_OUT)
    line[LEFT_OUT] += 1
    line[PUSHED] += 1


@told("1 snapshot with more records than happened")
def a_row_is_gone_from_the_table(bad: Draft) -> None:
    del bad.rows[0]


@told("1 snapshot that do not add up")
def a_record_is_counted_twice(bad: Draft) -> None:
    bad.line(LEFT_OUT)[LEFT_OUT] += 1


@told("1 snapshot that do not add up")
def a_debt_makes_up_for_it(bad: Draft) -> None:
    line = bad.line(PUBLISHED)
    line[LEFT_OUT] -= 1
    line[WAITING] += 1


@told("1 snapshot with other numbers of published records")
def a_record_that_was_left_out_is_said_to_be_published(bad: Draft) -> None:
    bad.count_as(LEFT_OUT, PUBLISHED)


@told("1 snapshot with other numbers of published records")
def a_published_record_is_said_to_be_left_out(bad: Draft) -> None:
    bad.count_as(PUBLISHED, LEFT_OUT)


@told("1 snapshot with other records waiting than are planned for")
def a_record_that_waits_is_given_up(bad: Draft) -> None:
    bad.count_as(WAITING, LEFT_OUT)


@told("1 snapshot with other records waiting than are planned for")
def a_record_that_was_left_out_waits_for_ever(bad: Draft) -> None:
    bad.count_as(LEFT_OUT, WAITING)


@told("1 snapshot with other records waiting than are planned for")
def the_plan_forgets_a_record_that_waits(bad: Draft) -> None:
    window = bad.said["window"]
    places = next(name for name in ("standing", "suppressed", "places") if window[name])
    window[places][-1][2] -= 1


@told("with other records waiting than are planned for")
def the_records_that_wait_are_lost(bad: Draft) -> None:
    bad.kept = 0


@told("1 snapshot with records dropped that had to be planned")
def a_record_is_dropped_without_leave(bad: Draft) -> None:
    bad.count_as(LEFT_OUT, DROPPED)


@told("1 line of no snapshot, or of one that has another")
def a_line_is_of_no_snapshot(bad: Draft) -> None:
    bad.said["account"]["lines"].append([bad.line(PUSHED)[0] + 1, 0, 0, 0, 0, 0, 0])


@told("1 line of no snapshot, or of one that has another")
def a_snapshot_has_two_lines(bad: Draft) -> None:
    bad.said["account"]["lines"].append(list(bad.line(LEFT_OUT)))


@told("something is missing or malformed")
def the_account_is_a_sentence(bad: Draft) -> None:
    bad.said["account"]["lines"] = "all is well"


@told("1 snapshot with records that are counted nowhere")
def a_day_before_the_first_was_never_counted(bad: Draft) -> None:
    bad.rows.append({**bad.rows[0], "day": "2024-04-29T12:00:00"})
