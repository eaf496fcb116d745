from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest

from anachron.errors import InternalError, LedgerError
from anachron.ledger import Ledger, encryption
from anachron.ledger.entry import seal
from anachron.release import Release
from anachron.streamed import Streamed
from tests.crash.older import make_older
from tests.crash.small import FACTS, check_whole, contents, publish, release, rows, subjects, wanted


def edit(root: Path, script: str) -> None:
    connection = sqlite3.connect(root / "ledger" / "catalog.sqlite")
    connection.executescript(script)
    connection.close()


def reading(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files of the ledger that are read from now on."""
    names: list[str] = []

    def read(path: Path, digest: str, key: bytes) -> Streamed:
        names.append(path.name)
        return real(path, digest, key)

    real = encryption.read
    monkeypatch.setattr(encryption, "read", read)
    return names


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def test_a_new_ledger_belongs_to_its_owner_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        publish(tmp_path, 1)
        with Ledger.open(tmp_path / "ledger").publishing(tmp_path / "releases"):
            found = modes(tmp_path / "ledger")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "ledger").stat().st_mode) == 0o700
    assert found.pop("state") == 0o700
    assert set(found) >= {"catalog.sqlite", "key", "catalog.sqlite-wal"}
    assert set(found.values()) == {0o600}
    assert set(modes(tmp_path / "ledger" / "state").values()) == {0o600}


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    before = contents(tmp_path)
    ledger = Ledger.open(tmp_path / "ledger")
    ledger.entries()
    assert Ledger.open(tmp_path / "ledger", create=False).id == ledger.id
    assert ledger.recover() == []
    assert ledger.check() == []
    assert contents(tmp_path) == before
    assert repr(ledger) == f"Ledger({str(tmp_path / 'ledger')!r})"
    assert ledger.key == (tmp_path / "ledger" / "key").read_bytes()


def test_an_empty_folder_becomes_a_ledger(tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir(mode=0o755)
    Ledger.open(tmp_path / "ledger")
    assert stat.S_IMODE((tmp_path / "ledger").stat().st_mode) == 0o700


def test_without_leave_to_create_a_missing_ledger_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no ledger at"):
        Ledger.open(tmp_path / "ledger", create=False)
    assert not (tmp_path / "ledger").exists()


def test_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(LedgerError, match="is not a ledger"):
        Ledger.open(tmp_path)
    with pytest.raises(LedgerError, match="is not a ledger"):
        Ledger.open(tmp_path / "notes.txt")
    assert contents(tmp_path) == {"notes.txt": b"mine"}


@pytest.mark.parametrize("part", ["", "key", "catalog.sqlite", "state", "state/0001.encrypted"])
@pytest.mark.parametrize("mode", [0o040, 0o004])
def test_a_ledger_that_others_can_read_is_refused(tmp_path: Path, part: str, mode: int) -> None:
    publish(tmp_path, 1)
    target = tmp_path / "ledger" / part
    target.chmod(target.stat().st_mode | mode)
    with pytest.raises(LedgerError, match="chmod -R go-rwx"):
        Ledger.open(tmp_path / "ledger")


def test_a_ledger_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Ledger.open(tmp_path / "ledger")
    someone = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: someone)
    with pytest.raises(LedgerError, match="belongs to another user"):
        Ledger.open(tmp_path / "ledger")


def test_a_link_in_a_ledger_is_refused(tmp_path: Path) -> None:
    Ledger.open(tmp_path / "ledger")
    (tmp_path / "ledger" / "key").rename(tmp_path / "key")
    (tmp_path / "ledger" / "key").symlink_to(tmp_path / "key")
    with pytest.raises(LedgerError, match="not a plain file"):
        Ledger.open(tmp_path / "ledger")


def test_leaving_without_commit_leaves_no_trace(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    before = contents(tmp_path)
    ledger = Ledger.open(tmp_path / "ledger")
    with suppress(KeyboardInterrupt), ledger.publishing(tmp_path / "releases") as publication:
        (publication.stage() / "data.parquet").write_bytes(b"half")
        raise KeyboardInterrupt
    assert contents(tmp_path) == before


def test_nothing_is_made_before_there_is_something_to_write(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "ledger").publishing(tmp_path / "deep" / "releases"):
        pass
    assert not (tmp_path / "deep").exists()


def test_entries_tell_what_was_published(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    path = publish(tmp_path, 2)
    first, second = Ledger.open(tmp_path / "ledger").entries()
    assert (second.number, second.path, second.exposed) == (2, path, True)
    assert second.plan == {"n": 2}
    assert second.explanation == {"why": "a test"}
    assert second.package == second.files["datapackage.json"]
    assert second.committed_at.endswith("+00:00")
    assert Release(path).description["anachron"]["previous"] == first.package
    assert Ledger.open(tmp_path / "ledger").find("snapshot 9") is None


def test_ledger_and_releases_can_be_moved_together(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    publish(tmp_path / "old", 1)
    (tmp_path / "old").rename(tmp_path / "new")
    assert check_whole(tmp_path / "new", 1) == 1
    publish(tmp_path / "new", 2)
    assert check_whole(tmp_path / "new", 2) == 2


def test_files_that_were_not_staged_are_not_recorded(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger")
    for files in ({"data.parquet": "0" * 64}, {"data.parquet": "0" * 64, "more.parquet": ""}):
        with ledger.publishing(tmp_path / "releases") as publication:
            (publication.stage() / "data.parquet").write_bytes(b"rows")
            with pytest.raises(InternalError):
                publication.commit(snapshot="s", plan={}, files=files, state=None, explanation={})
    assert ledger.entries() == []
    assert ledger.recover() == []


def test_overlapping_counts_people_at_the_same_time(tmp_path: Path) -> None:
    publish(tmp_path, 1)  # "person 1" and "everybody" in [1, 2)
    publish(tmp_path, 2)
    ledger = Ledger.open(tmp_path / "ledger")
    people = ledger.pseudonyms(pa.array(["person 1", "everybody", "a stranger"]))

    def found(first: int, until: int) -> dict[int, int]:
        with ledger.publishing(tmp_path / "releases") as publication:
            return publication.overlapping(wanted(people, first, until))

    assert found(0, 1) == {}
    assert found(1, 2) == {1: 2}
    assert found(0, 9) == {1: 2, 2: 1}
    assert found(2, 3) == {2: 1}
    assert found(3, 9) == {}
    with ledger.publishing(tmp_path / "releases") as publication:
        assert publication.pseudonyms(subjects(1)).equals(ledger.pseudonyms(subjects(1)))


def test_states_of_other_times_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were all read for each release, and publishing slowed down with every one."""
    for number in range(1, 9):
        publish(tmp_path, number)  # in [number, number + 1)
    ledger = Ledger.open(tmp_path / "ledger")
    people = ledger.pseudonyms(pa.array(["everybody"]))
    opened = reading(monkeypatch)
    with ledger.publishing(tmp_path / "releases") as publication:
        assert publication.overlapping(wanted(people, 9, 12)) == {}
        assert opened == []
        assert publication.overlapping(wanted(people, 3, 5)) == {3: 1, 4: 1}
        assert opened == ["0003.encrypted", "0004.encrypted"]


def test_an_old_ledger_learns_the_times_of_its_releases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 4):
        publish(tmp_path, number)
    make_older(tmp_path, 2)
    ledger = Ledger.open(tmp_path / "ledger")
    assert ledger.check() == []
    people = ledger.pseudonyms(pa.array(["everybody"]))
    with ledger.publishing(tmp_path / "releases") as publication:
        assert publication.overlapping(wanted(people, 4, 5)) == {}
        release(publication, 4)
    opened = reading(monkeypatch)
    with ledger.publishing(tmp_path / "releases") as publication:
        assert publication.overlapping(wanted(people, 5, 6)) == {}
    assert opened == []
    assert ledger.check() == []
    assert check_whole(tmp_path, 4) == 4


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE span SET until = 1 WHERE number = 2",
        "UPDATE span SET number = 3 WHERE number = 2",
        "UPDATE span SET first = 'x' WHERE number = 2",
        "UPDATE span SET seal = NULL WHERE number = 1",
    ],
)
def test_times_that_were_altered_are_refused(tmp_path: Path, statement: str) -> None:
    publish(tmp_path, 1)
    publish(tmp_path, 2)
    with suppress(sqlite3.IntegrityError):
        edit(tmp_path, statement)
        with pytest.raises(LedgerError, match="damaged"):
            Ledger.open(tmp_path / "ledger")


