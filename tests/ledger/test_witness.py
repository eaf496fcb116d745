"""A witness outside the ledger: an older copy of the ledger does not go on."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from anachron.cli.main import anachron
from anachron.errors import LedgerError
from anachron.ledger import Ledger
from anachron.ledger.witness import ENVIRONMENT
from tests.crash.small import publish, push


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "elsewhere" / "witnesses"
    monkeypatch.setenv(ENVIRONMENT, str(found))
    return found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    found = tmp_path / "root"
    found.mkdir()
    return found


def restore(root: Path, backup: Path) -> None:
    """Move the releases away, to hand them out, and put an older copy of the ledger back."""
    shutil.rmtree(root / "releases", ignore_errors=True)
    shutil.rmtree(root / "ledger")
    shutil.copytree(backup, root / "ledger")


def test_an_older_copy_is_refused_although_the_releases_are_gone(root: Path, place: Path) -> None:
    publish(root, 1)
    shutil.copytree(root / "ledger", root / "backup")
    publish(root, 2)
    restore(root, root / "backup")
    with pytest.raises(LedgerError, match="restored from an older copy"):
        publish(root, 3)
    assert not (root / "releases" / "0002").exists()
    [said] = Ledger.open(root / "ledger").check()
    assert "its witness" in said


def test_without_a_witness_that_would_be_a_second_0002(root: Path) -> None:
    publish(root, 1)
    shutil.copytree(root / "ledger", root / "backup")
    publish(root, 2)
    restore(root, root / "backup")
    assert publish(root, 3).name == "0002"


def test_an_older_feed_is_refused(root: Path, place: Path) -> None:
    Ledger.open(root / "ledger")
    push(root, 1)
    shutil.copytree(root / "ledger", root / "backup")
    push(root, 2)
    push(root, 3)
    restore(root, root / "backup")
    with pytest.raises(LedgerError, match="has seen 1 and 3"):
        push(root, 2)


def test_another_history_of_the_same_length_is_refused(
    root: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(root, 1)
    shutil.copytree(root / "ledger", root / "backup")
    publish(root, 2)
    restore(root, root / "backup")
    monkeypatch.delenv(ENVIRONMENT)
    publish(root, 3)
    monkeypatch.setenv(ENVIRONMENT, str(place))
    with pytest.raises(LedgerError, match="or others"):
        publish(root, 4)


def test_the_newest_copy_goes_on_and_the_witness_is_private(root: Path, place: Path) -> None:
    for number in (1, 2):
        publish(root, number)
    shutil.copytree(root / "ledger", root / "backup")
    restore(root, root / "backup")
    assert publish(root, 3).name == "0003"
    [file] = place.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert json.loads(file.read_text())["releases"] == 3


@pytest.mark.parametrize("content", ['{"releases": 1}', "[]", "", '{"seal": 1}', None])
def test_an_altered_witness_is_refused(root: Path, place: Path, content: str | None) -> None:
    publish(root, 1)
    [file] = place.iterdir()
    known = json.loads(file.read_text())
    file.write_text(json.dumps({**known, "releases": 0}) if content is None else content)
    with pytest.raises(LedgerError, match=r"witness .* was altered"):
        publish(root, 2)


def test_a_crash_before_the_witness_has_seen_a_release_does_no_harm(
    root: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(root, 1)
    with monkeypatch.context() as failing:
        failing.setattr("anachron.ledger.witness.move", _full)
        with pytest.raises(LedgerError, match=r"is recorded. .* No space left .* Free some"):
            publish(root, 2)
    assert not (root / "releases" / "0002").exists()
    assert publish(root, 2).name == "0002"
    [file] = place.iterdir()
    assert json.loads(file.read_text())["releases"] == 2


def _full(_source: Path, _target: Path) -> None:
    raise OSError(28, "No space left on device")


def test_the_command_begins_one_and_says_what_it_has_seen(root: Path, tmp_path: Path) -> None:
    publish(root, 1)
    ledger, place = str(root / "ledger"), str(tmp_path / "w")
    said = CliRunner().invoke(anachron, ["ledger", "witness", ledger])
    assert "has no witness" in said.output
    said = CliRunner().invoke(anachron, ["ledger", "witness", ledger, "--at", place])
    assert "has seen 1 releases" in said.output
    assert "set ANACHRON_WITNESS to" in said.output
    answer = CliRunner(env={ENVIRONMENT: place}).invoke(
        anachron, ["ledger", "witness", ledger, "--json"]
    )
    assert json.loads(answer.output)["witness"]["releases"] == 1
    inside = str(root / "ledger" / "w")
    said = CliRunner().invoke(anachron, ["ledger", "witness", ledger, "--at", inside])
    assert said.exit_code == 1
    assert "is in the ledger" in said.output
