"""The books of a feed: whatever is pushed, every record is counted once, at every commit."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

import anachron as an
from anachron import flow
from anachron.making.publisher import Standing
from tests.property.feed_histories import History, history

THEN = pytest.mark.parametrize("then", ["anatomy", "generalize", "invariance"])


def by_day(standing: Standing, kind: str) -> Counter[str]:
    """One kind of records of the account, by day."""
    found = Counter[str]()
    for at, line in standing.account.lines.items():
        day = datetime.fromtimestamp(at / 1e6, UTC).date().isoformat()
        assert standing.labels[at] == day
        found[day] = getattr(line, kind)
    return +found


def assert_balanced(feed: History, then: str) -> Standing:
    """The account is what somebody counts who sees only pushes and releases."""
    standing = flow.standing(feed.plan.ledger)
    assert standing is not None
    total = standing.account.total
    assert by_day(standing, "pushed") == feed.arrived()
    assert total.published == feed.published()
    if then == "anatomy":
        assert by_day(standing, "published") == feed.published_by_day()
    promise = feed.plan.guarantee
    assert isinstance(promise, an.Reposition)
    if promise.late == "drop":
        assert by_day(standing, "dropped") == +feed.dropped
    others = total.published + total.left_out + total.dropped + total.refused
    assert standing.waiting == total.waiting == len(feed.pushed) - others
    return standing


def assert_history(folder: Path, seed: int, then: str) -> None:
    for feed in history(folder / "feed", seed, then):
        standing = assert_balanced(feed, then)
    assert standing.ended
    assert not standing.waiting
    told = an.Ledger.open(feed.plan.ledger).entries()[-1].explanation["account"]
    assert told["total"]["published"] == standing.account.total.published
    verdict = flow.audit_history(feed.plan.releases, table=feed.table, ledger=feed.plan.ledger)[-1]
    assert verdict.holds, [str(check) for check in verdict.failures]
    assert "account" in {check.name for check in verdict.checks}


@pytest.mark.parametrize(("seed", "then"), [(1, "anatomy"), (2, "generalize"), (3, "invariance")])
def test_the_account_of_a_feed_balances_at_every_commit(
    tmp_path: Path, seed: int, then: str
) -> None:
    assert_history(tmp_path, seed, then)


@pytest.mark.campaign
@THEN
def test_the_accounts_of_many_feeds(tmp_path: Path, then: str) -> None:
    for seed in range(200):
        assert_history(tmp_path / str(seed), seed, then)
