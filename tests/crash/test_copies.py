"""A kill while CSV files are written beside a release: they are all there, or none is."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from anachron.errors import LedgerError
from anachron.ledger import Ledger
from tests.crash.doom import killed_at
from tests.crash.small import add_commas, check_whole, contents, publish
from tests.daily import daily


@pytest.mark.parametrize("every", daily([1, 3], 3))
def test_a_kill_at_any_step_leaves_all_files_or_none(tmp_path: Path, every: int) -> None:
    start = tmp_path / "start"
    for number in (1, 2, 3):
        publish(start, number, csv=False)
    whole = tmp_path / "whole"
    shutil.copytree(start, whole)
    add_commas(whole, 2)
    step, killed, added = 1 - every, True, 0
    while killed:
        step += every
        root = tmp_path / "run"
        shutil.copytree(start, root)
        killed = killed_at(step, add_commas, root, 2)
        assert check_whole(root, 3) == 3
        found = contents(root / "releases")
        assert found in (contents(start / "releases"), contents(whole / "releases"))
        added += found == contents(whole / "releases")
        add_commas(root, 2)
        assert contents(root / "releases") == contents(whole / "releases")
        publish(root, 4)
        assert check_whole(root, 4) == 4
        shutil.rmtree(root)
    assert step > 20
    assert 5 < added * every < step


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE copies SET files = '{}'",
        "UPDATE copies SET releases = 1",
        "UPDATE copies SET number = 1",
        "UPDATE copies SET exposed = 'x'",
        "INSERT INTO copies SELECT 9, files, releases, written_at, seal, exposed FROM copies",
    ],
)
def test_an_edited_note_of_files_is_refused(tmp_path: Path, statement: str) -> None:
    publish(tmp_path, 1, csv=False)
    publish(tmp_path, 2, csv=False)
    add_commas(tmp_path, 2)
    edit = sqlite3.connect(tmp_path / "ledger" / "catalog.sqlite")
    with edit:
        edit.execute(statement)
    edit.close()
    with pytest.raises(LedgerError):
        Ledger.open(tmp_path / "ledger")


def test_a_note_that_is_lost_is_noticed(tmp_path: Path) -> None:
    publish(tmp_path, 1, csv=False)
    publish(tmp_path, 2, csv=False)
    add_commas(tmp_path, 1)
    edit = sqlite3.connect(tmp_path / "ledger" / "catalog.sqlite")
    with edit:
        edit.execute("DELETE FROM copies")
    edit.close()
    assert Ledger.open(tmp_path / "ledger").check() != []
