"""Tables that must be refused, each with the reason why it is here."""

from __future__ import annotations

import gzip
import pickle
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from anachron.schema import Schema
from tests.badinput.refusing import CANARY

SCHEMA = Schema(subject="who", time="seen", quasi="age", sensitive="note")
ROME = Schema(subject="who", time="seen", quasi="age", sensitive="note", time_zone="Europe/Rome")


def counting(unit: str) -> Schema:
    """The schema for times that are whole numbers."""
    return Schema(subject="who", time="seen", quasi="age", sensitive="note", time_unit=unit)


@dataclass(frozen=True)
class Case:
    """A table that must be refused."""

    why: str
    table: Callable[[Path], object]
    says: str
    """Part of the message."""
    column: str | None = None
    row: int | None = None
    schema: Schema = SCHEMA
    file: str | None = "t.csv"


HEADER = "who,seen,age,note\n"
GOOD = f"{CANARY}a,2025-01-01,30,{CANARY}\n"


def written(content: str | bytes, name: str = "t.csv") -> Callable[[Path], Path]:
    """A file with this content."""

    def write(folder: Path) -> Path:
        file = folder / name
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return write


def lines(*rows: str) -> Callable[[Path], Path]:
    """A CSV file with a good row, and these."""
    return written(HEADER + GOOD + "".join(f"{row}\n" for row in rows))


def times(*texts: str) -> Callable[[Path], Path]:
    """A CSV file with these times."""
    return written(HEADER + "".join(f"{CANARY},{text},30,{CANARY}\n" for text in texts))


GIVEN: dict[str, object] = {
    "who": [CANARY, "b"],
    "seen": [date(2025, 1, 1)] * 2,
    "age": [1, 2],
    "note": [CANARY] * 2,
}


def frame(**columns: object) -> Callable[[Path], object]:
    """An Arrow table of two rows, with some columns replaced."""
    return lambda _: pa.table({**GIVEN, **columns})


def pandas_frame(**columns: object) -> Callable[[Path], object]:
    """A pandas frame of two rows of Python objects, with some columns replaced."""
    return lambda _: pd.DataFrame({**GIVEN, **columns}, dtype=object)


def folder_called_csv(folder: Path) -> Path:
    place = folder / "t.csv"
    place.mkdir()
    return place


def link_to_nowhere(folder: Path) -> Path:
    link = folder / "t.csv"
    link.symlink_to(folder / "gone.csv")
    return link


def two_parquet_files(folder: Path) -> Path:
    good = {"who": ["a"], "seen": [date(2025, 1, 1)], "note": [CANARY]}
    pq.write_table(pa.table({**good, "age": [1]}), folder / "a.parquet")
    pq.write_table(pa.table({**good, "age": [CANARY]}), folder / "b.parquet")
    return folder


def parquet_with_a_flipped_page(folder: Path) -> Path:
    file = folder / "t.parquet"
    pq.write_table(
        pa.table({"who": [f"{CANARY}{i}" for i in range(5000)], "seen": [date(2025, 1, 1)] * 5000,
                  "age": range(5000), "note": ["x"] * 5000}),
        file, use_dictionary=False, compression="gzip",
    )  # fmt: skip
    content = bytearray(file.read_bytes())
    content[200:600] = bytes(400)
    file.write_bytes(content)
    return file


def sqlite_table(who: object, age: object, name: str = "visits") -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        with closing(sqlite3.connect(folder / "t.sqlite")) as db, db:
            db.execute("CREATE TABLE visits (who, seen, age, note)")
            rows = [(CANARY, "2025-01-01", 30, None), (who, "2025-01-01", age, None)]
            db.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", rows)
            db.execute("UPDATE visits SET note = CAST(x'ff' AS TEXT) WHERE who = 'bytes'")
        return f"sqlite:{folder / 't.sqlite'}#{name}"

    return write


def duckdb_without_table(folder: Path) -> str:
    duckdb.connect(str(folder / "t.duckdb")).close()
    return f"duckdb:{folder / 't.duckdb'}#visits"


