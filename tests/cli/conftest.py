"""A command line whose flow is replaced, so that only the command line is tested."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from anachron.cli.main import anachron

PLAN = """
[source]
table = "visits.parquet"
[schema]
subject = "patient"
time = "admitted"
quasi = ["age"]
[guarantee]
method = "granularity"
k = 5
"""


def node(granularity: str, age: int, postcode: int, state: str, because: str) -> dict[str, object]:
    steps = {"age": age, "zip": postcode}
    return {"granularity": granularity, "steps": steps, "state": state, "because": because}


EXPLANATION = {
    "rows": 100,
    "subjects": 20,
    "order": {"names": ["day", "week", "month"], "edges": [["day", "week"], ["day", "month"]]},
    "ladders": {"age": ["as it is", "bins of 5"], "zip": ["as it is", "first 3"]},
    "nodes": [
        node("day", 1, 1, "fails", "3 people stand"),
        node("week", 0, 1, "fails", "4 people stand"),
        node("day", 0, 1, "fails", "far away"),
        node("week", 0, 0, "fails", "far away"),
        node("month", 1, 1, "holds", "far away"),
    ],
    "answers": [
        {"granularity": "week", "steps": {"age": 1, "zip": 1}, "gen_c": [6, 40], "groups": 9,
         "suppressed_rows": 2},
        {"granularity": "month", "steps": {"age": 0, "zip": 1}, "gen_c": [5, 30], "groups": 4,
         "suppressed_rows": 0},
    ],
    "notes": ["1 time was shown twice"],
}  # fmt: skip


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


@pytest.fixture
def run(here):
    def run(*words: str, **extra):
        return CliRunner().invoke(anachron, words, **extra)

    return run


@pytest.fixture
def run_json(run):
    def run_json(*words: str):
        done = run(*words, "--json")
        return done.exit_code, json.loads(done.stdout)

    return run_json


@pytest.fixture
def flow(monkeypatch):
    """The flow, as a thing that can be told what to do."""
    import anachron.flow as real

    def replaced(name: str, does) -> None:
        monkeypatch.setattr(real, name, does)

    return replaced


@pytest.fixture
def release(here):
    return SimpleNamespace(
        place=here / "releases" / "0001",
        number=1,
        rows=98,
        guarantee={"method": "granularity", "k": 5, "max_suppressed": "1/20"},
        explanation=EXPLANATION,
    )
