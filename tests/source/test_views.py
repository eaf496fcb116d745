"""Views that do not end, and places that are no files, are refused by both readers."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date
from pathlib import Path

import duckdb
import pandas as pd
import pyreadstat
import pytest

import anachron as an
from anachron.behind import read
from anachron.engines.local.load import load
from anachron.errors import TableError

SCHEMA = an.Schema("who", "day", [], ["note"])
READERS: tuple[Callable[[object, an.Schema], object], ...] = (load, read)
ROWS = "SELECT 'p' || range AS who, DATE '2024-05-01' AS day, {note} AS note FROM range({many})"


def stored(folder: Path, note: str, many: int) -> str:
    with duckdb.connect(str(folder / "d.db")) as db:
        db.execute(f"CREATE VIEW v AS {ROWS.format(note=note, many=many)}")
        db.execute(f"CREATE TABLE t AS {ROWS.format(note=note, many=min(many, 9))}")
    return f"duckdb:{folder / 'd.db'}#"


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("note", "many"), [("'n'", 10**12), ("repeat('n', 99999)", 10**6)])
def test_a_view_that_gives_too_much_is_left_at_once(
    tmp_path: Path, reader: Callable[..., object], note: str, many: int
) -> None:
    place = stored(tmp_path, note, many)
    with pytest.raises(TableError, match=r"d\.db#v: (gives|would become) .*more"):
        reader(f"{place}v", SCHEMA)
    assert reader(f"{place}t", SCHEMA).rows == 9  # type: ignore[attr-defined]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("many", [9, 300_000])
def test_a_view_that_ends_is_read(tmp_path: Path, reader: Callable[..., object], many: int) -> None:
    place = stored(tmp_path, "'n' || range % 3", many)
    assert reader(f"{place}v", SCHEMA).rows == many  # type: ignore[attr-defined]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_a_pipe_is_not_waited_for(
    tmp_path: Path, reader: Callable[..., object], scheme: str
) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    with pytest.raises(TableError, match=r"pipe\.db: is not (a file|there)"):
        reader(f"{scheme}:{tmp_path / 'pipe.db'}#t", SCHEMA)


@pytest.mark.parametrize("reader", READERS)
def test_days_of_old_in_files_of_spss_are_said_to_be_so(
    tmp_path: Path, reader: Callable[..., object]
) -> None:
    rows = {"who": ["a", "b"], "day": [date(2024, 1, 1), date(1583, 1, 1)], "note": ["x", "y"]}
    pyreadstat.write_sav(pd.DataFrame(rows), str(tmp_path / "t.sav"))
    with pytest.raises(TableError, match="column 'day', row 2: lies outside the years"):
        reader(tmp_path / "t.sav", SCHEMA)


def test_whatever_breaks_a_library_is_a_damaged_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.zsav").write_bytes(b"$FL3")

    def broken(*_: object, **__: object) -> None:
        raise IndexError("list assignment index out of range")

    monkeypatch.setattr(pyreadstat, "read_sav", broken)
    with pytest.raises(TableError, match=r"t\.zsav: cannot be read: it is damaged"):
        load(tmp_path / "t.zsav", SCHEMA)
