"""What does not fit into memory lies in a private folder, and is gone when the work is."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pyarrow as pa
import pytest

import anachron as an
from anachron import scratch
from anachron.database import connected
from anachron.engines.local.load import load
from anachron.errors import PlanError
from anachron.ledger import Ledger
from anachron.schema import Schema
from tests.environs.spilling import prepare, publishing, spilled, wait_until


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "aside"
    found.mkdir()
    monkeypatch.setenv(scratch.PLACE, str(found))
    return found


def left(place: Path) -> list[str]:
    return sorted(str(path.relative_to(place)) for path in place.rglob("*"))


def test_it_is_private_and_gone_in_the_end(place: Path) -> None:
    with scratch.folder() as one, scratch.folder() as two:
        assert one != two
        for folder in (one, one.parent):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert folder.is_relative_to(place)
    assert left(place) == []


def test_every_connection_spills_there(place: Path) -> None:
    with connected() as con:
        spill = Path(con.execute("SELECT current_setting('temp_directory')").fetchall()[0][0])
        assert spill.is_relative_to(place)
        assert spill.is_dir()
    assert left(place) == []


def test_a_table_that_nobody_closes_leaves_nothing(place: Path) -> None:
    loaded = load(pa.table({"who": ["a"], "day": ["2024-01-01"]}), Schema("who", "day"))
    assert left(place)
    del loaded
    assert left(place) == []


def test_what_a_killed_process_left_is_removed_by_the_next_and_nothing_else(place: Path) -> None:
    with scratch.folder() as at_work:
        dead = at_work.parent / "dead"
        dead.mkdir()
        (dead / "lock").touch()
        (dead / "duckdb_temp_storage.tmp").write_text("confided to the doctor")
        with scratch.folder():
            assert not dead.exists()
            assert at_work.is_dir()
        dead.mkdir()
        assert scratch.sweep() == [dead]
        assert scratch.sweep() == []
        assert at_work.is_dir()
    assert left(place) == []


def test_killed_while_rows_are_spilled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path)
    process = publishing(tmp_path)
    wait_until(lambda: spilled(tmp_path), process)
    process.kill()
    process.communicate()
    assert spilled(tmp_path)
    monkeypatch.setenv(scratch.PLACE, str(tmp_path / "aside"))
    *_, said = Ledger.open(tmp_path / "ledger").recover()
    assert "a process that was killed" in said
    assert left(tmp_path / "aside") == []


def test_a_place_that_cannot_be_used_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(scratch.PLACE, str(tmp_path / "none"))
    table = pa.table({"who": ["a", "b"], "day": ["2024-01-01"] * 2})
    with pytest.raises(PlanError, match=f"none: .* cannot be put aside .* Set {scratch.PLACE}"):
        an.publish(table, Schema("who", "day"), an.TimeGranularity(k=2))
    assert not Path("ledger").exists()


def test_a_folder_that_others_can_enter_is_refused(place: Path) -> None:
    root = place / f"anachron-{os.getuid()}"
    root.mkdir(0o755)
    with pytest.raises(PlanError, match="entered by others"), scratch.folder():
        pass
    root.rmdir()
    root.symlink_to(place)
    with pytest.raises(PlanError), scratch.folder():
        pass


@pytest.fixture
def undeclared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No place is declared, and the system's temporary folder is watched."""
    monkeypatch.delenv(scratch.PLACE, raising=False)
    system = tmp_path / "system"
    system.mkdir()
    for variable in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(variable, str(system))
    return system


def spill_of(ledger: Path | None) -> str:
    with scratch.near(ledger), connected() as con:
        return str(con.execute("SELECT current_setting('temp_directory')").fetchall()[0][0])


def test_rows_are_put_aside_in_the_ledger_or_beside_one_that_is_to_be(
    undeclared: Path, tmp_path: Path
) -> None:
    ledger = tmp_path / "new" / "ledger"
    assert Path(spill_of(ledger)).parent == tmp_path / "new" / ".ledger.aside"
    assert not (tmp_path / "new").exists()
    Ledger.open(ledger)
    assert Path(spill_of(ledger)).parent == ledger / "aside"
    assert not (ledger / "aside").exists()
    assert left(undeclared) == []


def fill(memory: str, disk: str = "1GB") -> None:
    """Make a table that does not fit into so little memory."""
    with connected(memory) as con:
        con.execute(f"SET max_temp_directory_size = '{disk}'")
        con.execute("CREATE TABLE t AS SELECT hash(range)::VARCHAR FROM range(2_000_000)")


def test_without_a_ledger_nothing_is_put_aside(undeclared: Path) -> None:
    assert spill_of(None) == ""
    with (
        pytest.raises(PlanError, match=f"put aside: there is no ledger.*Set {scratch.PLACE}"),
        scratch.folder(),
    ):
        pass
    with pytest.raises(PlanError, match=f"more memory.* put aside: .* set {scratch.PLACE}"):
        fill("20MB")
    assert left(undeclared) == []


def test_what_was_left_beside_a_new_ledger_is_removed_once_there_is_one(
    undeclared: Path, tmp_path: Path
) -> None:
    ledger = Ledger.open(tmp_path / "ledger")
    for root in (tmp_path / ".ledger.aside", ledger.path / "aside"):
        (root / "dead").mkdir(parents=True)
        root.chmod(0o700)
        (root / "dead" / "duckdb_temp_storage.tmp").write_text("confided to the doctor")
    assert len(ledger.recover()) == 2
    assert ledger.recover() == []
    (tmp_path / ".ledger.aside" / "dead").mkdir(parents=True)
    (tmp_path / ".ledger.aside").chmod(0o700)
    spill_of(ledger.path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger", "system"]
    assert not (ledger.path / "aside").exists()
    assert left(undeclared) == []


def test_a_full_disk_for_what_is_put_aside_is_said_as_such(place: Path) -> None:
    with pytest.raises(PlanError, match=f"disk is full where rows .* {scratch.PLACE}"):
        fill("20MB", disk="1MB")
    assert left(place) == []


def test_spilling_can_be_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(scratch.HOW, "never")
    assert spill_of(None) == ""
    with pytest.raises(PlanError, match="ANACHRON_SPILL is never"), scratch.folder():
        pass
    monkeypatch.setenv(scratch.HOW, "perhaps")
    with pytest.raises(PlanError, match="none of plain, encrypted, never"), connected():
        pass


def encrypting() -> str:
    """What DuckDB says of its encryption, or what we say if it cannot be had."""
    try:
        with connected() as con:
            setting = con.execute("SELECT current_setting('temp_file_encryption')").fetchall()
    except PlanError as error:
        return str(error)
    return str(setting[0][0])


def test_encryption_that_cannot_be_had_is_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(scratch.HOW, "encrypted")
    said = encrypting()
    assert said == "True" or "needs its extension httpfs" in said
    with pytest.raises(PlanError, match="ANACHRON_SPILL is encrypted"), scratch.folder():
        pass
    assert left(place) == []


def test_what_duckdb_encrypts_aside_shows_nothing(place: Path) -> None:
    """With random numbers that are not good enough for people's data, but are for this."""
    with connected("20MB") as con:
        con.execute("SET force_mbedtls_unsafe = true; SET temp_file_encryption = true")
        con.execute("CREATE TABLE t AS SELECT 'confided ' || hash(range) AS a FROM range(600_000)")
        aside = b"".join(file.read_bytes() for file in place.rglob("duckdb_temp*"))
    assert len(aside) > 100_000
    assert b"confided" not in aside
