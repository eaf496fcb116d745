"""What somebody who has read the source learns: the judge of small worlds on every method.

The stories in ``leaks`` are those in which more was once learned than is promised.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count, islice

import pytest

import anachron as an
from tests.daily import daily
from tests.oracle.worlds.judge import Verdict, judge
from tests.oracle.worlds.leaks import LEAKS, PAPER, UNNAMED
from tests.oracle.worlds.playing import player
from tests.oracle.worlds.stories import story
from tests.oracle.worlds.story import Person, Story

LONG = {"left out, and back"}


def check(told: Story) -> Verdict:
    verdict = judge(player(told))
    assert verdict.holds, str(verdict)
    return verdict


@pytest.mark.parametrize("name", daily(LEAKS, *(LEAKS.keys() - LONG)))
def test_nobody_is_more_certain_than_promised(name: str) -> None:
    check(LEAKS[name])


@pytest.mark.campaign
def test_the_papers_mode_is_broken_and_the_judge_sees_it() -> None:
    """Bob's group {a, b} with a counterfeit beside {a, c, d} tells that he has a, or the new a
    would have filled it."""
    verdict = judge(player(PAPER))
    assert verdict.worst.chance == 1
    assert any(belief.person == "Bob" for belief in verdict.unadmitted)


CARELESS = {
    "D3": an.Reposition(l=2, window=2, careful=False),
    "D4": an.Reposition(
        l=2, window=1, then="generalize", orders={"sex": ["f", "m"]}, careful=False
    ),
}


@pytest.mark.parametrize("name", daily(CARELESS, "D3"))
def test_careless_feeds_are_broken_and_the_judge_sees_it(name: str) -> None:
    """They promise something of the values in a group only."""
    verdict = judge(player(replace(LEAKS[name], promise=CARELESS[name])))
    assert verdict.promised.chance == 1
    assert not verdict.holds


@pytest.mark.parametrize("kind", daily(["generalize-finest", "anatomy-late"], "anatomy-late"))
def test_whoever_is_on_time_in_a_feed(kind: str) -> None:
    check(story(kind, 1))


def test_a_release_that_would_not_be_made_of_the_same_values_tells() -> None:
    """Without a name; promises-and-limits says so, and what to do about it."""
    verdict = judge(player(UNNAMED))
    assert verdict.worst.chance == 1
    assert any(belief.person == "Bob" for belief in verdict.unadmitted)


HISTORIES = [
    [[1, 2], [1, 3, 4], [1, 2, 3]],
    [[1, 2], [3, 4], [1, 3]],
]


def history(snapshots: list[list[int]], mode: str, balance: str = "exact") -> Story:
    """A register in which nobody's value changes."""
    people = sorted({p for snapshot in snapshots for p in snapshot})
    return Story(
        f"{snapshots}, {mode}, {balance}",
        an.MInvariance(m=2, mode=mode, balance=balance),
        tuple(
            Person(f"P{p}", (10 * p,), tuple(t for t, s in enumerate(snapshots) if p in s))
            for p in people
        ),
        ("a", "b", "c"),
    )


@pytest.mark.parametrize("mode", ["transparent", "sticky"])
@pytest.mark.parametrize("snapshots", HISTORIES, ids=str)
def test_registers_whose_values_stay(mode: str, snapshots: list[list[int]]) -> None:
    check(history(snapshots, mode))


@pytest.mark.campaign
def test_new_people_who_join_others() -> None:
    """``tests.oracle.pooled_worlds`` goes through many more histories, without the files."""
    check(history(HISTORIES[0], "transparent", "pooled"))


KINDS = ["transparent", "transparent-changes", "transparent-pooled", "sticky", "sticky-changes"]


@pytest.mark.parametrize("kind", daily(KINDS, *KINDS[:2], *KINDS[3:]))
def test_registers_whose_values_change(kind: str) -> None:
    """The first few short stories of each kind; many more are in the campaign."""
    told = (story(kind, seed) for seed in count())
    short = (one for one in told if any(p.fresh for p in one.people) and _worlds(one) <= 30)
    for verdict in map(check, islice(short, 3)):
        assert verdict.refused < 0.5
        assert verdict.outputs > 1


def _worlds(told: Story) -> int:
    return sum(1 for _ in told.worlds())


@pytest.mark.parametrize("kind", ["events", "events-share", "events-suppressed"])
def test_rows_of_events_are_nobodys(kind: str) -> None:
    check(story(kind, 1))
