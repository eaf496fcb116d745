"""Tables that would become far more than they are: refused before they do, by both readers."""

from __future__ import annotations

import gzip
import sqlite3
import struct
from collections.abc import Callable
from contextlib import suppress
from itertools import repeat
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron import arrow_files
from anachron.arrow_files import declared
from anachron.behind import bounds as behind_bounds
from anachron.behind import decoding, read
from anachron.engines.local.load import load
from anachron.errors import TableError
from anachron.source import bounds
from tests.fire.good import ods, ods_xml

SCHEMA = an.Schema("who", "day", ["age"], ["note"])
READERS: tuple[Callable[[object, an.Schema], object], ...] = (load, read)


def refused(table: object, says: str) -> None:
    for reader in READERS:
        with pytest.raises(TableError, match=says):
            reader(table, SCHEMA)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bounds, for tables that are quickly made."""
    monkeypatch.setattr(bounds, "MOST_ROWS", 100_000)
    monkeypatch.setattr(bounds, "MOST_TEXT", 1 << 20)
    monkeypatch.setattr(behind_bounds, "_ROWS", 100_000)
    monkeypatch.setattr(behind_bounds, "_TEXT", 1 << 20)


def equal(rows: int, note: str = "x") -> pa.Table:
    zeros = np.zeros(rows, np.int8)
    return pa.table(
        {
            "who": pa.DictionaryArray.from_arrays(zeros, ["ann"]),
            "day": pa.array(zeros).cast(pa.int32()).cast(pa.date32()),
            "age": zeros,
            "note": pa.DictionaryArray.from_arrays(zeros, [note]),
        }
    )


@pytest.mark.usefixtures("small")
def test_equal_rows_that_take_no_bytes(tmp_path: Path) -> None:
    pq.write_table(equal(200_000), tmp_path / "t.parquet")
    refused(tmp_path / "t.parquet", r"declares 200,000 rows in|far more than a table of its size")
    pq.write_table(equal(90_000), tmp_path / "t.parquet")
    load(tmp_path / "t.parquet", SCHEMA)


@pytest.mark.usefixtures("small")
def test_one_text_that_is_used_in_every_row(tmp_path: Path) -> None:
    table = equal(5_000, "y" * 10_000)
    pq.write_table(table, tmp_path / "t.parquet")
    refused(tmp_path / "t.parquet", r"note.*texts would become 50,000,000|far more than a table")
    refused(table, r"note.*texts would become 50,000,000|far more than a table")


@pytest.mark.usefixtures("small")
def test_a_proposal_leaves_such_texts_at_home(tmp_path: Path) -> None:
    rows = 3_000
    table = equal(rows, "y" * 10_000).set_column(0, "who", pa.array([f"p{i}" for i in range(rows)]))
    pq.write_table(table, tmp_path / "t.parquet")
    roles = {role.column: role.reason for role in an.propose(tmp_path / "t.parquet").roles}
    assert roles["note"] == "it cannot be read as it is"


@pytest.mark.usefixtures("small")
def test_runs_that_say_they_are_rows() -> None:
    def run(value: object) -> pa.Array:
        return pa.RunEndEncodedArray.from_arrays(pa.array([10**9], pa.int64()), pa.array([value]))

    table = {"who": "ann", "day": "2024-05-06", "age": 3, "note": "x"}
    with pytest.raises(TableError, match="declares 1,000,000,000 rows"):
        load(pa.table({name: run(value) for name, value in table.items()}), SCHEMA)


ENDLESS = (
    "CREATE VIEW t AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
    "SELECT x AS who, '2024-05-06' AS day, x AS age, 'x' AS note FROM c"
)


@pytest.mark.parametrize("without", ["", " WHERE x < 0"])
def test_views_that_do_not_end(
    without: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from anachron.source import sqlite

    monkeypatch.setattr(sqlite, "_MOST_ROWS", 10_000)
    monkeypatch.setattr(sqlite, "_MOST_STEPS", 1_000_000)
    with sqlite3.connect(tmp_path / "t.db") as db:
        db.execute(ENDLESS + without)
    db.close()
    with pytest.raises(TableError, match=r"t\.db#t: (gives more than|cannot be read)"):
        load(f"sqlite:{tmp_path / 't.db'}#t", SCHEMA)


def test_views_of_duckdb_that_do_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from anachron.source import databases

    monkeypatch.setattr(databases, "_MOST_ROWS", 10_000)
    with duckdb.connect(str(tmp_path / "t.db")) as db:
        db.execute(
            "CREATE VIEW t AS SELECT range AS who, DATE '2024-05-06' AS day, 3 AS age, 'x' AS note "
            "FROM range(1000000000000)"
        )
    with pytest.raises(TableError, match=r"gives more than .* rows"):
        load(f"duckdb:{tmp_path / 't.db'}#t", SCHEMA)


@pytest.mark.parametrize("rows", [1_048_576, 10**9])
def test_cells_that_are_repeated(rows: int, tmp_path: Path) -> None:
    xml = ods_xml().replace("-row>", f'-row table:number-rows-repeated="{rows}">', 1)
    last = xml.index("<table:table-cell ")
    xml = f'{xml[:last]}<table:table-cell table:number-columns-repeated="99" {xml[last + 18 :]}'
    (tmp_path / "t.ods").write_bytes(ods(xml))
    refused(tmp_path / "t.ods", "cannot be read")


def test_what_is_packed_is_unpacked_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the reader of the audit, too: before, it read on, or failed as if by its own mistake."""
    monkeypatch.setattr(decoding, "_MOST", 1 << 20)
    good = b"who,day,age,note\nann,2024-05-06,3,x\n"
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(good + b"ann,2024-05-06,3,x\n" * 200_000))
    with pytest.raises(TableError, match="unpacks to far more than its size"):
        read(tmp_path / "t.csv.gz", SCHEMA)
    for broken in (gzip.compress(good)[:-12], gzip.compress(good)[:12] + b"\xff" * 9):
        (tmp_path / "t.csv.gz").write_bytes(broken)
        with pytest.raises(TableError, match="cannot be read"):
            read(tmp_path / "t.csv.gz", SCHEMA)


