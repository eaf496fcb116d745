"""Kill a whole publication, from reading the table to exposing the release, at every step."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import anachron as an
from tests.crash.doom import killed_at
from tests.daily import daily
from tests.flow.tables import DAY_WEEK_MONTH, PAPER, PAPER_SCHEMA, contents, published

PROMISE = an.TimeGranularity(k=2, granularities=DAY_WEEK_MONTH)


def publish(root: Path) -> None:
    published(PAPER, PAPER_SCHEMA, PROMISE, root, csv=True)


@pytest.mark.parametrize("every", daily([1, 7], 7))
def test_a_kill_at_any_step_leaves_the_release_whole_or_absent(tmp_path: Path, every: int) -> None:
    publish(tmp_path / "undisturbed")
    expected = contents(tmp_path / "undisturbed" / "releases")
    step, outcomes = 1 - every, set()
    while killed_at(step := step + every, publish, root := tmp_path / "run"):
        recovered = an.Ledger.open(root / "ledger")
        recovered.recover()
        assert recovered.check() == []
        found = contents(root / "releases")
        assert found in ({}, expected)
        assert len(recovered.entries()) == (1 if found else 0)
        outcomes.add(bool(found))
        publish(root)
        assert contents(root / "releases") == expected
        shutil.rmtree(root)
    assert outcomes == {True, False}
    assert step > 40
