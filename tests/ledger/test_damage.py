"""Damage, loss and old backups are noticed, never used in silence."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from anachron.errors import LedgerError
from anachron.ledger import Ledger
from tests.crash.flips import TARGETS, flip_many
from tests.crash.small import check_whole, contents, publish, push


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for number in (1, 2, 3):
        publish(tmp_path, number)
    push(tmp_path, 1)
    return tmp_path


@pytest.mark.parametrize("target", TARGETS)
def test_a_flipped_bit_is_noticed_or_harmless(root: Path, target: str) -> None:
    noticed = flip_many(root, target, random.Random(2006), 180)
    assert noticed > 10
    if target != "catalog.sqlite":  # the catalog has room that nobody uses
        assert noticed == 180


def test_a_complaint_of_the_database_that_is_no_text_is_understood(root: Path) -> None:
    catalog = root / "ledger" / "catalog.sqlite"
    catalog.write_bytes(catalog.read_bytes().replace(b"CREATE TABLE", b"CREATE\xa0TABLE", 1))
    with pytest.raises(LedgerError, match="is damaged"):
        Ledger.open(root / "ledger")


def test_an_unfinished_ledger_that_cannot_be_removed_is_no_obstacle(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / ".ledger.new-0123").mkdir()
    real = shutil.rmtree

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(shutil, "rmtree", refuse)
    assert Ledger.open(root / "ledger").recover() == []
    monkeypatch.setattr(shutil, "rmtree", real)
    assert len(Ledger.open(root / "ledger").recover()) == 1


def test_a_truncated_catalog_is_noticed(root: Path) -> None:
    catalog = root / "ledger" / "catalog.sqlite"
    whole = catalog.read_bytes()
    for length in range(0, len(whole), 511):
        catalog.write_bytes(whole[:length])
        with pytest.raises(LedgerError, match=r"backup|not made by Anachron"):
            Ledger.open(root / "ledger").entries()


@pytest.mark.parametrize("target", ["catalog.sqlite", "key", "state", "state/0001.encrypted"])
def test_a_lost_file_is_noticed(root: Path, target: str) -> None:
    lost = root / "ledger" / target
    shutil.rmtree(lost) if lost.is_dir() else lost.unlink()
    if target == "state/0001.encrypted":
        (problem,) = Ledger.open(root / "ledger").check()
        assert "0001.encrypted is missing" in problem
    else:
        with pytest.raises(LedgerError):
            Ledger.open(root / "ledger")


def test_another_key_is_noticed(root: Path) -> None:
    (root / "ledger" / "key").write_bytes(bytes(32))
    with pytest.raises(LedgerError, match="is not the one this ledger was made with"):
        Ledger.open(root / "ledger")
    (root / "ledger" / "key").write_bytes(bytes(31))
    with pytest.raises(LedgerError, match="is damaged"):
        Ledger.open(root / "ledger")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE release SET snapshot = 'other' WHERE number = 2",
        "UPDATE release SET told = '' WHERE number = 3",
        "UPDATE release SET state = NULL WHERE number = 1",
        "UPDATE release SET exposed = 'yes' WHERE number = 1",
        "DELETE FROM release WHERE number = 3",
        "DELETE FROM release WHERE number = 1",
        "INSERT INTO release SELECT 4, 's', told, files, place, state,"
        " committed_at, chain, exposed FROM release WHERE number = 3",
        "UPDATE ledger SET releases = 2",
        "UPDATE ledger SET id = 'other'",
        "UPDATE ledger SET id = CAST(id AS BLOB)",
        "UPDATE ledger SET head = CAST(head AS BLOB)",
        "UPDATE place SET path = CAST(path AS BLOB)",
        "DELETE FROM ledger",
        "PRAGMA application_id = 1",
        "PRAGMA user_version = 99",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = 3",
    ],
)
def test_an_edited_catalog_is_refused(root: Path, statement: str) -> None:
    edit = sqlite3.connect(root / "ledger" / "catalog.sqlite")
    with edit:
        edit.execute(statement)
    edit.close()
    with pytest.raises(LedgerError):
        Ledger.open(root / "ledger")


def test_an_older_catalog_is_refused_beside_newer_releases(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    shutil.copytree(tmp_path / "ledger", tmp_path / "backup")
    publish(tmp_path, 2)
    shutil.rmtree(tmp_path / "ledger")
    (tmp_path / "backup").rename(tmp_path / "ledger")
    before = contents(tmp_path)
    for number in (2, 3):
        with pytest.raises(LedgerError, match="older than the releases"):
            publish(tmp_path, number)
    ledger = Ledger.open(tmp_path / "ledger")
    with pytest.raises(LedgerError, match="older than the releases"):
        ledger.recover()
    (problem,) = ledger.check()
    assert "older than the releases" in problem
    assert contents(tmp_path) == before


def test_releases_of_another_ledger_are_refused(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    other = Ledger.open(tmp_path / "other")
    with (
        pytest.raises(LedgerError, match="another ledger"),
        other.publishing(tmp_path / "releases"),
    ):
        pass


def test_a_fork_of_the_same_length_is_refused(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    shutil.copytree(tmp_path / "ledger", tmp_path / "copy" / "ledger")
    shutil.copytree(tmp_path / "releases", tmp_path / "copy" / "releases")
    publish(tmp_path, 2)
    publish(tmp_path / "copy", 3)
    shutil.rmtree(tmp_path / "ledger")
    (tmp_path / "copy" / "ledger").rename(tmp_path / "ledger")
    with pytest.raises(LedgerError, match="is not the one that this ledger published"):
        publish(tmp_path, 4)


def test_an_altered_release_is_noticed(root: Path) -> None:
    data = root / "releases" / "0001" / "data.csv"
    data.write_bytes(data.read_bytes().replace(b"q1", b"q9"))
    (root / "releases" / "0002" / "more.txt").touch()
    shutil.rmtree(root / "releases" / "0003")
    problems = Ledger.open(root / "ledger").check()
    assert [problem.split("releases/")[1] for problem in problems] == [
        "0001/data.csv is not as it was published.",
        "0002/more.txt does not belong to the release.",
        "0003 is missing.",
    ]


def test_what_stands_in_the_way_of_a_release_is_not_overwritten(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    (tmp_path / "releases" / "0002").mkdir()
    with pytest.raises(LedgerError, match="0002 is not in the ledger"):
        publish(tmp_path, 2)
    (tmp_path / "releases" / "0002").rmdir()
    publish(tmp_path, 2)
    assert check_whole(tmp_path, 2) == 2
