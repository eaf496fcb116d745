"""Spreadsheets that are malformed: as people make them, as programs write them, and bombs."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import openpyxl

from tests.fire.good import NAMES, ROWS, ods, ods_xml
from tests.fire.made import Class, Made, put
from tests.fire.running import CANARY

__all__ = ["SHEETS"]


def _set(cell: Any, value: object, **more: str) -> None:
    cell.value = value
    for name, other in more.items():
        setattr(cell, name, other)


def _book(luck: Random, folder: Path) -> Made:
    """Sheets as people make them."""
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (NAMES, *ROWS):
        sheet.append(row)
    cell = sheet.cell(luck.randrange(2, 20), luck.randrange(1, 5))
    changes: list[Callable[[], object]] = [
        lambda: book.create_sheet("Other"),
        lambda: sheet.merge_cells(f"A{cell.row}:B{cell.row + 1}"),
        lambda: sheet.insert_rows(luck.choice([1, 3])),
        lambda: sheet.delete_rows(1, 30),
        lambda: _set(sheet.cell(1_048_576, 1), CANARY),
        lambda: _set(sheet.cell(1, 16_384), CANARY),
        lambda: _set(cell, "=1+1"),
        lambda: _set(cell, "#N/A", data_type="e"),
        lambda: _set(cell, luck.choice([True, 1e300, "\u202e", "_x0000_", -1, 3e6])),
        lambda: _set(cell, 0.5, number_format="hh:mm"),
        lambda: _set(cell, luck.choice([1e10, -5, 2_958_466, 60]), number_format="yyyy-mm-dd"),
    ]
    luck.choice(changes)()
    book.save(folder / "t.xlsx")
    return Made("t.xlsx")


def _rezipped(part: str, change: bytes, by: bytes) -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in (NAMES, *ROWS):
        book.active.append(row)
    book.save(out)
    made = io.BytesIO()
    with zipfile.ZipFile(out) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, content.replace(change, by, 1) if name == part else content)
    return made.getvalue()


LAUGHS = (
    b'<!DOCTYPE l [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(9))
    + b"]>"
)
SHEET, TEXTS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"


def _xml(luck: Random, folder: Path) -> Made:
    """Parts that a program wrote wrongly, or somebody who means harm."""
    changes = [
        (SHEET, b"<worksheet", LAUGHS + b"<worksheet"),
        (TEXTS, b"<sst", LAUGHS + b"<sst"),
        (TEXTS, b"<t>who</t>", b"<t>&j;</t>"),
        (SHEET, b"<v>0</v>", b"<v>99999</v>"),
        (SHEET, b"<v>0</v>", b"<v>-1</v>"),
        (SHEET, b"<v>30</v>", b"<v>" + b"9" * 400 + b"</v>"),
        (SHEET, b"<v>30</v>", b"<v>nan</v>"),
        (SHEET, b'r="A2"', b'r="ZZZZ2"'),
        (SHEET, b'r="A2"', b'r="A999999999999"'),
        (SHEET, b'<row r="3"', b'<row r="1000000"'),
        (SHEET, b'<row r="3"', b'<row r="-3"'),
        (SHEET, b'<row r="3"', b'<row r="2"'),
        (SHEET, b'r="B3"', b'r="A3"'),
        (SHEET, b'r="B3"', b'r="XFD3"'),
        (SHEET, b'<c r="A3" t="s">', b'<c r="A3" t="zz">'),
        (SHEET, b' s="1"', b' s="77"'),
        ("xl/styles.xml", b"numFmtId", b"x"),
        ("xl/workbook.xml", b'name="Sheet"', b'name="' + b"S" * 100_000 + b'"'),
        ("xl/_rels/workbook.xml.rels", b"worksheets/sheet1.xml", b"../../../etc/passwd"),
        ("xl/_rels/workbook.xml.rels", b"/xl/worksheets/sheet1.xml", b"file:///etc/passwd"),
        ("[Content_Types].xml", b"<Types", b"<x"),
        (SHEET, b"</worksheet>", b""),
        (SHEET, b"<sheetData>", b"<sheetData>" + b"<a>" * 50_000),
    ]
    return put(folder, "t.xlsx", _rezipped(*luck.choice(changes)))


def _archive(luck: Random, folder: Path) -> Made:
    """Archives that are bombs, or lie."""
    name = luck.choice(["t.xlsx", "t.ods"])
    part = SHEET if name == "t.xlsx" else "content.xml"
    out = io.BytesIO(_rezipped("", b"", b"") if name == "t.xlsx" else ods(ods_xml()))
    odd = luck.randrange(5)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        if odd == 0:  # a GB and a half in one part, which nothing refers to
            with archive.open("xl/media/a.bin", "w", force_zip64=True) as large:
                for _ in range(1500):
                    large.write(bytes(1 << 20))
        elif odd == 1:  # two parts of one name
            archive.writestr(part, "<x/>")
        elif odd == 2:
            archive.writestr("../../escaped", CANARY)
        elif odd == 3:
            for number in range(20_000):
                archive.writestr(f"xl/{number}", "")
    content = bytearray(out.getvalue())
    if odd == 4:  # the size of a part is another one than it says
        place = content.rfind(b"PK\x01\x02")
        content[place + 24 : place + 28] = luck.choice([b"\xff\xff\xff\x7f", b"\1\0\0\0"])
    return put(folder, name, bytes(content))


def _large_sheet(luck: Random, folder: Path) -> Made:
    """A small file that repeats its cells millions of times."""
    rows, columns = luck.choice(
        [(1_048_576, 1), (1, 16_384), (1_048_576, 16_384), (10**9, 10**9), (-5, 1)]
    )
    xml = ods_xml().replace(
        "<table:table-row>", f'<table:table-row table:number-rows-repeated="{rows}">'
    )
    last = xml.rindex("<table:table-cell")
    xml = (
        xml[:last]
        + f'<table:table-cell table:number-columns-repeated="{columns}" '
        + xml[last + 18 :]
    )
    return put(
        folder, "t.ods", ods(luck.choice([xml, xml.replace(' table:number-rows-repeated="1"', "")]))
    )


def _ods(luck: Random, folder: Path) -> Made:
    xml = ods_xml()
    changes = [
        ('office:value="30"', 'office:value="x"'),
        ('office:value="30"', ""),
        ('date-value="2024-05-01"', 'date-value="2024-15-01"'),
        ('date-value="2024-05-01"', 'date-value="99999-01-01"'),
        ('value-type="date"', 'value-type="time"'),
        ("<table:table-cell", '<table:table-cell table:number-rows-spanned="2"'),
        ("<text:p>", "<text:p>#N/A"),
        ("<office:body>", "<office:body><table:table>"),
        ("</table:table>", ""),
        ('<?xml version="1.0"?>', '<?xml version="1.0" encoding="x-none"?>'),
        ('<?xml version="1.0"?>', LAUGHS.decode()),
        ("<text:p>", '<text:p><text:s text:c="1000000000"/>'),
        ("<text:p>", '<text:p><text:s text:c="x"/>'),
        ('table:name="S"', ""),
        ("<table:table-row>", '<table:table-row table:number-rows-repeated="x">'),
    ]
    return put(folder, "t.ods", ods(xml.replace(*luck.choice(changes), luck.choice([1, -1]))))


SHEETS: dict[str, Class] = {
    "xlsx: as people make them": _book,
    "xlsx: odd parts": _xml,
    "archives": _archive,
    "ods: repeated cells": _large_sheet,
    "ods: odd content": _ods,
}