def test_times_that_do_not_fit_the_state_are_noticed(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    ledger = Ledger.open(tmp_path / "ledger")
    [entry] = ledger.entries()
    edit(
        tmp_path,
        f"UPDATE span SET until = 9, seal = '{seal(ledger.key, 'span', 1, entry.chain, 1, 9)}'",
    )
    [problem] = ledger.check()
    assert "noted of release 1" in problem


def test_a_lost_release_can_be_made_again_byte_for_byte(tmp_path: Path) -> None:
    from anachron.release.write import write

    publish(tmp_path, 1)
    publish(tmp_path, 2)
    before = contents(tmp_path / "releases")

    def remake(table: pa.Table) -> None:
        shutil.rmtree(tmp_path / "releases" / "0002", ignore_errors=True)
        with Ledger.open(tmp_path / "ledger").publishing(tmp_path / "elsewhere") as publication:
            lost = publication.find("snapshot 2")
            assert lost is not None
            publication.redo(lost)
            description = {"number": publication.number, "previous": publication.previous}
            batches = {"data": (table.schema, iter(table.to_batches()))}
            write(publication.stage(), batches, {**description, **FACTS}, True)
            publication.restore()

    remake(rows(2))
    assert contents(tmp_path / "releases") == before
    with pytest.raises(LedgerError, match="not the same byte for byte"):
        remake(rows(3))
    assert [path.name for path in (tmp_path / "releases").iterdir()] == ["0001"]
    remade = Ledger.open(tmp_path / "ledger")
    assert [entry.number for entry in remade.entries()] == [1, 2]
    assert remade.check() == [f"{tmp_path / 'releases' / '0002'} is missing."]


def test_restoring_needs_something_lost(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger")
    with (
        ledger.publishing(tmp_path / "releases") as publication,
        pytest.raises(InternalError),
    ):
        publication.restore()
