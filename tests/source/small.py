"""One small table, in every form in which a table can be given."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from anachron.schema import Schema

SCHEMA = Schema(
    subject="who", time="seen", quasi=["age", "zip"], sensitive="note", time_zone="Europe/Rome"
)

ROWS = [
    # who, seen, age, zip, note; "left" has no role and must not be read
    ("007", datetime(2025, 3, 1, 10, 15), 30, "01234", "=1+1"),
    ("7", datetime(2025, 7, 2, 0, 0), 41, "01234", "a,b"),
    ("Zoë", datetime(2025, 7, 1, 23, 59, 59), 30, None, 'say "x"'),
    ("007", datetime(2024, 2, 29, 12, 0), 5, "99999", None),
]
NAMES = ["who", "seen", "age", "zip", "note"]


def arrow(rows: list[tuple[object, ...]] | None = None) -> pa.Table:
    columns = zip(*(rows or ROWS), strict=True)
    types = [pa.string(), pa.timestamp("us"), pa.int64(), pa.string(), pa.string()]
    table = pa.table(
        {
            name: pa.array(values, kind)
            for name, values, kind in zip(NAMES, columns, types, strict=True)
        }
    )
    # Another order of columns, and one without a role.
    table = table.append_column("left", pa.array([b"\xff"] * len(table), pa.binary()))
    return table.select(["left", "note", "who", "zip", "age", "seen"])


def csv_text(separator: str = ",") -> str:
    lines = [separator.join(["left", "who", "seen", "age", "zip", "note"])]
    for who, seen, age, zipcode, note in ROWS:
        cell = "" if note is None else '"' + note.replace('"', '""') + '"'
        lines.append(separator.join(["", who, seen.isoformat(), str(age), zipcode or "", cell]))
    return "\n".join(lines) + "\n"


def csv_file(folder: Path) -> Path:
    file = folder / "t.csv"
    file.write_text(csv_text(), encoding="utf-8")
    return file


def csv_file_with_mark(folder: Path) -> Path:
    file = folder / "mark.csv"
    file.write_text(csv_text(";").replace("\n", "\r\n"), encoding="utf-8-sig", newline="")
    return file


def gzipped_file(folder: Path) -> Path:
    file = folder / "t.csv.gz"
    file.write_bytes(gzip.compress(csv_text().encode()))
    return file


def tsv_file(folder: Path) -> str:
    file = folder / "t.tsv"
    file.write_text(csv_text("\t"), encoding="utf-8")
    return str(file)


def parquet_file(folder: Path) -> Path:
    # A name that is also a pattern, and a file that the pattern would find.
    file = folder / "t*.parquet"
    pq.write_table(arrow(), file)
    pq.write_table(arrow()[:1], folder / "t1.parquet")
    return file


def parquet_folder(folder: Path) -> Path:
    parts = folder / "parts"
    parts.mkdir()
    pq.write_table(arrow()[:1], parts / "a.parquet")
    pq.write_table(arrow()[1:], parts / "b.parquet")
    return parts


def parquet_pattern(folder: Path) -> str:
    return str(parquet_folder(folder) / "*.parquet")


def arrow_file(folder: Path) -> Path:
    file = folder / "t.arrow"
    with pa.ipc.new_file(file, arrow().schema) as writer:
        writer.write_table(arrow(), max_chunksize=2)
    return file


def arrow_stream_file(folder: Path) -> Path:
    file = folder / "t.ipc"
    with pa.ipc.new_stream(file, arrow().schema) as writer:
        writer.write_table(arrow())
    return file


def feather_file(folder: Path) -> Path:
    file = folder / "t.feather"
    pyarrow.feather.write_feather(arrow(), file)
    return file


def duckdb_file(folder: Path, kind: str = "TABLE") -> str:
    file = folder / "t.duckdb"
    with duckdb.connect(str(file)) as con:
        con.register("given", arrow())
        con.execute("CREATE TABLE base AS FROM given")
        con.execute(f"CREATE {kind} visits AS FROM base")
    return f"duckdb:{file}#visits"


def duckdb_view(folder: Path) -> str:
    return duckdb_file(folder, "VIEW")


def sqlite_file(folder: Path) -> str:
    file = folder / "t.sqlite"
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("CREATE TABLE visits (who TEXT, seen TEXT, age INT, zip TEXT, note TEXT)")
        rows = [(who, seen.isoformat(" "), *rest) for who, seen, *rest in ROWS]
        db.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?)", rows)
    return f"sqlite:{file}#visits"


def pandas_frame(_: Path) -> object:
    return pd.DataFrame(ROWS, columns=NAMES, index=[9, 9, 8, 7])


def pandas_categories(_: Path) -> object:
    return pd.DataFrame(ROWS, columns=NAMES).astype({"zip": "category", "note": "category"})


def polars_frame(_: Path) -> object:
    return pl.DataFrame(ROWS, schema=NAMES, orient="row")


def polars_lazy(_: Path) -> object:
    return pl.LazyFrame(ROWS, schema=NAMES, orient="row").filter(pl.col("age") > 0)


def arrow_table(_: Path) -> object:
    return arrow()


def arrow_other_types(_: Path) -> object:
    table = arrow()
    fields = {
        "who": pa.large_string(),
        "seen": pa.timestamp("ns"),
        "age": pa.uint8(),
        "zip": pa.dictionary(pa.int8(), pa.string()),
        "note": pa.string_view(),
    }
    return table.select(NAMES).cast(pa.schema(list(fields.items())))


def arrow_reader(_: Path) -> object:
    return arrow().to_reader(max_chunksize=1)


def duckdb_relation(_: Path) -> object:
    con = duckdb.connect()
    con.register("given", arrow())
    return con.sql("SELECT * FROM given")


FORMS: list[Callable[[Path], object]] = [
    csv_file, csv_file_with_mark, gzipped_file, tsv_file,
    parquet_file, parquet_folder, parquet_pattern,
    arrow_file, arrow_stream_file, feather_file,
    duckdb_file, duckdb_view, sqlite_file,
    pandas_frame, pandas_categories, polars_frame, polars_lazy,
    arrow_table, arrow_other_types, arrow_reader, duckdb_relation,
]  # fmt: skip
"""Everything that takes a folder to write in, and gives the table in one form."""
