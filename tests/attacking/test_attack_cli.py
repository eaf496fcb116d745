"""``anachron attack`` on a register."""

from __future__ import annotations

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from anachron import flow
from anachron.attacking.run import applying
from anachron.cli.main import anachron
from tests.attacking.registers import crowd, released

ONLY = ("--only", "intersection", "--only", "plausibility", "--only", "swap")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    root = tmp_path_factory.mktemp("register")
    tables = crowd(1, 60, 9, 2)
    released(root, tables, m=2)
    pq.write_table(tables[-1], root / "now.parquet")
    return root


@pytest.fixture
def run(place):
    def run(*words: str):
        evidence = ("--ledger", str(place / "ledger"), "--table", str(place / "now.parquet"))
        release = str(place / "releases" / "0002")
        return CliRunner().invoke(anachron, ("attack", release, *evidence, *words))

    return run


def test_a_table_for_people(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    done = run(*ONLY, "--all")
    assert done.exit_code == 0, done.output
    for text in ("Nothing that was promised is broken", "what the adversary", "holds?",
                 "people exposed", "Intersection", "yes", "not promised",
                 "Not tried: plausibility, which needs"):  # fmt: skip
        assert text in done.output
    assert "\x1b" not in done.output


def test_one_screen(run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: the table of all attacks took three screens."""
    monkeypatch.setenv("COLUMNS", "80")
    done = run()
    lines = done.output.splitlines()
    assert done.exit_code == 0, done.output
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    told = [line.split()[0] for line in lines[2:] if line.startswith("  ")]
    for name in applying(["invariance"]):
        assert name in told or name in done.output.partition("Not tried")[2]
    assert "--all" in lines[-1]
    longer = run("--all").output.splitlines()
    assert len(longer) > 24
    quiet = run("--only", "homogeneity", "--quiet")
    assert (quiet.exit_code, quiet.output) == (0, "")


def test_for_programs(run) -> None:
    done = run(*ONLY, "--json")
    told = json.loads(done.stdout)
    assert told["holds"] is True
    assert [one["attack"] for one in told["findings"]] == ["intersection", "swap"]
    assert told["findings"][0]["figures"]["releases"] == 2
    assert [one["attack"] for one in told["not_tried"]] == ["plausibility"]


def test_what_cannot_be(run, tmp_path) -> None:
    file = tmp_path / "impossible.csv"
    file.write_text("age,illness\n20..60,v1\n")
    done = run("--only", "plausibility", "--impossible", str(file), "--json")
    [told] = json.loads(done.stdout)["findings"]
    assert told["attack"] == "plausibility"
    assert told["exposed"] > 0


def test_a_broken_promise_is_an_exit_code(run, monkeypatch) -> None:
    true = flow.attack
    monkeypatch.setattr(
        flow, "attack",
        lambda *args, **more: tuple(
            replace(one, holds=False, sampled="9 of 10 people") for one in true(*args, **more)
        ),
    )  # fmt: skip
    done = run("--only", "intersection")
    assert done.exit_code == 1
    assert "What was promised is BROKEN: Intersection of releases" in done.output
    assert "BROKEN" in done.output.splitlines()[2]
    assert "Drawn by lot: intersection (9 of 10 people)" in done.output
    whole = run("--only", "intersection", "--all")
    assert whole.exit_code == 1
    assert "NO" in whole.output
    assert "looked at 9 of 10 people, drawn by lot" in whole.output
    quiet = run("--only", "intersection", "--quiet")
    assert (quiet.exit_code, quiet.stdout) == (1, "")
    assert "What was promised is BROKEN: Intersection of releases" in quiet.stderr


def test_few_people(run) -> None:
    assert run("--only", "swap", "--limit", "1").exit_code == 0
    assert run("--limit", "0").exit_code == 2


def test_an_attack_that_there_is_not(run) -> None:
    done = run("--only", "intersect")
    assert done.exit_code == 2
    assert "did you mean 'intersection'" in done.output


def test_nothing_to_try(place) -> None:
    words = ("attack", str(place / "releases" / "0002"), "--only", "swap")
    done = CliRunner().invoke(anachron, words)
    assert done.exit_code == 0
    assert "No attack could be tried" in done.output
