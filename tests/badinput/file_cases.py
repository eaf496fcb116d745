"""Files of the kinds that people have, each wrong in one way."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from datetime import datetime, time
from pathlib import Path
from typing import Any

import openpyxl

from anachron.plan import Source
from anachron.schema import Schema
from tests.badinput.cases import GOOD, HEADER, Case, written
from tests.badinput.refusing import CANARY

__all__ = ["FILE_CASES"]

NAMES = ("who", "seen", "age", "note")
ROW = (f"{CANARY}a", datetime(2025, 1, 1), 30, CANARY)
GERMAN = Schema("who", "seen", "age", "note", time_format="%d.%m.%Y")
UTC = Schema("who", "seen", "age", "note", time_zone="Europe/Rome", stored_zone="UTC")


def sheet(
    *rows: tuple[object, ...], change: Callable[[Any], object] | None = None, **how: Any
) -> Callable[[Path], object]:
    """A spreadsheet with the names, a good row, these rows, and something changed."""

    def write(folder: Path) -> object:
        book = openpyxl.Workbook()
        for row in (NAMES, ROW, *rows):
            book.active.append(row)
        if change is not None:
            change(book)
        book.save(folder / "t.xlsx")
        return Source(folder / "t.xlsx", **how) if how else folder / "t.xlsx"

    return write


def cell(place: str, value: object, kind: str | None = None) -> Callable[[Any], None]:
    def change(book: Any) -> None:
        book.active[place] = value
        if kind is not None:
            book.active[place].data_type = kind

    return change


def bomb(folder: Path) -> Path:
    """An archive that says it unpacks to 3 GB."""
    file = folder / "t.xlsx"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    content = bytearray(file.read_bytes())
    at = content.index(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", 3 << 30)
    file.write_bytes(content)
    return file


def lines(*rows: str, name: str = "t.jsonl") -> Callable[[Path], Path]:
    good = f'{{"who": "{CANARY}a", "seen": "2025-01-01", "age": 30, "note": "{CANARY}"}}'
    return written("".join(f"{row}\n" for row in (good, *rows)), name)


def told(write: Callable[[Path], Path], **how: Any) -> Callable[[Path], Source]:
    return lambda folder: Source(write(folder), **how)


def several(*names: str) -> Callable[[Path], Path]:
    """A folder with files of these names."""

    def write(folder: Path) -> Path:
        for name in names:
            file = folder / "t" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(HEADER + GOOD)
        return folder / "t"

    return write


X, J = "t.xlsx", "t.jsonl"
JSON = '{"who": "b", "seen": "2025-01-02", "age": %s, "note": "x"}'
FILE_CASES = [
    Case("several sheets", sheet(change=lambda b: b.create_sheet("Two")), "'Sheet', 'Two'", file=X),
    Case("no such sheet", sheet(sheet="Three"), "no sheet of that name: 'Sheet'", file=X),
    Case("no header there", sheet(header=9), "row 9 of the sheet names no columns", file=X),
    Case("merged cells", sheet(ROW, change=lambda b: b.active.merge_cells("C2:C3")),
         "has merged cells in row 2", "age", 1, file=X),
    Case("an error", sheet(change=cell("C2", "#N/A", "e")), "holds an error", "age", 1, file=X),
    Case("a formula that was never calculated", sheet(ROW, change=cell("C3", "=1+1")),
         "has a formula without a value in row 3", "age", 2, file=X),
    Case("a time of day", sheet(change=cell("B2", time(3, 4))), "time of day", "seen", 1, file=X),
    Case("a gap", sheet(change=cell("A5", "b")), "row 3 of the sheet is empty", None, 2, file=X),
    Case("numbers and texts", sheet(ROW, ("b", datetime(2025, 1, 1), "old", "x")),
         "mixes numbers and text", "age", 3, file=X),
    Case("an early date", sheet(change=cell("B2", datetime(1900, 1, 5))), "before March 1900",
         "seen", 1, file=X),
    Case("no spreadsheet", written("who,seen\n", X), "is damaged, or not", file=X),
    Case("an old one", written(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", X), "by a password", file=X),
    Case("one that is cut off", lambda f: written(sheet()(f).read_bytes()[:-99], X)(f),
         "is damaged", file=X),
    Case("a bomb", bomb, "would unpack to more than 2 GB", file=X),
    Case("an old ending", written("x", "t.xls"), "of a kind that cannot be read", file="t.xls"),
    Case("Windows text, not said",
         written((HEADER + GOOD + "Zoë,2025-01-02,1,x\n").encode("cp1252")),
         "bytes that are not UTF-8", None, 2),
    Case("bytes that Windows does not use",
         told(written((HEADER + GOOD).encode() + b"\x81,2025-01-02,1,x\n"), encoding="cp1252"),
         "the row has bytes that are not cp1252", None, 2),
    Case("half a sign of UTF-16",
         told(written((HEADER + GOOD).encode("utf-16") + b"x"), encoding="utf-16"),
         "bytes that are not utf-16", None, 2),
    Case("no zst", written(HEADER + GOOD, "t.csv.zst"), "cannot be unpacked", file="t.csv.zst"),
    Case("nested", lines(JSON % "[1]"), "holds nested values", "age", 2, file=J),
    Case("an inner object", lines(JSON % '{"x": 1}'), "holds nested values", "age", 2, file=J),
    Case("kinds in one key", lines(JSON % '"old"'), "mixes numbers and text", "age", 2, file=J),
    Case("beyond 64 bits", lines(JSON % (2**63)), "beyond 64 bits", "age", file=J, row=1),
    Case("no JSON", lines("{", JSON % 1), "not JSON", file=J, row=2),
    Case("no object", lines("[1]"), "holds no object", file=J, row=2),
    Case("no key", written('{"who": 1}\n', J), "is not in the table", "seen", file=J),
    Case("files of several kinds", several("a.csv", "b.jsonl"), "files of several kinds", file="t"),
    Case("folders that differ", several("year=1/a.csv", "b.csv"), "do not name the same", file="t"),
    Case("a Delta table", several("a.parquet", "_delta_log/0.json"), "is a Delta table", file="t"),
    Case("nothing", several("a.doc"), "holds no table", file="t"),
    Case("another format of times", written(HEADER + GOOD), "is not written as time_format says",
         "seen", 1, GERMAN),
    Case("a day that does not exist", written(HEADER + f"{CANARY},31.02.2025,1,x\n"),
         "is a day that does not exist", "seen", 1, GERMAN),
    Case("a format for dates", sheet(), "the table itself says what its times are", "seen",
         None, GERMAN, X),
    Case("days of another zone", written(HEADER + GOOD), "days without a time of day", "seen",
         None, UTC),
    Case("moments of another zone", written(f"{HEADER}{CANARY},2025-01-01T00:00Z,1,x\n"),
         "moments, which are the same in every zone", "seen", None, UTC),
]  # fmt: skip
"""What each is refused for is said as for all other tables."""
