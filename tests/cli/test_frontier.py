"""``anachron frontier``: points, a drawing, and the plan of one."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.csv as pc
import pytest
from click.testing import CliRunner, Result

import anachron as an
from anachron.cli.main import anachron
from tests.flow.tables import PAPER, PAPER_SCHEMA


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pc.write_csv(PAPER, "visits.csv")
    promise = an.TimeGranularity(k=2, granularities=["day", "week", "month"])
    an.Plan("visits.csv", PAPER_SCHEMA, promise).write("plan.toml")
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(anachron, ["frontier", "plan.toml", *words])


def test_points_are_told_drawn_and_written(here: Path) -> None:
    done = run("--over", "k=2,3", "--over", "max_suppressed=0,1/3", "--chart", "f.svg", "--point",
               "2", "--write", "chosen.toml")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "Frontier of " in done.stdout
    assert "Written: chosen.toml, which publishes point 2." in done.stdout
    assert (here / "f.svg").read_text().startswith("<svg")
    told = json.loads(run("--over", "k=2,3", "--over", "max_suppressed=0,1/3", "--json").stdout)
    assert told["line"]
    chosen = an.Plan.read("chosen.toml").guarantee
    assert chosen.k == told["points"][1]["setting"]["k"]  # type: ignore[union-attr]
    assert sorted(file.name for file in here.iterdir()) == [
        "chosen.toml", "f.svg", "plan.toml", "visits.csv"
    ]  # fmt: skip


def test_nothing_is_overwritten_unless_that_is_said(here: Path) -> None:
    before = (here / "plan.toml").read_text()
    refused = run("--over", "k=3", "--point", "1", "--write", "plan.toml")
    assert refused.exit_code == 2
    assert "exists already" in refused.stderr
    assert (here / "plan.toml").read_text() == before
    again = run("--over", "k=2", "--point", "2", "--write", "plan.toml", "--overwrite")
    assert again.exit_code == 0, again.output
    assert (here / "plan.toml").read_text() != before


def test_a_page_and_a_closer_look(here: Path) -> None:
    done = run("--over", "k=2", "--chart", "f.html", "--point", "1", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["details"]["views"]
    page = (here / "f.html").read_text()
    assert "<svg" in page
    assert "u1" not in page


def test_wrong_usage() -> None:
    assert run("--write", "x.toml").exit_code == 2
    assert "--over takes a part" in run("--over", "k").stderr
    assert run("--over", "k=2", "--chart", "x.png").exit_code == 2
    assert run("--over", "k=2", "--risk", "none").exit_code == 2
    assert run("--over", "k=30").exit_code == 0
