"""No record of a text file is lost without a word."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anachron.database import connected
from anachron.errors import TableError
from anachron.source.read import open_source
from anachron.source.records import count_records

LONG = 33_000_000
"""More than DuckDB reads at once."""


def rows_read(file: Path, columns: list[str]) -> int:
    with connected() as con:
        source = open_source(file, con, columns)
        return int(con.execute(f"SELECT count(*) FROM {source.relation}").fetchall()[0][0])


def refused(content: bytes, columns: list[str], packed: bool = False) -> str:
    file = Path("t.csv.gz" if packed else "t.csv")
    file.write_bytes(gzip.compress(content, 1) if packed else content)
    with pytest.raises(TableError) as caught:
        rows_read(file, columns)
    return str(caught.value)


@pytest.mark.parametrize("place", ["first", "middle", "last", "last, without a line end"])
def test_a_record_longer_than_the_reader_reads_is_refused(place: str) -> None:
    long = b"z," + b"x" * LONG
    rows = {
        "first": ([], [b"b,2"]),
        "middle": ([b"a,1"], [b"b,2"]),
        "last": ([b"a,1"], []),
        "last, without a line end": ([b"a,1"], []),
    }[place]
    content = b"\n".join([b"who,note", *rows[0], long, *rows[1]])
    content += b"" if "without" in place else b"\n"
    said = refused(content, ["who", "note"], packed=place == "last")
    assert f"row {len(rows[0]) + 1:,}: the row has more than 2 MB" in said


ODD = {
    "empty lines": ("a,b\n1,2\n\n\n3,4\n\n", 2),
    "one column with an empty line": ("a\n1\n\n3\n", 3),
    "one column with quotes around nothing": ('a\n1\n""\n3\n', 3),
    "one column, the last line empty": ("a\n1\n\n", 2),
    "what others take for a comment": ("a,b\n#1,2\n3,4\n", 2),
    "the header again": ("a,b\na,b\n3,4\n", 2),
    "Windows": ("a,b\r\n1,2\r\n\r\n3,4\r\n", 2),
    "the old Macintosh": ("a,b\r1,2\r3,4\r", 2),
    "no line end at the end": ("a,b\r\n1,2\r\n3,4", 2),
    "line breaks in a cell": ('a,b\n"1\r\n\n1",2\n3,4\n', 2),
    "line breaks in a name": ('"a\nx",b\n1,2\n3,4\n', 2),
    "doubled quotes": ('a,b\n"1""\n""1",""\n3,4\n', 2),
    "a quote inside a cell": ('a,b\n5" disk,2\n3,4\n', 2),
    "quotes inside cells": ('a,b\n5"x" disk,2\n3,4 "\n"x\n",y\n', 3),
    "a mark at the beginning": ('\ufeff"a",b\n1,2\n', 1),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_files_are_read_whole(case: str) -> None:
    text, rows = ODD[case]
    Path("t.csv").write_bytes(text.encode())
    names = next(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    assert rows_read(Path("t.csv"), names) == rows


LOOSE = {
    "blanks after a quote": 'a,b\n1,2\n"3" ,4\n',
    "blanks after a quote at the end": 'a,b\n1,2\n3,"4"  ',
    "a blank after a quote, among inches": 'a,b\n1,5"\n3,"4" \n',
    "blanks before a quote": 'a,b\n1,2\n "5,\n 6",2\n3,4\n',
}


@pytest.mark.parametrize("case", LOOSE)
def test_blanks_beside_quotes_are_refused(case: str) -> None:
    """One reader drops them, another does not: a value would be one or the other."""
    said = refused(LOOSE[case].encode(), ["a", "b"])
    assert "t.csv, row 2: the row has blanks between a double quote and the separator" in said


def test_a_separator_too_many_is_refused() -> None:
    """DuckDB takes no offence at an empty cell beyond the last name."""
    said = refused(b"a,b\n1,2\n3,4,\n", ["a", "b"])
    assert "t.csv, row 2: the row has more cells than the header has names." in said


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


CELLS = st.text(alphabet='ab ",\n\r;é#', max_size=4)
ALL = csv.QUOTE_ALL


@settings(max_examples=40)
@given(st.data())
def test_what_is_written_by_the_rules_is_read_whole(folder: Path, data: st.DataObject) -> None:
    names = ["x", "y", "z"][: data.draw(st.integers(1, 3))]
    row = st.lists(CELLS, min_size=len(names), max_size=len(names))
    rows = data.draw(st.lists(row, max_size=8))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    # Left alone, csv does not quote a CR, which ends a line for everybody else.
    bare = any("\r" in cell for row in rows for cell in row)
    quoting = ALL if bare or data.draw(st.booleans()) else csv.QUOTE_MINIMAL
    file = folder / "t.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out, lineterminator=end, quoting=quoting).writerows([names, *rows])
    assert count_records(file, False, ",", len(names)).records == len(rows) + 1
    assert rows_read(file, names) == len(rows)


@settings(max_examples=60)
@given(st.text(alphabet='ab",\n\r ', max_size=40))
def test_what_is_not_is_read_whole_or_refused(folder: Path, text: str) -> None:
    """Python's own reader is the judge of what a record is."""
    file = folder / "t.csv"
    file.write_bytes(("x,y\n" + text).encode())
    lines = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    try:
        read = rows_read(file, ["x", "y"])
    except TableError:
        return
    assert read == sum(bool(line) for line in lines)


def test_blocks_are_joined(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "blocks.csv"
    text = 'a,b\r\n"1\r\n1",2\r\n\r\n"x""",""\r\nlongest of all,4\r\n5,6'
    file.write_bytes(text.encode())
    whole = count_records(file, False, ",", 2)
    assert (whole.records, whole.longest, whole.longest_at) == (5, 16, 3)
    for size in range(1, 20):
        monkeypatch.setattr("anachron.source.records._BLOCK", size)
        assert count_records(file, False, ",", 2) == whole
