"""Kill a whole publication, from reading the table to exposing the release, at every step."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import anachron as an
from tests.crash.doom import killed_at
from tests.daily import daily
from tests.flow.tables import DAY_WEEK_MONTH, PAPER, PAPER_SCHEMA, contents, published
from tests.release.parting import parts_of_rows

PROMISE = an.TimeGranularity(k=2, granularities=DAY_WEEK_MONTH)


def publish(root: Path) -> None:
    published(PAPER, PAPER_SCHEMA, PROMISE, root, csv=True)


def publish_parts(root: Path) -> None:
    """The same in several parts, here and in the process that is killed."""
    with parts_of_rows(5):
        publish(root)


@pytest.mark.parametrize("every", daily([1, 7], 7))
def test_a_kill_at_any_step_leaves_the_release_whole_or_absent(tmp_path: Path, every: int) -> None:
    check_kills(tmp_path, every, publish)


@pytest.mark.parametrize("every", daily([1, 11], 11))
def test_so_it_is_with_a_release_in_parts(tmp_path: Path, every: int) -> None:
    check_kills(tmp_path, every, publish_parts)
    assert len([*tmp_path.glob("undisturbed/releases/0001/data-*.parquet")]) > 1


def check_kills(tmp_path: Path, every: int, publish: Callable[[Path], None]) -> None:
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