def test_utf_16_without_a_mark_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("who,day,age,note\n".encode("utf-16-le"))
    with pytest.raises(TableError, match="does not begin with the mark"):
        load(an.Source(tmp_path / "t.csv", encoding="utf-16"), SCHEMA)


def test_nested_values_are_refused_by_the_reader_of_the_audit() -> None:
    table = pa.table({"who": ["a"], "day": ["2024-05-06"], "age": [[3]], "note": ["x"]})
    with pytest.raises(TableError, match="column 'age': holds nested values"):
        read(table, SCHEMA)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("packed", ["zstd", "lz4"])
@pytest.mark.parametrize("parts", [1, 4])
def test_what_an_arrow_file_unpacks_to_is_known_before(
    tmp_path: Path, new: Callable[..., pa.ipc.RecordBatchStreamWriter], packed: str, parts: int
) -> None:
    note = "n" * ((1 << 22) // parts)
    table = pa.table({"who": ["a"], "day": ["2024-01-01"], "age": [1], "note": [note]})
    options = pa.ipc.IpcWriteOptions(compression=packed)
    with (
        pa.OSFile(str(tmp_path / "t.arrow"), "wb") as out,
        new(out, table.schema, options=options) as writer,
    ):
        for _ in range(parts):
            writer.write_table(table)
    refused(tmp_path / "t.arrow", r"t\.arrow: would become")


@pytest.mark.parametrize("cut", [0, 5, 9, 60, 400])
def test_an_arrow_file_that_is_cut_off_is_damaged(tmp_path: Path, cut: int) -> None:
    table, out = pa.table({"who": ["a"], "day": ["2024-01-01"]}), pa.BufferOutputStream()
    with pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    (tmp_path / "t.arrow").write_bytes(bytes(out.getvalue())[:cut])
    refused(tmp_path / "t.arrow", r"t\.arrow: ")


def _heads(new: Callable[..., pa.ipc.RecordBatchStreamWriter]) -> bytes:
    out, table = pa.BufferOutputStream(), pa.table({"who": ["a", "b"], "age": [1, 2]})
    with new(out, table.schema) as writer:
        writer.write_table(table)
    return bytes(out.getvalue())


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
def test_whatever_numbers_an_arrow_file_holds_adding_them_up_ends(
    new: Callable[..., pa.ipc.RecordBatchStreamWriter],
) -> None:
    content = _heads(new)
    for place in range(0, len(content) - 8, 4):
        for number in (-place, -1 - place, place - len(content), -(2**63), 2**62):
            changed = bytearray(content)
            struct.pack_into("<q", changed, place, number)
            with suppress(pa.ArrowInvalid):
                assert declared(memoryview(bytes(changed))).rows >= 0


def test_a_footer_that_names_the_same_rows_for_ever_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = memoryview(_heads(pa.ipc.new_file))
    [place] = arrow_files._blocks(content)
    monkeypatch.setattr(arrow_files, "_blocks", lambda _: repeat(place))
    with pytest.raises(pa.ArrowInvalid):
        declared(content)
