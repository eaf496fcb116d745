"""Kill a push of a feed at every step: memory and releases are of one push, nothing else stays."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from anachron.ledger import Ledger
from tests.crash.doom import killed_at
from tests.crash.older import make_older
from tests.crash.small import check_feed, check_whole, contents, publish, push


def opened(root: Path) -> None:
    Ledger.open(root / "ledger")


def recover(root: Path) -> None:
    Ledger.open(root / "ledger").recover()


def pushed(root: Path, pushes: int) -> Path:
    """The store of a feed with some pushes."""
    root.mkdir()
    opened(root)
    for number in range(1, pushes + 1):
        push(root, number)
    return root


@pytest.mark.parametrize(
    "before", [0, *(pytest.param(many, marks=pytest.mark.campaign) for many in (1, 2))]
)
def test_a_kill_at_any_step_of_a_push_leaves_the_old_or_the_new(
    tmp_path: Path, before: int
) -> None:
    """The first and the third push are kept without a release, the second makes one."""
    start = pushed(tmp_path / "start", before)
    expected = contents(pushed(tmp_path / "undisturbed", before + 1) / "releases")
    step, seen, killed = 0, set(), True
    while killed:
        step += 1
        root = tmp_path / "run"
        shutil.copytree(start, root)
        killed = killed_at(step, push, root, before + 1)
        seen.add(check_feed(root, before if killed else before + 1))
        push(root, before + 1)
        assert check_feed(root, before + 1) == before + 1
        assert contents(root / "releases") == expected
        push(root, before + 2)
        assert check_feed(root, before + 2) == before + 2
        shutil.rmtree(root)
    assert seen == {before, before + 1}
    assert step > (40 if before % 2 else 10)


def test_a_kill_at_any_step_of_a_recovery_does_no_harm(tmp_path: Path) -> None:
    """The start is the worst case: recorded, with the memory of before still there."""
    start = pushed(tmp_path / "start", 3)
    worst, step = tmp_path / "worst", 0
    while not (worst / "ledger" / "feed" / "0004.encrypted").exists() or worst_is_undecided(worst):
        step += 1
        shutil.rmtree(worst, ignore_errors=True)
        shutil.copytree(start, worst)
        assert killed_at(step, push, worst, 4)
    left = sorted(path.name for path in (worst / "ledger" / "feed").iterdir())
    assert left == ["0003.encrypted", "0004.encrypted"]
    (worst / "ledger" / "feed" / ".0005.parquet.new").touch(0o600)
    step, killed = 0, True
    while killed:
        step += 1
        root = tmp_path / "run"
        shutil.copytree(worst, root)
        killed = killed_at(step, recover, root)
        assert check_feed(root, 4) == 4
        shutil.rmtree(root)
    assert step > 12


def worst_is_undecided(root: Path) -> bool:
    return len(Ledger.open(root / "ledger").entries()) < 2


@pytest.mark.parametrize(
    ("version", "pushes"), [(1, 0), pytest.param(3, 3, marks=pytest.mark.campaign)]
)
def test_a_kill_at_any_step_of_a_migration_does_no_harm(
    tmp_path: Path, version: int, pushes: int
) -> None:
    """While it is encrypted, an old ledger is one of before or one of now."""
    start = tmp_path / "start"
    publish(start, 1) if version == 1 else pushed(start, pushes)
    make_older(start, version)
    step, killed = 0, True
    while killed:
        step += 1
        root = tmp_path / "run"
        shutil.copytree(start, root)
        killed = killed_at(step, opened, root)
        assert check_whole(root, 1) == 1
        if pushes:
            assert check_feed(root, pushes) == pushes
        else:
            assert Ledger.open(root / "ledger").feed() is None
        shutil.rmtree(root)
    assert step > 20
