"""Roles are proposed from names, types and counts, each with a reason, never with a value."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from anachron.demo.visits import visits
from anachron.errors import TableError
from anachron.proposing.propose import propose
from tests.daily import daily

ROLES = (("patient",), ("admitted",), ("age", "sex", "ward"), ("diagnosis",))


def roles(found):
    return tuple(map(found.columns, ("subject", "time", "quasi", "sensitive")))


@pytest.fixture(scope="module")
def table():
    return visits().slice(0, 2_000)


@pytest.mark.parametrize("form", ["parquet", "csv", "tsv", "arrow", "duckdb", "sqlite", "folder"])
def test_every_kind_of_source(tmp_path, table, form):
    address = str(tmp_path / f"visits.{form}")
    if form == "parquet":
        pq.write_table(table, address)
    elif form == "folder":
        (tmp_path / "visits.folder").mkdir()
        pq.write_table(table, tmp_path / "visits.folder" / "a.parquet")
    elif form in ("csv", "tsv"):
        mark = {"csv": ",", "tsv": "\t"}[form]
        options = pyarrow.csv.WriteOptions(delimiter=mark)
        pyarrow.csv.write_csv(table, address, options)
    elif form == "arrow":
        pyarrow.feather.write_feather(table, address)
    elif form == "duckdb":
        with duckdb.connect(address) as con:
            con.register("rows", table)
            con.execute("CREATE TABLE visits AS FROM rows")
        address = f"duckdb:{address}#visits"
    else:
        import sqlite3

        with sqlite3.connect(address) as lite:
            lite.execute("CREATE TABLE visits (patient, admitted, age, sex, ward, diagnosis)")
            rows = [tuple(str(cell) if isinstance(cell, datetime) else cell
                          for cell in row.values()) for row in table.to_pylist()]  # fmt: skip
            lite.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?, ?)", rows)
        lite.close()
        address = f"sqlite:{address}#visits"
    found = propose(address, k=2)
    assert roles(found) == ROLES
    assert found.rows == 2_000
    promised = [granularity.name for granularity in found.guarantee.granularities]
    assert promised[:2] == ["minute", "quarter_hour"]
    assert promised[-1] == "half_year"
    assert dict(found.guarantee.ladders)["age"].describe()[1] == "bins of 5"


def made(tmp_path, **columns):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(columns), path)
    return str(path)


DAYS = [date(2024, 1, 1) + timedelta(i % 100) for i in range(600)]


def test_given_roles_are_kept(tmp_path):
    table = made(tmp_path, who=[f"x{i % 90}" for i in range(600)], d1=DAYS, d2=DAYS, c=[1, 2] * 300)
    found = propose(table, subject="who", time="d2", quasi=["c"])
    assert roles(found)[:3] == (("who",), ("d2",), ("c",))
    assert "as you said" in found.role("who").reason
    assert "another column that tells a time" in found.role("d1").reason


def test_a_person_is_not_made_up(tmp_path):
    table = made(tmp_path, state=["a", "b", "c"] * 200, day=DAYS)
    found = propose(table)
    assert (found.columns("subject"), found.schema.subject, found.people) == ((), "each row", 600)
    assert found.warnings[0].startswith("No column tells people apart")


def test_two_columns_that_are_a_person_together_are_named(tmp_path):
    home = [i // 3 for i in range(600)]
    table = made(
        tmp_path, SERIALNO=home, SPORDER=[1, 2, 3] * 200, AGEP=[i % 90 for i in range(600)]
    )
    found = propose(table)
    assert found.columns("subject") == found.schema.subject == ("SERIALNO", "SPORDER")
    assert found.people == 600


def test_a_time_is_not_made_up(tmp_path):
    table = made(tmp_path, user=list(range(300)) * 2, n=list(range(600)))
    assert "no column looks like a time" in propose(table, "granularity").missing
    assert "some people have several rows" in propose(table).missing


@pytest.mark.parametrize(
    ("unit", "values", "finest"),
    [
        ("year", [1990 + i % 10 for i in range(600)], "year"),
        ("month", [200_001 + 100 * (i % 10) + i % 12 for i in range(600)], "month"),
        ("month", [f"20{i % 10:02d}-{i % 12 + 1:02d}" for i in range(600)], "month"),
        ("s", [1_700_000_000 + 1_000 * i for i in range(600)], "second"),
        ("ms", [1_700_000_000_000 + 1_000 * i for i in range(600)], "second"),
        ("us", [1_700_000_000_000_000 + 10**9 * i for i in range(600)], "second"),
    ],
)
def test_times_as_whole_numbers(tmp_path, unit, values, finest):
    table = made(tmp_path, user=list(range(300)) * 2, time=values)
    found = propose(table)
    assert (found.schema.time, found.schema.time_unit) == ("time", unit)
    assert found.guarantee.granularities[0].name == finest


@pytest.mark.parametrize(
    ("step", "recorded"),
    [(timedelta(days=1), "day"), (timedelta(hours=1), "hour"), (timedelta(minutes=15),
     "quarter_hour"), (timedelta(seconds=1), "second"), (timedelta(microseconds=7), "second")],
)  # fmt: skip
def test_granularities_are_not_finer_than_recorded(tmp_path, step, recorded):
    times = [datetime(2024, 1, 1) + i * step for i in range(600)]
    found = propose(made(tmp_path, user=list(range(300)) * 2, at=times))
    assert found.guarantee.granularities[0].name == recorded


def test_what_would_single_people_out_is_left_out(tmp_path):
    table = made(
        tmp_path,
        user=[i % 150 for i in range(600)],
        at=DAYS,
        email=[f"{i % 150}@x.org" for i in range(600)],
        receipt=list(range(600)),
        week=[i % 15 for i in range(600)],
        constant=[1] * 600,
        listed=[[1]] * 600,
        colour=[("red", "green", "blue")[i % 150 % 3] for i in range(600)],
        mood=[("good", "bad", "so so", "none")[i // 150] for i in range(600)],
        reason=[("a", "b", "c", "d")[i // 150] for i in range(600)],
    )
    found = propose(table)
    home = {"email", "receipt", "week", "constant", "listed", "mood"}
    assert set(found.columns("home")) == home
    assert (found.columns("quasi"), found.columns("sensitive")) == (("colour",), ("reason",))
    assert [role.column for role in found.roles] == pq.read_schema(table).names


def test_columns_that_cannot_be_read_are_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "user,at,x,x\n" + "".join(f"u{i % 9},2024-01-0{i % 9 + 1},1,2\n" for i in range(99))
    )
    assert propose(str(path)).role("x").reason == "it cannot be read as it is"


@pytest.mark.parametrize("many", daily([400, 1_000], 400))
def test_many_columns_are_looked_at(tmp_path, many):
    more = {f"score_{'abcdefghij'[i % 10]}_{i}x": [1, 2, 3] * 20 for i in range(many)}
    table = made(tmp_path, user=[f"u{i % 30}" for i in range(60)], at=DAYS[:60], **more)
    found = propose(table, subject="user")
    assert len(found.roles) == many + 2
    assert len(found.columns("sensitive")) <= 12


def test_a_table_without_rows_is_told(tmp_path):
    (tmp_path / "empty.csv").write_text("user,at,age\n")
    with pytest.raises(TableError, match=r"empty.csv: has no rows. Give the whole table"):
        propose(str(tmp_path / "empty.csv"))


def test_missing_files_are_named(tmp_path):
    for address in (str(tmp_path / "no.csv"), f"sqlite:{tmp_path}/no.db#t", str(tmp_path / "no.x")):
        with pytest.raises(TableError):
            propose(address)


def test_no_value_is_repeated(tmp_path):
    secret = "Xanthippe"
    table = made(tmp_path, user=[f"{secret}{i % 90}" for i in range(600)], at=DAYS,
                 name=[secret] * 600, sex=[secret, "b"] * 300)  # fmt: skip
    found = propose(table)
    assert secret not in repr(found) + found._repr_html_() + str(found.to_dict())
