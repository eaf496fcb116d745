"""The folders that a ledger looks into: those with its releases, and no others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import AlreadyPublished, GuaranteeError, LedgerError
from anachron.ledger import Ledger, catalog
from tests.crash import small

SCHEMA = an.Schema("who", "day")


def people(*names: str) -> pa.Table:
    return pa.table({"who": [*names], "day": ["2024-05-06"] * len(names)})


def publish(table: pa.Table, ledger: str, to: str) -> an.Release:
    return an.publish(table, SCHEMA, an.TimeGranularity(k=2), ledger=ledger, to=to)


def content(folder: str) -> dict[str, bytes]:
    return small.contents(Path(folder))


def test_a_refused_publication_leaves_the_ledger_as_it_was() -> None:
    publish(people("a", "b"), "ours", "ours-releases")
    publish(people("x", "y", "z"), "theirs", "theirs-releases")
    before = content("ours")
    # The folder belongs to others; the promise cannot be kept; a name was mistyped.
    with pytest.raises(LedgerError, match="not the one that this ledger published"):
        publish(people("c", "d"), "ours", "theirs-releases")
    with pytest.raises(GuaranteeError):
        publish(people("c"), "ours", "elsewhere")
    with pytest.raises(AlreadyPublished):
        publish(people("a", "b", "c"), "ours", "elsewhere")
    assert content("ours") == before
    assert not Path("elsewhere").exists()


def test_a_refused_publication_does_not_lock_the_ledger_up() -> None:
    publish(people("a", "b"), "ours", "ours-releases")
    publish(people("x", "y"), "theirs", "theirs-releases")
    publish(people("v", "w"), "theirs", "theirs-releases")
    with pytest.raises(LedgerError):
        publish(people("c", "d"), "ours", "theirs-releases")
    # And a place where nothing was published after all may be used by others later.
    with pytest.raises(GuaranteeError):
        publish(people("c"), "ours", "shared")
    for pair in ("pq", "rs", "tu"):
        publish(people(*pair), "theirs", "shared")
    assert publish(people("c", "d"), "ours", "ours-releases").number == 2
    ledger = Ledger.open("ours")
    assert (ledger.check(), ledger.recover()) == ([], [])


def test_what_failed_after_it_was_staged_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    publish(people("a", "b"), "ours", "ours-releases")

    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("anachron.making.conduct.verify", fail)
        with pytest.raises(KeyboardInterrupt):
            publish(people("c", "d"), "ours", "shared")
    assert not [*Path("shared").iterdir()]
    for pair in ("pq", "rs", "tu"):
        publish(people(*pair), "theirs", "shared")
    ledger = Ledger.open("ours")
    assert (ledger.check(), ledger.recover()) == ([], [])


def test_a_crash_in_a_new_place_is_cleared_and_the_place_forgotten(tmp_path: Path) -> None:
    from tests.crash.doom import killed_at

    step = 1
    while not [*tmp_path.glob("releases/.anachron-*")]:
        shutil.rmtree(tmp_path / "releases", ignore_errors=True)
        shutil.rmtree(tmp_path / "ledger", ignore_errors=True)
        assert killed_at(step, small.publish, tmp_path, 1)
        step += 1
    ledger = Ledger.open(tmp_path / "ledger")
    assert "unfinished release" in ledger.recover()[0]
    for pair in ("pq", "rs", "tu"):
        publish(people(*pair), "theirs", str(tmp_path / "releases"))
    assert (ledger.check(), ledger.recover()) == ([], [])


def test_a_ledger_older_than_its_releases_is_noticed_before_anything_is_staged() -> None:
    Ledger.open("ours")
    shutil.copytree("ours", "backup")
    publish(people("a", "b"), "ours", "releases")
    shutil.rmtree("ours")
    shutil.copytree("backup", "ours")
    with pytest.raises(LedgerError, match="older than the releases"):
        publish(people("c", "d"), "ours", "releases")


def _apart(command: str) -> None:
    """In a process of its own, for it may have to be ended."""
    code = f"from tests.ledger.test_places import *; {command}"
    here = Path(__file__).parents[2]
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(here), *sys.path])}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, env=settings)


def test_releases_move_to_another_disk_behind_a_link() -> None:
    publish(people("a", "b"), "ledger", "releases")
    shutil.move("releases", "larger")
    Path("releases").symlink_to("larger")
    _apart("publish(people('c', 'd'), 'ledger', 'releases')")
    ledger = Ledger.open("ledger")
    assert (ledger.check(), ledger.recover()) == ([], [])
    assert [entry.number for entry in ledger.entries()] == [1, 2]
    assert sorted(path.name for path in Path("larger").iterdir()) == ["0001", "0002"]


def test_a_ledger_moves_beside_a_folder_in_which_nothing_was_published() -> None:
    publish(people("a", "b"), "here/ledger", "here/releases")
    # As after a kill: a place is remembered, and nothing is there.
    with catalog.opened(Path("here/ledger/catalog.sqlite").absolute(), _key()) as found:
        found.begin()
        found.remember_place(Path("there/others").absolute())
        found.commit()
    Path("there").mkdir()
    shutil.move("here/ledger", "there/ledger")
    _apart("Ledger.open('there/ledger').recover()")
    assert Ledger.open("there/ledger").recover() == []


def _key() -> bytes:
    return Path("here/ledger/key").read_bytes()
