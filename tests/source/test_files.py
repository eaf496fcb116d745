"""What only files of one kind have: labels, declared gaps, folders that are columns, extras."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import anachron as an
from anachron.behind import read
from anachron.cli.main import anachron
from anachron.engines.local.load import load
from anachron.errors import PlanError, TableError
from tests.source.small import ROWS, arrow
from tests.source.small import SCHEMA as SMALL
from tests.source.small_files import book, ods, stata

SCHEMA = an.Schema("who", quasi=["sex", "age"])
ANSWERS = pd.DataFrame({"who": ["a", "b", "c"], "sex": [1, 2, 1], "age": [30.5, 99.0, 41.0]})


def quasi(table: object, schema: an.Schema = SCHEMA) -> list[dict[str, list[object]]]:
    """What both readers see of the quasi columns."""
    with closing(load(table, schema)) as loaded, closing(read(table, schema)) as seen:
        return [
            {name: [one.values[code].as_py() for code in one.codes] for name, one in of.items()}
            for of in (loaded.quasi, seen.quasi)
        ]


def spss(folder: Path) -> Path:
    pyreadstat = pytest.importorskip("pyreadstat")
    pyreadstat.write_sav(
        ANSWERS, folder / "t.sav",
        variable_value_labels={"sex": {1: "männlich", 2: "weiblich"}, "age": {99: "no answer"}},
        missing_ranges={"age": [99]},
    )  # fmt: skip
    return folder / "t.sav"


def stata_labels(folder: Path) -> Path:
    ANSWERS.to_stata(
        folder / "t.dta", write_index=False, version=118,
        value_labels={"sex": {1: "männlich", 2: "weiblich"}},
    )  # fmt: skip
    return folder / "t.dta"


def test_codes_or_labels_and_what_is_declared_missing_is_missing(tmp_path: Path) -> None:
    for seen in quasi(spss(tmp_path)):
        assert seen == {"sex": [1, 2, 1], "age": [30.5, None, 41.0]}
    for seen in quasi(an.Source(spss(tmp_path), labels=True)):
        assert seen == {"sex": ["männlich", "weiblich", "männlich"], "age": [30.5, None, 41.0]}


def test_labels_of_stata(tmp_path: Path) -> None:
    for seen in quasi(stata_labels(tmp_path)):
        assert seen == {"sex": [1, 2, 1], "age": [30.5, 99.0, 41.0]}
    for seen in quasi(an.Source(stata_labels(tmp_path), labels=True)):
        assert seen["sex"] == ["männlich", "weiblich", "männlich"]


def test_days_and_moments_are_told_by_the_format(tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat")
    when = [datetime(2024, 2, 29), datetime(1959, 12, 31), datetime(2024, 7, 1)]
    frame = ANSWERS.assign(day=when, at=[at.replace(hour=13, minute=5) for at in when])
    frame.to_stata(tmp_path / "t.dta", write_index=False, convert_dates={"day": "td", "at": "tc"})
    schema = an.Schema("who", quasi=["day", "at"])
    for seen in quasi(tmp_path / "t.dta", schema):
        assert seen["day"] == [at.date() for at in when]
        assert seen["at"] == [at.replace(hour=13, minute=5) for at in when]
    frame.to_stata(tmp_path / "m.dta", write_index=False, convert_dates={"day": "tm", "at": "tc"})
    with pytest.raises(TableError, match="'day': holds times that are neither days nor moments"):
        load(tmp_path / "m.dta", schema)


@pytest.mark.parametrize("name", ["t.dta", "t.sav", "t.xpt", "t.sas7bdat"])
def test_a_damaged_file_is_refused(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat")
    (tmp_path / name).write_bytes(b"$FL2@(#) Canary4711" * 40)
    with pytest.raises(TableError, match=f"{name}: cannot be read: it is damaged"):
        load(tmp_path / name, SCHEMA)


@pytest.mark.parametrize(("library", "extra"), [("openpyxl", "excel"), ("pyreadstat", "stats")])
def test_a_missing_library_is_named_with_the_command(
    library: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = book(tmp_path / "t.xlsx", [("who",), ("a",)]) if extra == "excel" else stata(tmp_path)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(TableError, match=rf"pip install 'anachron\[{extra}\]'"):
        load(file, SCHEMA)


def test_folders_are_columns(tmp_path: Path) -> None:
    table = arrow()
    for n, (_, _, age, zipcode, _) in enumerate(ROWS):
        place = tmp_path / "t" / f"age={age}" / f"zip={zipcode or '__HIVE_DEFAULT_PARTITION__'}"
        place.mkdir(parents=True, exist_ok=True)
        rows = table[n : n + 1].drop_columns(["age", "zip"])
        pq.write_table(rows, place / f"{n}.parquet")
    schema = an.Schema("who", quasi=["age", "zip"])
    for seen in quasi(tmp_path / "t", schema):
        assert seen == {"age": [30, 30, 41, 5], "zip": ["01234", None, "01234", "99999"]}
    for kind in ("csv", "jsonl"):
        for n, (who, _, age, _, _) in enumerate(ROWS):
            place = tmp_path / kind / f"age={age}"
            place.mkdir(parents=True, exist_ok=True)
            text = f"who\n{who}\n" if kind == "csv" else f'{{"who": "{who}"}}\n'
            (place / f"{n}.{kind}").write_text(text, encoding="utf-8")
        for seen in quasi(tmp_path / kind, an.Schema("who", quasi="age")):
            assert seen == {"age": [30, 30, 41, 5]}


def test_a_single_file_says_all_of_itself(tmp_path: Path) -> None:
    (tmp_path / "age=1").mkdir()
    file = tmp_path / "age=1" / "t.csv"
    file.write_text("who,age\na,30\n")
    for seen in quasi(file, an.Schema("who", quasi="age")):
        assert seen == {"age": [30]}


def test_decimal_commas_are_numbers_and_points_are_not(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("who;sex;age\na;1,5;1.5\nb;-2;2\nc;1,5e1;3\n")
    for seen in quasi(an.Source(file, decimal=",")):
        assert seen == {"sex": [1.5, -2.0, 15.0], "age": ["1.5", "2", "3"]}
    for seen in quasi(file):
        assert seen == {"sex": ["1,5", "-2", "1,5e1"], "age": [1.5, 2.0, 3.0]}


def test_numbers_of_a_sheet_are_whole_if_all_are(tmp_path: Path) -> None:
    rows = [("who", "sex", "age", 2024), ("a", 1, 1, 0), ("b", 2.0, 1.5, 1), ("c", None, 2, 2)]
    for seen in quasi(
        book(tmp_path / "t.xlsx", rows), an.Schema("who", quasi=["sex", "age", "2024"])
    ):
        assert seen == {"sex": [1, 2, None], "age": [1.0, 1.5, 2.0], "2024": [0, 1, 2]}
        assert [type(value) for value in seen["sex"][:2]] == [int, int]


@pytest.mark.parametrize(
    ("table", "how", "says"),
    [
        ("t.csv", {"sheet": "x"}, "sheet is for spreadsheets"),
        ("t.xlsx", {"encoding": "cp1252"}, "encoding is for text files"),
        ("t.parquet", {"labels": True}, "labels is for files of Stata and SPSS"),
        ("t.csv", {"encoding": "ebcdic"}, "encoding must be one of utf-8"),
        ("t.csv", {"decimal": ";"}, "decimal must be one of"),
        ("t.xlsx", {"header": 0}, "header must be a whole number from 1"),
    ],
)
def test_an_option_that_does_not_fit_is_refused(
    table: str, how: dict[str, object], says: str
) -> None:
    with pytest.raises(PlanError, match=says):
        an.Source(table, **how)


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"time_format": "%d.%m.%y"}, "signs that it may not have"),
        ({"time_format": "%d.%Y"}, "must name year"),
        ({"time_format": "%d.%m.%Y %I:%M"}, "%I and %p together"),
        ({"time_format": "%d.%m.%Y", "time_unit": "s"}, "time_format is given, and time_unit"),
        ({"stored_zone": "UTC", "time_unit": "year"}, "stored_zone is given, and time_unit"),
        ({"stored_zone": "Mars"}, "not a known time zone"),
    ],
)
def test_times_that_cannot_be_read_so_are_refused(schema: dict[str, str], says: str) -> None:
    with pytest.raises(PlanError, match=says):
        an.Schema("who", "seen", **schema)
    with pytest.raises(PlanError, match="there is no time"):
        an.Schema("who", time_format="%d.%m.%Y")


@pytest.mark.parametrize(
    ("written", "text", "means"),
    [
        ("%d.%m.%Y", "1.3.2024", "2024-03-01T00:00"),
        ("%m/%d/%Y %I:%M %p", "03/01/2024 07:05 PM", "2024-03-01T19:05"),
        ("%d-%b-%Y %H:%M:%S.%f", "01-mar-2024 07:05:01.25", "2024-03-01T07:05:01.250"),
        ("%Y%m%d %H%M %z", "20240301 0705 +0130", "2024-03-01T05:35Z"),
    ],
)
def test_a_format_is_read_as_the_iso_text_would_be(
    written: str, text: str, means: str, tmp_path: Path
) -> None:
    tables = [pa.table({"who": ["a"], "seen": [one]}) for one in (text, means)]
    schemas = (
        an.Schema("who", "seen", time_format=written, time_zone="Europe/Rome"),
        an.Schema("who", "seen", time_zone="Europe/Rome"),
    )
    found = []
    for table, schema in zip(tables, schemas, strict=True):
        with closing(load(table, schema)) as loaded, closing(read(table, schema)) as seen:
            assert loaded.instants.tolist() == seen.instants.tolist()
            assert loaded.digest() == seen.digest()
            found.append((loaded.instants.tolist(), loaded.digest()))
    assert found[0] == found[1]


def test_init_takes_what_a_sheet_needs_and_writes_it_down(tmp_path: Path) -> None:
    visits = ((f"p{i % 30}", datetime(2024, 5, 1 + i % 28), 30 + i % 5) for i in range(60))
    book(tmp_path / "t.xlsx", [("A title",), ("patient", "day", "age"), *visits])
    done = CliRunner().invoke(anachron, ["init", "t.xlsx", "--header", "2", "--json"])
    assert done.exit_code == 0, done.output
    assert an.Plan.read("plan.toml").source == an.Source(tmp_path / "t.xlsx", header=2)
    again = an.Plan.read("plan.toml").with_table("other.xlsx")
    assert again.source.options == {"header": 2}
    done = CliRunner().invoke(anachron, ["init", "t.xlsx", "--sheet", "None", "-o", "b.toml"])
    assert done.exit_code == 2
    assert "no sheet of that name: 'Visits'" in done.output


def test_the_answer_of_any_database_is_a_table() -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        cursor = db.execute("SELECT 'a' AS who, 1 AS sex, 2.5 AS age UNION SELECT 'b', 2, NULL")
        with closing(load(cursor, SCHEMA)) as loaded, closing(read(loaded.given, SCHEMA)) as seen:
            assert loaded.rows == seen.rows == 2
            assert loaded.quasi["age"].values.to_pylist() == [2.5, None]
        mixed = db.execute("SELECT 'a' AS who, 1 AS sex, 2.5 AS age UNION SELECT 'b', 'x', 1.0")
        with pytest.raises(
            TableError, match=r"column 'sex', row 2: holds values of different types"
        ):
            load(mixed, SCHEMA)
        with pytest.raises(TableError, match="the cursor holds no rows"):
            load(db.cursor(), SCHEMA)
        with pytest.raises(TableError, match="'age': is not in the table"):
            load(db.execute("SELECT 'a' AS who, 1 AS sex"), SCHEMA)
        late = db.execute("SELECT 'a' AS who, 1 AS sex, 2 AS age")
    with pytest.raises(TableError, match="cannot be fetched"):
        load(late, SCHEMA)


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        ("<table:table-cell/>", "<table:covered-table-cell/>", "column 'zip', row 3: holds merged"),
        (
            '"string"><text:p>a,b',
            '"string" table:formula="x"><text:p>#N/A',
            "'note', row 2: holds an error",
        ),
        (
            '"float" office:value="41"',
            '"time" office:time-value="PT1H"',
            "time of day or a duration",
        ),
        ("</table:table>", "</table:table><table:table table:name='B'/>", "'Visits', 'B'"),
    ],
)
def test_both_readers_refuse_what_is_no_table_in_a_sheet_of_libreoffice(
    was: str, now: str, says: str, tmp_path: Path
) -> None:
    file = ods(tmp_path, changed=(was, now))
    with pytest.raises(TableError, match=says):
        read(file, SMALL)
    marked = says.startswith(("column", "'note'"))
    first = says.replace("row 3: holds", "row 3: has") if marked else None
    with pytest.raises(TableError, match=first):
        load(file, SMALL)


def test_merged_cells_of_a_sheet_of_libreoffice_are_refused_where_they_begin(
    tmp_path: Path,
) -> None:
    first = '<table:table-cell office:value-type="string"><text:p>a,b'
    spanned = first.replace("cell office", 'cell table:number-rows-spanned="2" office')
    file = ods(tmp_path, changed=(first, spanned))
    with pytest.raises(TableError, match=r"'note', row 2: has merged cells in row 3 of the sheet"):
        load(file, SMALL)
    with pytest.raises(TableError, match=r"'note', row 2: holds merged cells"):
        read(file, SMALL)


def test_an_error_that_libreoffice_marks_as_one_is_refused(tmp_path: Path) -> None:
    told = 'xmlns:c="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
    now = f'"string" {told} c:value-type="error" office:string-value=""><text:p>'
    file = ods(tmp_path, changed=('"string"><text:p>a,b', now))
    with pytest.raises(TableError, match="'note', row 2: holds an error, such as"):
        load(file, SMALL)
    with pytest.raises(TableError, match="'note', row 2: holds"):
        read(file, SMALL)
