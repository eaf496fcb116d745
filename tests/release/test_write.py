from __future__ import annotations

import csv
import datetime as dt
import hashlib
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anachron.errors import InternalError
from anachron.release.parts import GROUP_ROWS
from anachron.release.write import write
from tests.release.tables import FACTS, every_type, release_of

ROWS = 300_000


def large() -> pa.Table:
    luck = np.random.default_rng(7)
    words = pa.array(["alpha", "beta", "gamma"])
    indices = pa.array(luck.integers(0, 3, ROWS), mask=luck.random(ROWS) < 0.1)
    return pa.table(
        {
            "word": pa.DictionaryArray.from_arrays(indices, words),
            "number": luck.integers(0, 1000, ROWS),
        }
    )


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("batch", [9_999, 131_072, 250_000])
def test_bytes_do_not_depend_on_the_size_of_batches(tmp_path: Path, batch: int) -> None:
    one = content(release_of(large(), tmp_path / "one", csv=True, batch=ROWS))
    assert content(release_of(large(), tmp_path / "two", csv=True, batch=batch)) == one


def test_bytes_do_not_depend_on_how_texts_are_encoded(tmp_path: Path) -> None:
    table = large()
    words = table["word"].combine_chunks()
    turned = pa.DictionaryArray.from_arrays(
        pa.compute.subtract(2, words.indices), words.dictionary[::-1]
    )
    unused = pa.array(["never used"]).dictionary_encode()
    forms = [
        words.cast(pa.string()),
        words.cast(pa.large_string()),
        turned,
        pa.concat_arrays([unused, words.cast(unused.type)])[1:],
    ]
    expected = content(release_of(table, tmp_path / "as it is"))
    for number, form in enumerate(forms):
        other = table.set_column(0, "word", form)
        assert content(release_of(other, tmp_path / str(number))) == expected


def test_row_groups_have_a_fixed_size_and_nothing_of_the_engine_leaves(tmp_path: Path) -> None:
    table = large().replace_schema_metadata({"pandas": "{}", "host": "secret"})
    file = pq.ParquetFile(release_of(table, tmp_path / "r", batch=70_000) / "data.parquet")
    assert [file.metadata.row_group(i).num_rows for i in range(3)] == [131_072, 131_072, 37_856]
    assert file.metadata.metadata is None
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert file.schema_arrow.field("word").type == pa.string()
    assert file.read().column("number").equals(table["number"])


def test_digests_are_those_of_the_files_and_times_do_not_leak(tmp_path: Path) -> None:
    table = every_type()
    folder = tmp_path / "r"
    folder.mkdir()
    digests = write(folder, {"data": (table.schema, iter(table.to_batches()))}, FACTS, True)
    assert digests == {
        name: hashlib.sha256(data).hexdigest() for name, data in content(folder).items()
    }
    assert set(digests) == {"data.parquet", "data.csv", "datapackage.json"}
    assert {(folder / name).stat().st_mtime for name in digests} == {315_532_800}


def test_an_empty_table_is_a_release_too(tmp_path: Path) -> None:
    table = every_type().slice(0, 0)
    folder = release_of(table, tmp_path / "r", csv=True)
    assert pq.read_table(folder / "data.parquet").num_rows == 0
    assert (folder / "data.csv").read_text().count("\n") == 1


@pytest.mark.parametrize("name", ["../data", "/data", "Data", "", "a/b", "a.b"])
def test_names_that_are_not_file_names_are_refused(tmp_path: Path, name: str) -> None:
    table = every_type()
    with pytest.raises(InternalError):
        write(tmp_path, {name: (table.schema, iter(table.to_batches()))}, FACTS, False)
    assert list(tmp_path.iterdir()) == []


def test_an_error_while_rows_are_computed_is_passed_on(tmp_path: Path) -> None:
    def broken() -> Iterator[pa.RecordBatch]:
        yield from every_type().to_batches()
        raise RuntimeError("the engine failed")

    with pytest.raises(RuntimeError, match="the engine failed"):
        write(tmp_path, {"data": (every_type().schema, broken())}, FACTS, True)


def test_csv_has_one_form_for_each_value(tmp_path: Path) -> None:
    text = (release_of(every_type(), tmp_path / "r", csv=True) / "data.csv").read_bytes()
    assert text.decode() == (
        "ward,age_low,cost,price,alive,born,admitted_start,group\n"
        "plain,20,0.1,1.50,true,1980-02-29,2006-01-02T12:30:00Z,a\n"
        "'=1+1,30,1e+300,-2.00,false,2000-01-01,2006-01-02T12:30:00.000005Z,b\n"
        ",,,,,,,\n"
    )


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_csv_has_no_formulas(tmp_path: Path, start: str) -> None:
    table = pa.table({f"{start}HEAD()": [f"{start}CMD()", f'{start}"x"', "a=b"], "n": [-1, 0, 1]})
    text = (release_of(table, tmp_path / "r", csv=True) / "data.csv").read_bytes().decode()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert [row[0] for row in rows] == [f"'{start}HEAD()", f"'{start}CMD()", f'\'{start}"x"', "a=b"]
    assert rows[1][1] == "-1"


def test_csv_is_read_back_as_it_was(tmp_path: Path) -> None:
    texts = ["", None, 'say "hi"', "a,b", "two\nlines", "tail\r", "naïve ✓", "'", " x "]
    table = pa.table({"text": texts, "float": [0.1 + 0.2, -0.0, 5e-324, None, 1e16] + [1.0] * 4})
    raw = (release_of(table, tmp_path / "r", csv=True) / "data.csv").read_bytes()
    rows = list(csv.reader(io.StringIO(raw.decode("utf-8"), newline="")))[1:]
    assert [row[0] for row in rows] == [text or "" for text in texts]
    assert raw.split(b"\n")[1:3] == [b'"",0.30000000000000004', b",-0.0"]
    assert [float(row[1]) for row in rows if row[1]] == [
        value for value in table["float"].to_pylist() if value is not None
    ]


def test_csv_of_unusual_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "bytes": [b"\x00\xff"],
            "clock": [dt.time(9, 5)],
            "local": pa.array([dt.datetime(2006, 1, 2)], pa.timestamp("s")),
            "abroad": pa.array([0], pa.timestamp("us", "Asia/Kolkata")),
            "infinite": [float("inf")],
            "nothing": [float("nan")],
        }
    )
    text = (release_of(table, tmp_path / "r", csv=True) / "data.csv").read_text()
    assert text.splitlines()[1] == "00ff,09:05:00,2006-01-02T00:00:00,1970-01-01T00:00:00Z,INF,NaN"


def test_many_slices_make_one_csv(tmp_path: Path) -> None:
    text = (release_of(large(), tmp_path / "r", csv=True) / "data.csv").read_text()
    assert text.count("\n") == ROWS + 1
    assert GROUP_ROWS < ROWS
