"""The small table of ``small``, in the files that people have, each with how to read it."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anachron.plan import Source
from tests.source.sas_file import sas
from tests.source.small import NAMES, ROWS, arrow, csv_text

__all__ = ["FILES", "book", "ods"]


def book(file: Path, rows: list[tuple[object, ...]], title: str = "Visits") -> Path:
    """A spreadsheet with one sheet."""
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = title
    for row in rows:
        _append(sheet, row)
    made.save(file)
    return file


def _append(sheet: Any, row: tuple[object, ...]) -> None:
    """A row in which no text is a formula."""
    sheet.append(row)
    for cell in sheet[sheet.max_row]:
        cell.data_type = "s" if cell.data_type == "f" else cell.data_type


def excel(folder: Path) -> Path:
    return book(folder / "t.xlsx", [("left", *NAMES), *(("", *row) for row in ROWS)])


def excel_below_a_title(folder: Path) -> Source:
    file = folder / "Titel.XLSX"
    made = openpyxl.Workbook()
    made.active.append(["Visits of 2025"])
    made.active.merge_cells("A1:E1")
    sheet = made.create_sheet("Visits, all")
    sheet.append(["A title"])
    sheet.merge_cells("A1:E1")
    for row in (NAMES, *ROWS):
        _append(sheet, row)
    sheet["C9"] = ""  # rows that were emptied are no rows
    made.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    made.save(file)
    return Source(file, sheet="Visits, all", header=2)


def zstandard_file(folder: Path) -> Path:
    file = folder / "t.csv.zst"
    file.write_bytes(pa.compress(csv_text().encode(), codec="zstd", asbytes=True))
    return file


def utf16_file(folder: Path) -> Source:
    file = folder / "t.csv"
    file.write_text(csv_text(";"), encoding="utf-16", newline="")
    return Source(file, encoding="utf-16")


def utf16_big_first(folder: Path) -> Source:
    file = folder / "t.txt"
    file.write_bytes(b"\xfe\xff" + csv_text("\t").encode("utf-16-be"))
    return Source(file, encoding="utf-16")


def windows_file(folder: Path) -> Source:
    file = folder / "t.csv"
    file.write_text(csv_text(";"), encoding="cp1252")
    return Source(str(file), encoding="cp1252", decimal=",")


def windows_file_packed(folder: Path) -> Source:
    file = folder / "t.csv.gz"
    file.write_bytes(gzip.compress(csv_text(";").encode("iso-8859-15")))
    return Source(file, encoding="iso-8859-15")


def json_lines(folder: Path, name: str = "t.jsonl", rows: object = ROWS) -> Path:
    file = folder / name
    file.write_bytes(b"".join(
        json.dumps({"left": [1], **{n: v for n, v in zip(NAMES, row, strict=True) if v != "x"}},
                   default=str, ensure_ascii=n % 2 == 0).encode() + b"\n"
        for n, row in enumerate(rows)
    ))  # fmt: skip
    return file


def json_lines_packed(folder: Path) -> Path:
    file = folder / "t.ndjson.zst"
    content = json_lines(folder).read_bytes().replace(b'"zip": null, ', b"")
    file.write_bytes(pa.compress(content, codec="zstd", asbytes=True))
    return file


def json_folder(folder: Path) -> Path:
    (folder / "many").mkdir()
    json_lines(folder / "many", "a.jsonl", ROWS[:1])
    json_lines(folder / "many", "b.jsonl", ROWS[1:])
    return folder / "many"


def csv_pattern(folder: Path) -> str:
    header, *lines = csv_text().splitlines(keepends=True)
    for name, some in (("a", lines[:1]), ("b", lines[1:])):
        (folder / f"{name}.csv").write_text("".join([header, *some]))
    return str(folder / "?.csv")


def parquet_hive(folder: Path) -> Path:
    """Folders tell age and zip, which the files do not."""
    table = arrow()
    for n, (_, _, age, zipcode, _) in enumerate(ROWS):
        place = folder / "hive" / f"age={age}" / f"zip={zipcode or '__HIVE_DEFAULT_PARTITION__'}"
        place.mkdir(parents=True, exist_ok=True)
        pq.write_table(table[n : n + 1].drop_columns(["age", "zip"]), place / f"{n}.parquet")
    return folder / "hive"


def _frame() -> pd.DataFrame:
    frame = pd.DataFrame(ROWS, columns=NAMES)
    frame["zip"] = frame["zip"].fillna("")
    frame["note"] = frame["note"].fillna("")
    return frame


def stata(folder: Path) -> Path:
    _frame().to_stata(folder / "t.dta", write_index=False, version=118,
                      convert_dates={"seen": "tc"})  # fmt: skip
    return folder / "t.dta"


def spss(folder: Path, name: str = "t.sav", **how: Any) -> Path:
    pyreadstat = pytest.importorskip("pyreadstat")
    pyreadstat.write_sav(_frame(), folder / name, **how)
    return folder / name


def spss_packed(folder: Path) -> Path:
    return spss(folder, "t.zsav", compress=True)


def spss_in_rows(folder: Path) -> Path:
    return spss(folder, row_compress=True)


def sas_transport(folder: Path) -> Path:
    pyreadstat = pytest.importorskip("pyreadstat")
    pyreadstat.write_xport(_frame(), folder / "t.xpt", table_name="visits", file_format_version=5)
    return folder / "t.xpt"


def sas_data_set(folder: Path) -> Path:
    pytest.importorskip("pyreadstat")
    columns = {name: [row[at] for row in ROWS] for at, name in enumerate(NAMES)}
    moments = [day and (day - datetime(1960, 1, 1)).total_seconds() for day in columns["seen"]]
    return sas(folder / "t.sas7bdat", {**columns, "seen": moments}, {"seen": "DATETIME"})


_ODS = (
    '<?xml version="1.0"?><office:document-content xmlns:office="urn:o" xmlns:table="urn:t" '
    'xmlns:text="urn:x"><office:body><office:spreadsheet>{}</office:spreadsheet></office:body>'
    "</office:document-content>"
)


def ods(folder: Path, rows: object = (NAMES, *ROWS), changed: tuple[str, str] = ("", "")) -> Path:
    """A sheet with repeated and empty cells, as programs write them."""

    def cell(value: object) -> str:
        if value is None:
            return "<table:table-cell/>"
        if isinstance(value, datetime):
            told = f'"date" office:date-value="{value.isoformat()}"'
        elif isinstance(value, str):
            told = '"string"'
        else:
            told = f'"float" office:value="{value}"'
        text = f"<text:p>{escape(str(value))}</text:p>"
        return f"<table:table-cell office:value-type={told}>{text}</table:table-cell>"

    lines = "".join(
        f"<table:table-row>{''.join(map(cell, row))}"
        '<table:table-cell table:number-columns-repeated="1000"/></table:table-row>'
        for row in rows
    )
    repeated = 'table:number-rows-repeated="1048000"'
    end = f"<table:table-row {repeated}><table:table-cell/></table:table-row>"
    sheet = f'<table:table table:name="Visits">{lines}{end}</table:table>'
    with zipfile.ZipFile(folder / "t.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        content = _ODS.format(sheet.replace(*changed))
        for short, full in (("o", "office"), ("t", "table"), ("x", "text")):
            name = f"urn:oasis:names:tc:opendocument:xmlns:{full}:1.0"
            content = content.replace(f'"urn:{short}"', f'"{name}"')
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", '<?xml version="1.0"?><manifest/>')
    return folder / "t.ods"


FILES: list[Callable[[Path], object]] = [
    excel, excel_below_a_title, zstandard_file, utf16_file, utf16_big_first, windows_file,
    windows_file_packed, json_lines, json_lines_packed, json_folder, csv_pattern,
    ods, stata, spss, spss_packed, spss_in_rows, sas_transport,
    sas_data_set,
]  # fmt: skip
"""Everything that takes a folder to write in, and gives the table as a file or a source."""
