"""``anachron utility``, with the measurement replaced: only the command line is tested."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from anachron.cli.main import anachron
from anachron.measuring.utility import Utility, measured

TRUTH = np.array([10.0, 20.0, 40.0])
GOOD = measured("ranges", TRUTH, TRUTH * 1.1, TRUTH - 1, TRUTH + 3, empty=4)


@pytest.fixture
def run(monkeypatch):
    """Run the command with what the flow is to give; tells what the flow was given."""
    import anachron.flow as flow

    def run(found: Utility, *words: str):
        given = {}

        def utility(release, **more):
            given.update(more, release=release)
            return found

        monkeypatch.setattr(flow, "utility", utility, raising=False)
        return CliRunner().invoke(anachron, ("utility", "releases/0001", *words)), given

    return run


def test_a_table_for_people(run):
    found = Utility("0001", 0, {}, (GOOD, replace(GOOD, precision=0.5)), ("a note",))
    done, given = run(found, "--ledger", "ledger", "--table", "t.csv", "--theta", "0.2")
    assert done.exit_code == 0, done.output
    assert given["table"] == "t.csv"
    assert (given["questions"], given["theta"], given["window"], given["seed"]) == (
        1000,
        0.2,
        None,
        0,
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "Release 0001, seed 0: the truth is within all bounds"
    assert lines[1].split()[:2] == ["workload", "questions"]
    assert lines[2].split()[:4] == ["ranges", "3", "10.0", "%"]
    assert lines[3].rstrip().endswith("50.0 %")
    assert "8 questions that nothing in the table answers were replaced" in done.stdout
    assert lines[-1] == "a note"


def test_json_for_programs(run):
    done, _ = run(Utility("0001", 7, {}, (GOOD,)), "--ledger", "l", "--table", "t", "--json")
    said = json.loads(done.stdout)
    assert said["workloads"][0]["median_relative_error"] == pytest.approx(0.1)
    assert said["seed"] == 7


def test_a_truth_outside_its_bounds_is_shown_and_fails(run):
    wrong = Utility("0001", 0, {}, (replace(GOOD, outside=2),))
    done, _ = run(wrong, "--ledger", "l", "--table", "t")
    assert done.exit_code == 1
    assert "NOT within all bounds" in done.stdout


def test_what_nobody_knows_is_not_claimed(run):
    unknown = Utility("0001", 0, {}, (replace(GOOD, outside=None),))
    done, _ = run(unknown, "--ledger", "l", "--table", "t")
    assert "the truth is" not in done.stdout
    assert "?" in done.stdout


def test_the_truth_is_in_the_table(run):
    done, given = run(Utility("0001", 0, {}, ()), "--ledger", "l")
    assert done.exit_code == 2
    assert "--table" in done.stderr
    assert not given


@pytest.mark.parametrize("wrong", [("--questions", "0"), ("--theta", "0"), ("--window", "0")])
def test_settings_that_make_no_sense(run, wrong):
    done, given = run(Utility("0001", 0, {}, ()), "--ledger", "l", "--table", "t", *wrong)
    assert done.exit_code == 2
    assert not given
