"""Who is the person: several columns together, each row, and never a column with few values."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner

import anachron as an
from anachron.cli.main import anachron
from anachron.database import connected
from anachron.errors import InputError
from anachron.proposing.columns import evidence
from anachron.proposing.determined import Telling, tellings
from anachron.proposing.propose import propose


def days(rows: int) -> list[str]:
    return [f"2024-05-{1 + i % 28:02}" for i in range(rows)]


def pupils(rows: int = 600) -> pa.Table:
    """A number is given in every class anew; both have few values."""
    rng = random.Random(4)
    who = [rng.randrange(120) for _ in range(rows)]
    return pa.table({
        "class_no": [i % 8 for i in who], "pupil_no": [1 + i // 8 for i in who],
        "day": days(rows), "sex": [("f", "m", "d")[i % 7 % 3] for i in who],
        "score": [rng.randrange(8) for _ in who],
    })  # fmt: skip


def practices(rows: int = 900) -> pa.Table:
    """Numbers that look like people, and are given in every practice anew."""
    rng = random.Random(5)
    who = [rng.randrange(300) for _ in range(rows)]
    return pa.table({
        "site": [f"s{i % 6}" for i in who], "patient_no": [i // 6 for i in who],
        "day": days(rows), "sex": [("f", "m")[i % 11 % 2] for i in who],
        "diagnosis": [rng.choice(["flu", "cold", "burn"]) for _ in who],
    })  # fmt: skip


@pytest.mark.parametrize(
    ("table", "person", "people"),
    [(pupils(), ("class_no", "pupil_no"), 120), (practices(), ("site", "patient_no"), 300)],
    ids=["nobody alone", "one contradicts itself"],
)  # fmt: skip
def test_two_columns_are_one_person(table: pa.Table, person, people: int) -> None:
    found = propose(table)
    names = [table[name].to_pylist() for name in person]
    assert {*found.columns("subject")} == {*person}
    assert found.people == len({*zip(*names, strict=True)}) <= people
    assert {*found.schema.subject_columns} == {*person}
    assert found.guarantee is not None
    assert found.role(person[0]).confidence == "doubtful"
    assert "sex" in found.role(person[0]).reason
    assert any("taken for one person together" in warning for warning in found.warnings)


def test_a_class_and_a_number_that_fit_nobody_are_not_a_person() -> None:
    """With another sex in every row, the two columns cannot be somebody."""
    table = pupils()
    other = table.set_column(3, "sex", [[("f", "m")[i % 2] for i in range(len(table))]])
    assert propose(other).columns("subject") == ()


def flags() -> pa.Table:
    return pa.table({
        "user": ["yes", "no"] * 300, "patient_id": [0, 1, 1] * 200, "day": days(600),
        "age": [20 + i % 30 for i in range(600)],
    })  # fmt: skip


def test_each_row_is_proposed_with_a_warning_where_nothing_tells_people_apart() -> None:
    found = propose(flags())
    assert (found.schema.subject, found.people) == ("each row", 600)
    assert found.guarantee == an.TimeGranularity(
        k=5, granularities=found.guarantee.granularities, ladders=dict(found.guarantee.ladders)
    )
    first = found.warnings[0]
    assert first.startswith("No column tells people apart: each of the 600 rows counts as a person")
    assert "protected less" in first


def test_a_register_of_nobody_is_not_proposed() -> None:
    found = propose(flags().drop_columns(["day"]))
    assert (found.method, found.guarantee) == ("invariance", None)
    assert "a register is one of people who are known again" in found.missing


def test_who_is_named_is_the_person() -> None:
    found = propose(practices(), subject=["patient_no", "site"])
    assert found.schema.subject == ("patient_no", "site")
    assert not any("taken for one" in warning for warning in found.warnings)
    rows = propose(practices(), subject="each row")
    assert (rows.schema.subject, rows.people) == ("each row", 900)
    assert rows.warnings[0].startswith("You said so")
    with pytest.raises(InputError, match="column 'nobody': is not in the table"):
        propose(practices(), subject=["nobody", "site"])
    named = practices().append_column("each row", [list(range(900))])
    with pytest.raises(InputError, match="Rename the column"):
        propose(named, subject="each row")


def test_init_writes_such_plans_and_publish_keeps_them(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    pyarrow.parquet.write_table(practices(), "visits.parquet")
    run = CliRunner().invoke
    two = ("init", "visits.parquet", "-o", "two.toml", "--subject", "site", "--subject",
           "patient_no", "-k", "2")  # fmt: skip
    assert run(anachron, two).exit_code == 0
    assert 'subject = ["site", "patient_no"]' in Path("two.toml").read_text()
    assert an.Plan.read("two.toml").schema.subject == ("site", "patient_no")
    rows = ("init", "visits.parquet", "-o", "rows.toml", "--subject", "each row", "--for",
            "granularity", "--quasi", "sex")  # fmt: skip
    told = run(anachron, rows)
    assert (told.exit_code, "counts as a person" in told.output) == (0, True)
    text = Path("rows.toml").read_text()
    assert "# each row is a person: rows are counted\nsubject = " in text
    made = run(anachron, ("publish", "rows.toml"))
    assert made.exit_code == 0, made.output
    assert "each of the 900 rows counts as another person" in made.output


def brute(columns: dict[str, list[object]], rows: int) -> set[tuple[str, str]]:
    """Which columns tell which, value by value."""
    found = set()
    for first in columns:
        for other in columns:
            beside: dict[object, set[object]] = {}
            for a, b in zip(columns[first], columns[other], strict=True):
                beside.setdefault(a, set()).add(b)
            told = all(len(some) == 1 for some in beside.values())
            again = 2 * len({*columns[first]} - {None}) <= rows
            varies = 1 < len({*columns[other]} - {None}) <= len({*columns[first]} - {None})
            if first != other and told and again and varies:
                found.add((first, other))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_what_tells_what_is_exact(seed: int) -> None:
    rng = random.Random(seed)
    rows = 60
    fine = [rng.randrange(12) for _ in range(rows)]
    columns: dict[str, list[object]] = {
        "fine": list(fine), "twin": [f"x{i}" for i in fine], "coarse": [i // 3 for i in fine],
        "nearly": [i // 3 if row else 9 for row, i in enumerate(fine)],
        "gaps": [None if i == 1 else i // 2 for i in fine], "own": list(range(rows)),
        "free": [rng.randrange(5) for _ in range(rows)],
    }  # fmt: skip
    with connected() as con:
        con.register("t", pa.table(columns))
        types = dict(con.execute("SELECT column_name, column_type FROM (DESCRIBE t)").fetchall())
        found = tellings(con, "t", rows, evidence(con, "t", types))
        none = tellings(con, "t", rows, evidence(con, "t", types), most=0)
    assert {(one.column, other) for one in found for other in one.tells} == brute(columns, rows)
    [twin] = [one for one in found if one.column == "twin"]
    assert (twin.back, none) == (("fine",), ())


def test_a_place_beside_its_square_is_told_and_warned_about() -> None:
    rng = random.Random(6)
    who = [i % 100 for i in range(600)]
    precinct = [rng.randrange(20) for _ in range(600)]
    found = propose(pa.table({
        "person": [f"p{i}" for i in who], "day": days(600), "district": precinct,
        "latitude": [48.1 + i / 100 for i in precinct], "age": [20 + i % 50 for i in who],
    }), quasi=["district", "latitude"])  # fmt: skip
    assert "told by latitude" in found.role("district").reason
    assert "told by district" in found.role("latitude").reason
    [told] = [warning for warning in found.warnings if "coarser hides nothing" in warning]
    assert told.startswith("district tells latitude and the other way round")
    assert Telling("district", ("latitude",), ("latitude",)).back == ("latitude",)


def test_a_diagnosis_that_follows_from_what_outsiders_know() -> None:
    who = [i % 100 for i in range(600)]
    found = propose(pa.table({
        "person": [f"p{i}" for i in who], "day": days(600), "district": [i % 5 for i in range(600)],
        "diagnosis": [("flu", "cold")[i % 5 % 2] for i in range(600)],
    }), quasi="district", sensitive="diagnosis")  # fmt: skip
    assert "Whoever knows district knows diagnosis, in every row." in found.warnings


def test_columns_of_folders_are_parts_of_time_or_known_and_never_a_person(tmp_path: Path) -> None:
    moments = [f"2024-{1 + i % 12:02}-{1 + i % 28:02} 10:00:00" for i in range(600)]
    found = propose(pa.table({
        "when": moments, "amount": [i % 7 for i in range(600)],
        "customer": [f"k{i % 90}" for i in range(600)],
        "year": [2024] * 600, "month": [f"{1 + i % 12:02}" for i in range(600)],
        "dt": [moment[:10] for moment in moments],
        "country": [("de", "fr", "it")[i % 90 % 3] for i in range(600)],
    }))  # fmt: skip
    assert found.columns("subject") == ("customer",)
    assert found.columns("time") == ("when",)
    assert found.role("month").reason.startswith("the month of when")
    assert found.role("dt").reason.startswith("the date of when")
    assert {found.role(name).name for name in ("year", "month", "dt")} == {"home"}
    assert found.role("country").name == "quasi"
    folder = tmp_path / "visits" / "customer=k1" / "month=01"
    folder.mkdir(parents=True)
    pyarrow.parquet.write_table(flags(), folder / "part.parquet")
    assert propose(folder / "part.parquet").columns("subject") == ()
    # Though its name says so, it divides a folder.
    for asked in ("visits", "visits/*/*/*.parquet"):
        divided = propose(tmp_path / asked)
        assert divided.columns("subject") == ()
        assert {"customer", "month"} < {role.column for role in divided.roles}


def test_people_who_are_spelled_in_two_ways_are_told_of() -> None:
    who = [f"Patient {i % 90}" for i in range(600)]
    table = pa.table({"patient": who, "day": days(600), "age": [i % 90 for i in range(600)]})
    assert not any("differ" in warning for warning in propose(table).warnings)
    who[300], who[400] = who[300].upper(), f" {who[400]}"
    twins = propose(table.set_column(0, "patient", [who])).warnings
    assert any(warning.startswith("2 people differ from another only in") for warning in twins)
    two = table.set_column(0, "patient", [who]).append_column("house", [["A", "B"] * 300])
    told = propose(two, subject=["patient", "house"]).warnings
    assert any(warning.startswith("2 people differ from another only in") for warning in told)
