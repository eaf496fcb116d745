"""Kill a batch of a stream on its way: delivered again, it changes what it would have, once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import anachron as an
from tests.crash.doom import killed_at
from tests.flow.small_feeds import day, plan, table
from tests.flow.tables import contents

PROMISE = an.Reposition(l=2, window=1, solver="recycle", first="cold")
BATCHES = [
    day(1, "ab"),
    [*day(1, "ba", who="more "), *day(2, "cab"), *day(3, "ab")],
    [*day(3, "c", who="more "), *day(4, "ab")],
]


def batch(root: Path, number: int) -> None:
    an.open(plan(root, PROMISE)).batch(table(BATCHES[number]), number)


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.campaign)])
def test_a_batch_that_is_killed_at_any_step_and_comes_again_is_taken_once(
    tmp_path: Path, every: int
) -> None:
    feed = tmp_path / "feed"
    batch(feed, 0)
    shutil.copytree(feed, tmp_path / "start")
    batch(feed, 1)
    batch(feed, 2)
    whole = contents(feed / "releases")
    step = every
    while True:
        shutil.rmtree(feed)
        shutil.copytree(tmp_path / "start", feed)
        killed = killed_at(step, batch, feed, 1)
        batch(feed, 1)
        batch(feed, 2)
        assert contents(feed / "releases") == whole
        assert len(contents(feed / "ledger" / "stream")) == 2
        if not killed:
            break
        step += every
    assert step > 20
