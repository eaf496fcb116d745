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
    assert left(tmp_path / "aside") == ["anachron-" + str(os.getuid())]


@pytest.mark.parametrize("variable", [scratch.PLACE, "TMPDIR"])
def test_a_place_that_cannot_be_used_is_refused(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(scratch.PLACE, raising=False)
    monkeypatch.setenv(variable, str(tmp_path / "none"))
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
