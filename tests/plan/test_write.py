"""What is written is read back as the same plan."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anachron import Granularity, Ladder, Plan, Schema, TimeGranularity
from anachron.errors import PlanError

TERM = Granularity.boundaries("term", ["2025-09-15", "2026-01-12 08:30", "2026-05-04"], ["a", "b"])
BDAY = Granularity.business_days("bday", country="IT", subdivision="RM", holidays=["2025-12-24"])
OWN = [
    TERM,
    BDAY,
    Granularity.within("bweek", BDAY, "week"),
    Granularity.every("fortnight", 2, "week", anchor="2025-01-06"),
    Granularity.group("pattern", TERM, sizes=[1, 2], anchor="2025-10-01"),
    Granularity.spans("shift", [("2025-01-01T06:00:01.5", "2025-01-01 14:00", 'say "hi"\n')]),
]
LADDERS = {
    "age": Ladder.bins(5, 10, origin="-0.5"),
    "height": Ladder.bins("0.1", "0.5", raw=False),
    "zip": Ladder.prefix(4, 2, drop=False),
    "region": Ladder.hierarchy([["Rome", "Lazio"], ["a,b\t", "ü\x7f"], ["c", "d"], ["e", "f"]]),
    "sex": Ladder.drop(),
    'odd "name".x y\n': Ladder.drop(),
}


def round_trip(plan: Plan, folder: Path) -> Plan:
    path = folder / "plan.toml"
    path.unlink(missing_ok=True)
    return Plan.read(plan.write(path, notes={"guarantee.k": "why\nfive", "schema": "roles"}))


@pytest.mark.parametrize(
    "table",
    [
        "visits.parquet",
        "/data/*.parquet",
        "sqlite:sub/db.sqlite#visits",
        "duckdb:/data/x#y.duckdb#main.visits",
        "postgresql://me@host/db#visits",
        "./duckdb:odd",
    ],
)
def test_round_trip(tmp_path, monkeypatch, table):
    monkeypatch.chdir(tmp_path)
    plan = Plan(
        table,
        Schema("p", "t", list(LADDERS), ["x", "schön"], "Europe/Rome", "ms"),
        TimeGranularity(
            k=7,
            granularities=["day", *OWN],
            metric="resolution",
            max_suppressed="1/3",
            max_share=0.25,
            ladders=LADDERS,
            keep="quasi",
        ),
        releases="/elsewhere/releases",
        csv=True,
    )
    assert round_trip(plan, tmp_path) == plan
    other = tmp_path / "deep" / "er"
    other.mkdir(parents=True)
    assert round_trip(plan, other) == plan


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


@settings(max_examples=50, deadline=None)
@given(st.lists(names, min_size=3, max_size=6, unique=True), st.integers(2, 10**6), names)
def test_any_names_survive(tmp_path_factory, columns, k, note):
    folder = tmp_path_factory.mktemp("plan")
    subject, time, *quasi = columns
    plan = Plan(
        folder / "t.csv",
        Schema(subject, time, quasi),
        TimeGranularity(k=k, ladders={quasi[0]: Ladder.drop()}),
        folder / "r",
        folder / "l",
    )
    text = plan.to_toml(folder, notes={"schema.subject": note, "guarantee": note})
    tomllib.loads(text)
    (folder / "p.toml").write_bytes(text.encode())
    assert Plan.read(folder / "p.toml") == plan


def test_paths_are_relative_to_the_plan_where_they_can_be(tmp_path):
    plan = Plan(
        tmp_path / "in" / "t.csv",
        Schema("p", "t"),
        TimeGranularity(k=2),
        tmp_path / "r",
        "/elsewhere/l",
    )
    data = tomllib.loads(plan.to_toml(tmp_path))
    assert data["source"]["table"] == "in/t.csv"
    assert data["destination"]["releases"] == "r"
    assert data["destination"]["ledger"] == "/elsewhere/l"


def test_notes_stand_above_their_keys(tmp_path):
    plan = Plan("t.csv", Schema("p", "t"), TimeGranularity(k=2))
    lines = plan.to_toml(notes={"guarantee.k": "few\npeople"}).splitlines()
    at = lines.index("k = 2")
    assert lines[at - 2 : at] == ["# few", "# people"]


def test_a_plan_is_never_overwritten(tmp_path):
    plan = Plan("t.csv", Schema("p", "t"), TimeGranularity(k=2))
    path = tmp_path / "plan.toml"
    path.write_text("mine")
    with pytest.raises(PlanError, match="exists already"):
        plan.write(path)
    assert path.read_text() == "mine"
    with pytest.raises(PlanError, match="cannot be written"):
        plan.write(tmp_path / "none" / "plan.toml")


def test_a_plan_is_for_its_owner_alone(tmp_path):
    plan = Plan("t.csv", Schema("p", "t"), TimeGranularity(k=2))
    assert stat.S_IMODE(plan.write(tmp_path / "plan.toml").stat().st_mode) == 0o600


def test_two_granularities_of_one_name_are_refused():
    inner = Granularity.every("x", 2, "day", anchor="2025-01-01")
    other = Granularity.every("x", 3, "day", anchor="2025-01-01")
    week = Granularity.every("y", 2, inner, anchor="2025-01-01")
    plan = Plan("t.csv", Schema("p", "t"), TimeGranularity(k=2, granularities=[other, week]))
    with pytest.raises(PlanError, match="of one name"):
        plan.to_toml()


@pytest.mark.parametrize("spelling", ["refuse", "merge", "exact"])
def test_spelling_is_written_where_it_is_said(tmp_path, spelling):
    schema = Schema(subject="who", time="day", spelling=spelling)
    plan = Plan("table.csv", schema, TimeGranularity(k=2, granularities=["day"]))
    assert ("spelling" in plan.to_toml()) == (spelling != "refuse")
    plan.write(tmp_path / "plan.toml")
    assert Plan.read(tmp_path / "plan.toml").schema == schema
