"""Kill a push of a feed on its way: afterwards it happened or it did not, and nothing is lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pytest

import anachron as an
from tests.crash.doom import killed_at
from tests.flow.tables import contents
from tests.flow.test_feeds import days_of, feed, of_day, plan

TABLE = feed(days=6)
DAYS = days_of(TABLE)
ORDERS = {"ward": ["west", "north", "east"]}
KINDS = {
    # Rolling, and an exact first window, would load a solver in every child.
    "anatomy": an.Reposition(l=3, window=2, solver="recycle", first="cold"),
    "invariance": an.Reposition(
        window=2, solver="recycle", first="cold", then=an.MInvariance(m=3, orders=ORDERS)
    ),
}


def push(root: Path, kind: str, *days: str) -> None:
    an.open(plan(root, KINDS[kind])).push(of_day(TABLE, *days))


def end(root: Path, kind: str) -> None:
    an.open(plan(root, KINDS[kind])).flush()


@pytest.mark.parametrize(
    ("kind", "every"),
    [
        ("anatomy", 7),
        ("invariance", 11),
        pytest.param("anatomy", 1, marks=pytest.mark.campaign),
        pytest.param("invariance", 1, marks=pytest.mark.campaign),
    ],
)
def test_a_kill_at_any_step_of_a_push_and_a_second_try_give_the_undisturbed_releases(
    tmp_path: Path, kind: str, every: int
) -> None:
    feed_ = tmp_path / "feed"
    push(feed_, kind, DAYS[0])
    shutil.copytree(feed_, tmp_path / "start")
    push(feed_, kind, DAYS[1], DAYS[2])
    whole = contents(feed_ / "releases")
    end(feed_, kind)
    ended = contents(feed_ / "releases")
    step = tried = 0
    seen: list[pa.Table] = []
    while True:
        step += every
        shutil.rmtree(feed_)
        shutil.copytree(tmp_path / "start", feed_)
        if not killed_at(step, push, feed_, kind, DAYS[1], DAYS[2]):
            break
        ledger = an.Ledger.open(feed_ / "ledger")
        ledger.recover()
        assert ledger.check() == []
        assert len(contents(feed_ / "ledger" / "feed")) == 1  # the records of one push, not of two
        left = ledger.feed()
        assert left is not None
        if any(left.equals(other, check_metadata=True) for other in seen):
            continue
        seen.append(left)
        tried += 1
        push(feed_, kind, DAYS[1], DAYS[2])
        assert contents(feed_ / "releases") == whole
        end(feed_, kind)
        assert contents(feed_ / "releases") == ended
    # Before and after; with m-invariance each of the two days is committed by itself.
    assert tried == {"anatomy": 2, "invariance": 3}[kind]
    assert step > 20
