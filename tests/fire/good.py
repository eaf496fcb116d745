"""One small table, whole, in every kind of file; every text of it holds the canary."""

from __future__ import annotations

import csv
import gzip
import io
import sqlite3
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat

from tests.fire.running import CANARY

__all__ = ["FORMATS", "NAMES", "PLAN", "ROWS", "Format", "arrow", "csv_text", "plan"]

NAMES = ("who", "day", "age", "note")
ROWS = [
    (f"zq{CANARY}n{i % 8:02d}", date(2024, 5, 1 + i), 30 + i % 3, f"Canary{CANARY} {'abc'[i % 3]}")
    for i in range(24)
]
PLAN = """[source]
table = {table!r}
{options}
[schema]
subject = "who"
time = "day"
quasi = ["age"]
sensitive = ["note"]
time_zone = "UTC"
[guarantee]
method = {method}
[destination]
releases = "rel"
ledger = "led"
"""
GRANULARITY = '"granularity"\nk = 2\ngranularities = ["day", "month", "year"]'
FEED = '"reposition"\nl = 2\nwindow = 2\nsnapshot = "week"'


def plan(table: str, options: str = "", method: str = GRANULARITY) -> str:
    """A plan for the table."""
    return PLAN.format(table=table, options=options, method=method)


def csv_text(separator: str = ",") -> str:
    """The table as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerows([NAMES, *ROWS])
    return out.getvalue()


def arrow() -> pa.Table:
    """The table as Arrow, one column by a dictionary."""
    columns = dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True))
    table = pa.table(columns)
    return table.set_column(3, "note", table.column("note").dictionary_encode())


def _json() -> bytes:
    return arrow().to_pandas().to_json(orient="records", lines=True, date_format="iso").encode()


def _parquet(table: pa.Table, **options: Any) -> bytes:
    out = pa.BufferOutputStream()
    pq.write_table(table, out, **options)
    return bytes(out.getvalue())


def _ipc(kind: str, compression: str | None = None) -> bytes:
    out, table = pa.BufferOutputStream(), arrow()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with new(out, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=10)
    return bytes(out.getvalue())


def _xlsx() -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in (NAMES, *ROWS):
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def ods_xml(rows: Any = (NAMES, *ROWS)) -> str:
    """The content of a spreadsheet of LibreOffice."""

    def cell(value: object) -> str:
        if isinstance(value, int):
            return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
        if isinstance(value, date):
            return f'<table:table-cell office:value-type="date" office:date-value="{value}"/>'
        text = f"<text:p>{value}</text:p>"
        return f'<table:table-cell office:value-type="string">{text}</table:table-cell>'

    inner = "".join(f"<table:table-row>{''.join(map(cell, r))}</table:table-row>" for r in rows)
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    return (
        f'<?xml version="1.0"?><office:document-content {spaces}><office:body><office:spreadsheet>'
        f'<table:table table:name="S">{inner}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    )


def ods(content: str) -> bytes:
    """The archive of such a spreadsheet."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", '<manifest xmlns="x"/>')
    return out.getvalue()


def _frame() -> pd.DataFrame:
    frame = pd.DataFrame(ROWS, columns=list(NAMES))
    frame["day"] = pd.to_datetime(frame["day"])
    return frame


def _by_file(ending: str, write: Callable[[str], object], folder: Path) -> bytes:
    file = folder / f"made{ending}"
    file.unlink(missing_ok=True)
    write(str(file))
    content = file.read_bytes()
    file.unlink()
    return content


def _sqlite(file: str) -> None:
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE t (who TEXT, day TEXT, age INTEGER, note TEXT)")
        db.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?)", [(a, str(b), c, d) for a, b, c, d in ROWS]
        )
    db.close()


def _duckdb(file: str) -> None:
    with duckdb.connect(file) as db:
        table = arrow()
        db.register("given", table)
        db.execute("CREATE TABLE t AS FROM given")


Format = tuple[str, str, Callable[[Path], bytes]]
"""The name of the file, how a plan calls it, and its bytes."""


def _stats(write: Callable[..., None]) -> Callable[[str], None]:
    def writing(file: str) -> None:
        frame = _frame()
        if file.endswith(".xpt"):
            frame["day"] = (frame["day"] - datetime(1960, 1, 1)).dt.days.astype(float)
            write(frame, file, file_format_version=5, variable_format={"day": "DATE9."})
        else:
            frame["day"] = frame["day"].dt.date
            write(frame, file)

    return writing


FORMATS: dict[str, Format] = {
    "csv": ("t.csv", "", lambda _: csv_text().encode()),
    "tsv": ("t.tsv", "", lambda _: csv_text("\t").encode()),
    "cp1252": ("t.txt", 'encoding = "cp1252"', lambda _: csv_text(";").encode("cp1252")),
    "utf-16": ("u.csv", 'encoding = "utf-16"', lambda _: csv_text().encode("utf-16")),
    "csv.gz": ("t.csv.gz", "", lambda _: gzip.compress(csv_text().encode())),
    "csv.zst": ("t.csv.zst", "", lambda _: pa.compress(csv_text().encode(), "zstd", asbytes=True)),
    "jsonl": ("t.jsonl", "", lambda _: _json()),
    "jsonl.gz": ("t.jsonl.gz", "", lambda _: gzip.compress(_json())),
    "parquet": ("t.parquet", "", lambda _: _parquet(arrow())),
    "parquet plain": (
        "p.parquet",
        "",
        lambda _: _parquet(arrow(), use_dictionary=False, compression="none", row_group_size=7),
    ),
    "arrow": ("t.arrow", "", lambda _: _ipc("file")),
    "arrow stream": ("s.arrow", "", lambda _: _ipc("stream")),
    "arrow lz4": ("l.feather", "", lambda _: _ipc("file", "lz4")),
    "xlsx": ("t.xlsx", "", lambda _: _xlsx()),
    "ods": ("t.ods", "", lambda _: ods(ods_xml())),
    "dta": ("t.dta", "", lambda f: _by_file(".dta", _stats(pyreadstat.write_dta), f)),
    "sav": ("t.sav", "", lambda f: _by_file(".sav", _stats(pyreadstat.write_sav), f)),
    "zsav": (
        "t.zsav",
        "",
        lambda f: _by_file(
            ".zsav", _stats(lambda d, p: pyreadstat.write_sav(d, p, compress=True)), f
        ),
    ),
    "xpt": ("t.xpt", "", lambda f: _by_file(".xpt", _stats(pyreadstat.write_xport), f)),
    "sqlite": ("sqlite:t.db#t", "", lambda f: _by_file(".db", _sqlite, f)),
    "duckdb": ("duckdb:d.db#t", "", lambda f: _by_file(".db", _duckdb, f)),
}
