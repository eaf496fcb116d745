"""Kill the publisher at every step in turn: each release is whole or absent, none is lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from anachron.ledger import Ledger
from tests.crash.doom import killed_at
from tests.crash.small import check_whole, contents, publish
from tests.daily import daily


def recover(root: Path) -> None:
    Ledger.open(root / "ledger").recover()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What three publications leave when nothing goes wrong."""
    root = tmp_path_factory.mktemp("whole")
    for number in (1, 2, 3):
        publish(root, number)
    return contents(root / "releases")


@pytest.mark.parametrize(("before", "every"), daily([(0, 1), (2, 1), (2, 3)], (2, 3)))
def test_a_kill_at_any_step_of_a_publication_leaves_all_or_nothing(
    tmp_path: Path, whole: dict[str, bytes], before: int, every: int
) -> None:
    start = tmp_path / "start"
    start.mkdir()
    for number in range(1, before + 1):
        publish(start, number)
    step, seen = 1 - every, set()
    killed = True
    while killed:
        step += every
        root = tmp_path / "run"
        shutil.copytree(start, root)
        killed = killed_at(step, publish, root, before + 1)
        count = check_whole(root, before if killed else before + 1)
        seen.add(count)
        # The retry gives the release that an undisturbed run would have given.
        assert publish(root, before + 1).name == f"{before + 1:04d}"
        assert check_whole(root, before + 1) == before + 1
        expected = {name: data for name, data in whole.items() if int(name[:4]) <= before + 1}
        assert contents(root / "releases") == expected
        shutil.rmtree(root)
    assert step > 40
    assert seen == {before, before + 1}


def test_a_kill_at_any_step_of_a_recovery_does_no_harm(tmp_path: Path) -> None:
    """The start is the worst case: recorded but not exposed, with leftovers beside it."""
    start = tmp_path / "start"
    start.mkdir()
    publish(start, 1)
    step, pending = 1, False
    while not pending:
        shutil.rmtree(tmp_path / "worst", ignore_errors=True)
        shutil.copytree(start, tmp_path / "worst")
        assert killed_at(step, publish, tmp_path / "worst", 2)
        entries = Ledger.open(tmp_path / "worst" / "ledger").entries()
        pending = not entries[-1].exposed
        step += 1
    ledger = Ledger.open(tmp_path / "worst" / "ledger")
    (tmp_path / "worst" / "releases" / f".anachron-{ledger.id}-0003").mkdir()
    (ledger.path / "state" / ".0003.encrypted.new").touch(0o600)
    (tmp_path / "worst" / ".ledger.new-0123").mkdir()
    step, killed = 0, True
    while killed:
        step += 1
        root = tmp_path / "run"
        shutil.copytree(tmp_path / "worst", root)
        killed = killed_at(step, recover, root)
        assert check_whole(root, 2) == 2
        shutil.rmtree(root)
    assert step > 8


def test_a_folder_of_someone_else_is_left_alone(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    theirs = tmp_path / "releases" / ".anachron-0123456789abcdef-0002"
    theirs.mkdir()
    assert Ledger.open(tmp_path / "ledger").recover() == []
    assert theirs.exists()
