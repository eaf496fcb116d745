"""Whatever the reader of a file gets wrong, the audit sees, who reads the file in another way.

Each fault is seeded into a reader of ``source`` by itself; a table is published through it, and
refused. Without any fault every one of these tables is published, as the same bytes as the Parquet
file with the same rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.errors import AnachronError
from anachron.source import cells, delimited, excel, jsonlines, numbers, statistics
from anachron.source import read as door
from tests.source.small_files import book, ods

pytestmark = pytest.mark.usefixtures("one_key")

Patch = pytest.MonkeyPatch
Make = Callable[[Path], object]
NAMES = ["who", "seen", "age", "ill"]
ROWS = [
    (
        f"p{i % 12:02}",
        datetime(2024, 3, 1 + i % 9, 23),
        30 + i % 4 + 0.5,
        ("flü", "gicht")[i % 5 % 2],
    )
    for i in range(48)
]
ROLES = {"subject": "who", "time": "seen", "sensitive": ["age", "ill"], "time_zone": "Europe/Rome"}
SCHEMA = an.Schema(**ROLES)
GERMAN = an.Schema(**ROLES, time_format="%d.%m.%Y %H:%M")
STORED = an.Schema(**ROLES, stored_zone="America/New_York")
PROMISE = an.TimeGranularity(k=2, granularities=["day", "week", "month"])


def frame() -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=NAMES)


def sheet(folder: Path) -> Path:
    return book(folder / "t.xlsx", [tuple(NAMES), *ROWS])


def text(folder: Path, written: str = "%Y-%m-%dT%H:%M") -> an.Source:
    lines = [";".join(NAMES)]
    lines += [
        f"{who};{at:{written}};{age!s};{ill}".replace(".5;", ",5;") for who, at, age, ill in ROWS
    ]
    (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="cp1252")
    return an.Source(folder / "t.csv", encoding="cp1252", decimal=",")


def german(folder: Path) -> an.Source:
    return text(folder, "%d.%m.%Y %H:%M")


def lines(folder: Path) -> Path:
    frame().to_json(
        folder / "t.jsonl", orient="records", lines=True, date_format="iso", date_unit="s"
    )
    content = (folder / "t.jsonl").read_text().replace("Z", "").replace(".000", "")
    (folder / "t.jsonl").write_text(content)
    return folder / "t.jsonl"


def hive(folder: Path) -> Path:
    for ill, some in frame().groupby("ill"):
        place = folder / "t" / f"ill={ill}"
        place.mkdir(parents=True)
        pq.write_table(pa.Table.from_pandas(some.drop(columns="ill")), place / "t.parquet")
    return folder / "t"


def spss(folder: Path) -> Path:
    pyreadstat = pytest.importorskip("pyreadstat")
    pyreadstat.write_sav(frame(), folder / "t.sav")
    return folder / "t.sav"


def stata(folder: Path) -> Path:
    frame().to_stata(folder / "t.dta", write_index=False, version=118, convert_dates={"seen": "tc"})
    return folder / "t.dta"


def sas(folder: Path) -> Path:
    pyreadstat = pytest.importorskip("pyreadstat")
    pyreadstat.write_xport(frame(), folder / "t.xpt", table_name="t", file_format_version=5)
    return folder / "t.xpt"


def libreoffice(folder: Path) -> Path:
    return ods(folder, (NAMES, *ROWS))


def packed(folder: Path) -> an.Source:
    content = text(folder).table
    file = folder / "t.tsv.zst"
    lines = Path(content).read_text(encoding="cp1252").replace(";", "\t").encode("utf-16")
    file.write_bytes(pa.compress(lines, codec="zstd", asbytes=True))
    return an.Source(file, encoding="utf-16", decimal=",")


def parquet(folder: Path) -> Path:
    pq.write_table(pa.Table.from_pandas(frame()), folder / "t.parquet")
    return folder / "t.parquet"


def published(make: Make, schema: an.Schema, folder: Path) -> dict[str, bytes]:
    folder.mkdir(exist_ok=True)
    release = an.publish(
        make(folder), schema, PROMISE, ledger=folder / "ledger", to=folder / "releases"
    )
    return {path.name: path.read_bytes() for path in release.path.iterdir()}


@pytest.mark.parametrize(
    "make", [sheet, libreoffice, text, packed, german, lines, hive, spss, stata, sas]
)
def test_the_release_is_that_of_the_parquet_file(make: Make, tmp_path: Path) -> None:
    schema = GERMAN if make is german else SCHEMA
    assert published(make, schema, tmp_path) == _of_parquet()


@cache
def _of_parquet() -> dict[str, bytes]:
    with TemporaryDirectory() as folder:
        return published(parquet, SCHEMA, Path(folder))


@dataclass(frozen=True)
class Fault:
    """A reader that is wrong."""

    name: str
    make: Make
    where: Any
    what: str
    wrong: Callable[[Any], Any]
    schema: an.Schema = SCHEMA


def _later(by: timedelta) -> Callable[[Any], Any]:
    def wrong(real: Any) -> Any:
        def value(*given: Any) -> Any:
            found = real(*given)
            return found + by if isinstance(found, datetime) else found

        return value

    return wrong


def _less(real: Any) -> Any:
    """The last row is lost."""
    return lambda *given: {k: v[:-1] for k, v in real(*given).items()}


def _whole(real: Any) -> Any:
    def cut(values: Any) -> Any:
        return real([None if value is None else int(value) for value in values])

    return cut


def _other_encoding(real: Any) -> Any:
    return lambda file, name, encoding, to: real(file, name, "cp437", to)


FAULTS = [
    Fault("dates of a sheet count from 1904", sheet, excel, "_value", _later(timedelta(days=1462))),
    Fault("a sheet loses its last row", sheet, excel, "columns_of_rows", _less),
    Fault("numbers of a sheet lose what follows the point", sheet, cells, "_numbers", _whole),
    Fault("numbers lose their comma", text, numbers, "_pointed",
          lambda _: lambda name, _: f"replace({name}, ',', '')"),
    Fault("another encoding", text, delimited, "transcode", _other_encoding),
    Fault("days and months are exchanged", german, "anachron.engines.local.times", "format_sql",
          lambda real: lambda name, form: real(name, form.replace("%d.%m", "%m.%d")), GERMAN),
    Fault("times are not those of the stored zone", sheet, "anachron.engines.local.walls", "clock",
          lambda real: lambda _, *rest: real("Europe/Rome", *rest), STORED),
    Fault("lines have the value of another key", lines, jsonlines, "_value",
          lambda real: lambda column, kind: real("who" if column == "ill" else column, kind)),
    Fault("a folder is taken for another", hive, door, "pieces_of",
          lambda real: lambda *given: real(*given)[:1]),
    Fault("moments of Stata are late", stata, statistics, "_at", _later(timedelta(hours=1))),
    Fault("SPSS loses its last row", spss, statistics, "_column",
          lambda real: lambda *given: real(*given)[:-1]),
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_of_a_reader_is_seen(fault: Fault, tmp_path: Path, monkeypatch: Patch) -> None:
    where = import_module(fault.where) if isinstance(fault.where, str) else fault.where
    monkeypatch.setattr(where, fault.what, fault.wrong(getattr(where, fault.what)))
    with pytest.raises(AnachronError):
        published(fault.make, fault.schema, tmp_path)
    assert not list((tmp_path / "releases").glob("[0-9]*"))
