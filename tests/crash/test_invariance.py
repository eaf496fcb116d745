"""Kill the second release of a register on its way: it is whole or absent, nobody forgotten."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import anachron as an
from tests.crash.doom import killed_at
from tests.daily import daily
from tests.flow.registers import promise, released, three_quarters
from tests.flow.tables import contents, states

QUARTERS = three_quarters()


def publish(root: Path, quarter: int) -> None:
    released(QUARTERS[quarter], root, promise(mode="sticky"), as_of=f"quarter {quarter}")


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A history with one release."""
    publish(tmp_path / "begun", 0)
    return tmp_path / "begun"


def moved(source: Path, root: Path) -> Path:
    """A copy of a history, in the place where the ledger knows its releases to be."""
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(source, root)
    return root


class Outcomes:
    """What a recovery has left so far: a retry takes long, so each kind is retried once."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def is_new(self, root: Path) -> bool:
        ledger = root / "ledger"
        entries = [(entry.number, entry.snapshot) for entry in an.Ledger.open(ledger).entries()]
        files = sorted(file.name for file in (ledger / "state").iterdir())
        outcome = entries, contents(root / "releases"), states(root), files
        if outcome in self.seen:
            return False
        self.seen.append(outcome)
        return True


@pytest.mark.parametrize("every", daily([1, 3], 3))
def test_a_kill_at_any_step_leaves_the_release_whole_or_absent(
    tmp_path: Path, begun: Path, every: int
) -> None:
    moved(begun, tmp_path / "start")
    publish(begun, 1)
    whole = contents(begun / "releases")
    remembered = states(begun)
    publish(begun, 2)
    third = contents(begun / "releases")
    step, outcomes = 1 - every, Outcomes()
    while killed_at(step := step + every, publish, moved(tmp_path / "start", begun), 1):
        ledger = an.Ledger.open(begun / "ledger")
        ledger.recover()
        assert ledger.check() == []
        found = contents(begun / "releases")
        assert found == whole or len(ledger.entries()) == 1
        if outcomes.is_new(begun):
            # The retry gives what an undisturbed owner would have: the lots are drawn by the key.
            publish(begun, 1)
            assert contents(begun / "releases") == whole
            assert states(begun) == remembered
    assert len(outcomes.seen) == 2
    assert step > 30
    publish(begun, 2)
    assert contents(begun / "releases") == third


@pytest.mark.campaign
def test_a_kill_while_a_lost_release_is_made_again_does_no_harm(
    tmp_path: Path, begun: Path
) -> None:
    publish(begun, 1)
    whole = contents(begun / "releases")
    shutil.rmtree(begun / "releases" / "0002")
    moved(begun, tmp_path / "start")
    step, outcomes = 0, Outcomes()
    while killed_at(step := step + 1, publish, moved(tmp_path / "start", begun), 1):
        ledger = an.Ledger.open(begun / "ledger")
        ledger.recover()
        assert len(ledger.entries()) == 2
        if outcomes.is_new(begun):
            publish(begun, 1)
            assert contents(begun / "releases") == whole
            assert ledger.check() == []
    assert len(outcomes.seen) == 2
    assert step > 10