def text_called(kind: str) -> Callable[[Path], str]:
    """Text in the place of a database."""

    def write(folder: Path) -> str:
        (folder / f"t.{kind}").write_text(CANARY * 1000)
        return f"{kind}:{folder / f't.{kind}'}#visits"

    return write


NAIVE, AWARE = datetime(2025, 1, 1), datetime(2025, 1, 1, tzinfo=UTC)
PACKED = gzip.compress((HEADER + GOOD * 5000).encode())
TEN_MB = CANARY * 1_000_000

FILES = [
    Case("an empty file", written(""), "is empty"),
    Case("a header and nothing else", written(HEADER), "has no rows"),
    Case("a path that leads nowhere", lambda f: f / "t.csv", "does not exist"),
    Case("a link that leads nowhere", link_to_nowhere, "does not exist"),
    Case("a folder where a file is meant", folder_called_csv, "holds no table"),
    Case("a device", lambda _: "/dev/null", "cannot be read", file="null"),
    Case("a pattern without a match", lambda f: f / "*.parquet", "matches no", file="*.parquet"),
    Case("pickles run code when opened", written(pickle.dumps([CANARY]), "t.pkl"),
         "kind that cannot be read", file="t.pkl"),
    Case("an address on the network", lambda _: f"ftp://{CANARY}/t.csv", "address", file=None),
    Case("a NUL in the path", lambda _: f"{CANARY}\0.csv", "NUL", file=None),
    Case("an object that is no table", lambda _: [CANARY], "of type list", file=None),
    Case("garbage called gzip", written(CANARY, "t.csv.gz"), "unpacked", file="t.csv.gz"),
    Case("half a gzip file", written(PACKED[: len(PACKED) // 2], "t.csv.gz"), "unpacked",
         file="t.csv.gz"),
    Case("text called Parquet", written(CANARY * 99, "t.parquet"), "damaged", file="t.parquet"),
    Case("a Parquet file with a damaged page", parquet_with_a_flipped_page, "damaged",
         file="t.parquet"),
    Case("Parquet files that do not fit together", two_parquet_files, "another type", "age",
         file="b.parquet"),
    Case("text called Arrow", written(CANARY * 99, "t.arrow"), "damaged", file="t.arrow"),
]  # fmt: skip

TEXTS = [
    Case("UTF-16, as some spreadsheets save", written((HEADER + GOOD).encode("utf-16")), "UTF-16"),
    Case("UTF-16 without a mark", written((HEADER + GOOD).encode("utf-16-le")), "UTF-16"),
    Case("Latin-1 in a cell", written((HEADER + GOOD).encode() + b"\xe9" + GOOD.encode()),
         "not UTF-8", row=2),
    Case("Latin-1 in the header", written(b"\xe9," + (HEADER + GOOD).encode()), "not UTF-8"),
    Case("a NUL in a cell", lines(f"b,2025-01-01,30,{CANARY}\0x"), "NUL", "note", 2),
    Case("a row too short", lines("b,2025-01-01", GOOD.strip()), "fewer cells", row=2),
    Case("a row too long", lines(f"b,2025-01-01,30,x,{CANARY}"), "more cells", row=2),
    Case("rows after one with a line break", lines('b,2025-01-01,30,"x\ny"', CANARY),
         "fewer cells", row=3),
    Case("a quote that is not closed", lines(f'b,2025-01-01,30,"{CANARY}'), "not closed", row=2),
    Case("text after a closing quote", lines(f'b,2025-01-01,30,"x"{CANARY}'), "closing", row=2),
    Case("blanks after a closing quote", lines(f'b,2025-01-01,30,"{CANARY}" '), "blanks", row=2),
    Case("blanks before an opening quote", lines(f'b,2025-01-01,30, "{CANARY}"'), "blanks", row=2),
    Case("a separator at the end of a row", lines("b,2025-01-01,30,x,"), "more cells", row=2),
    Case("a field of 10 MB", lines(f"b,2025-01-01,30,{TEN_MB}"), "2 MB", row=2),
    Case("line ends of two kinds",
         written(HEADER.replace("\n", "\r\n") + GOOD + GOOD.replace("\n", "\r\n")), "line ends"),
    Case("a name twice in the header", written("who,seen,age,note,age\n" + GOOD), "2 times", "age"),
    Case("a renamed column", written(HEADER.replace("seen", "Seen") + GOOD), "mean 'Seen'", "seen"),
    Case("no header", written(GOOD), "is not in the table", "who"),
    Case("a blank first line", written("\n" + HEADER + GOOD), "no header"),
]  # fmt: skip

WHO = [
    Case("no subject", lines(",2025-01-01,30,x", ",2025-01-01,30,x"), "in 2 rows", "who", 2),
    Case("a subject of blanks", lines("  ,2025-01-01,30,x"), "empty text", "who", 2),
    Case("a trailing blank makes two of one", lines(f"{CANARY}a ,2025-01-01,30,x"),
         "count twice", "who", 2),
    Case("an accent encoded in two ways",
         lines("Zoe\u0308,2025-01-01,1,x", "Zo\u00eb,2025-01-01,1,x"), "count twice", "who", 3),
    Case("subjects that are fractions", frame(who=[0.5, 1.5]), "DOUBLE", "who", file="the table"),
    Case("subjects that are lists", frame(who=[[CANARY], ["b"]]), "list", "who", file="the table"),
    Case("objects of several types", pandas_frame(who=[1, CANARY]), "different types", "who", 2,
         file="the table"),
]  # fmt: skip

WHEN = [
    Case("no time", times("2025-01-01", ""), "is missing", "seen", 2),
    Case("a day and month in doubt", times("03/04/2025"), "without a doubt", "seen", 1),
    Case("29 February in a common year", times("2024-02-29", "2025-02-29"), "exist", "seen", 2),
    Case("hour 24", times("2025-01-01T24:00:00"), "hour 24", "seen", 1),
    Case("a leap second", times("2016-12-31T23:59:60Z"), "second 60", "seen", 1),
    Case("with and without offset", times("2025-01-01T00:00Z", "2025-01-01T00:00"), "mixes",
         "seen", 2),
    Case("the year 0", times("0000-01-01"), "outside the years", "seen", 1),
    Case("the year 10000", times("10000-01-01"), "without a doubt", "seen", 1),
    Case("the end of time as a date", times("2025-01-01", "9999-12-31"), "1678 to 2261", "seen", 2),
    Case("skipped when clocks went forward", times("2025-03-30T01:59", "2025-03-30T02:30"),
         "put forward", "seen", 2, ROME),
    Case("a day that Samoa left out", times("2011-12-29", "2011-12-30"), "put forward", "seen", 2,
         Schema("who", "seen", "age", "note", time_zone="Pacific/Apia")),
    Case("whole numbers, unit not said", times("1735689600"), "whole numbers", "seen"),
    Case("milliseconds said to be seconds", times("1735689600000"), "1900 to 2200", "seen", 1,
         counting("s")),
    Case("seconds said to be milliseconds", times("1735689600"), "first months of 1970", "seen",
         None, counting("ms")),
    Case("400 digits", times("1" * 400), "1900 to 2200", "seen", 1, counting("us")),
    Case("a date where years are counted", times("2024", "2025-01-01"), "mixes", "seen", 2,
         counting("year")),
    Case("a month where years are counted", times("1974", "197403"), "1900 to 2200", "seen", 2,
         counting("year")),
    Case("half a year", times("1974", "1974.5"), "without a doubt", "seen", 2, counting("year")),
    Case("fractions of years", frame(seen=[1974.5, 1975.0]), "DOUBLE", "seen",
         schema=counting("year"), file="the table"),
    Case("a year before Christ", times("1974", "-44"), "1900 to 2200", "seen", 2,
         counting("year")),
    Case("the year 0", times("1974", "0"), "1900 to 2200", "seen", 2, counting("year")),
    Case("the year 9999", times("1974", "9999"), "1900 to 2200", "seen", 2, counting("year")),
    Case("the year 10000, counted", times("1974", "10000"), "1900 to 2200", "seen", 2,
         counting("year")),
    Case("the month 13", times("202412", "202413"), "no such month", "seen", 2, counting("month")),
    Case("the month 0", frame(seen=[202401, 202400]), "no such month", "seen", 2,
         counting("month"), "the table"),
    Case("a year where months are counted", times("202401", "1974"), "no such month", "seen", 2,
         counting("month")),
    Case("a negative month", times("202401", "-202401"), "no such month", "seen", 2,
         counting("month")),
    Case("the month 13 as text", times("2024-12", "2024-13"), "does not exist", "seen", 2,
         counting("month")),
    Case("a month of the year 9999", times("2024-12", "9999-12"), "1678 to 2261", "seen", 2,
         counting("month")),
    Case("months of two forms", times("2024-12", "202412"), "mixes", "seen", 2, counting("month")),
    Case("months, not said so", times("2024-11", "2024-12"), "months without a day", "seen"),
    Case("months where years are counted", times("2024-11"), "months without a day", "seen", None,
         counting("year")),
    Case("an infinite timestamp",
         lambda _: duckdb.sql(f"SELECT '{CANARY}' who, TIMESTAMP 'infinity' seen, 1 age, 2 note"),
         "infinite", "seen", 1, file="the table"),
    Case("times of day without a day", frame(seen=pa.array([1, 2], pa.time64("us"))), "TIME",
         "seen", file="the table"),
    Case("fractions of epochs", frame(seen=[1.5e9, 1.6e9]), "DOUBLE", "seen", file="the table"),
    Case("Python times, naive and aware", pandas_frame(seen=[NAIVE, AWARE]), "different types",
         "seen", 2, file="the table"),
    Case("Python dates and times", pandas_frame(seen=[date(2025, 1, 1), NAIVE]), "different types",
         "seen", 2, file="the table"),
]  # fmt: skip

WHAT = [
    Case("not a number", frame(age=[1.0, float("nan")]), "not a finite", "age", 2,
         file="the table"),
    Case("infinite", frame(age=[float("-inf"), None]), "not a finite", "age", 1, file="the table"),
    Case("NaN among the numbers of a text file", lines("b,2025-01-01,nan,x"), "not a finite",
         "age", 2),
    Case("a number beyond all floats", lines("b,2025-01-01,1e400,x"), "not a finite", "age", 2),
    Case("binary values", frame(age=[b"x", CANARY.encode()]), "BLOB", "age", file="the table"),
    Case("records in cells", frame(note=[{CANARY: 1}, {CANARY: 2}]), "STRUCT", "note",
         file="the table"),
    Case("maps in cells",
         frame(age=pa.array([[(CANARY, 1)], []], pa.map_(pa.string(), pa.int64()))), "MAP", "age",
         file="the table"),
    Case("spans of time", frame(age=pa.array([1, 2], pa.duration("s"))), "INTERVAL", "age",
         file="the table"),
    Case("a type without a reader", frame(age=pa.array([1, 2], pa.decimal256(60, 0))),
         "decimal256", "age", file="the table"),
    Case("months of pandas, which others take for numbers",
         lambda _: pd.DataFrame({"who": [CANARY], "seen": [NAIVE], "note": [1],
                                 "age": pd.period_range("2025", periods=1, freq="M")}),
         "cannot be read", "age", file="the table"),
]  # fmt: skip

DATABASES = [
    Case("an address without a table", lambda f: f"sqlite:{CANARY}.db", "not complete", file=None),
    Case("a database that is not there", lambda f: f"duckdb:{f}/t.duckdb#visits", "not there",
         file="t.duckdb"),
    Case("text called DuckDB", text_called("duckdb"), "not a DuckDB", file="t.duckdb"),
    Case("text called SQLite", text_called("sqlite"), "not a SQLite", file="t.sqlite#visits"),
    Case("no such table in DuckDB", duckdb_without_table, "no such table", file="t.duckdb#visits"),
    Case("no such table in SQLite", sqlite_table("b", 1, "x"), "no such table", file="t.sqlite#x"),
    Case("numbers and text in one SQLite column", sqlite_table("b", CANARY), "mixes", "age", 2,
         file="t.sqlite#visits"),
    Case("text in SQLite that is not UTF-8", sqlite_table("bytes", 1), "not UTF-8",
         file="t.sqlite#visits"),
]  # fmt: skip

CASES = [*FILES, *TEXTS, *WHO, *WHEN, *WHAT, *DATABASES]
