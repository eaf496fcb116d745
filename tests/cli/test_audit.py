"""``anachron audit`` on tables of other tools, and on whole histories."""

from __future__ import annotations

import shutil
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.auditing.verdict import Check, Verdict

TABLE = """who;age;zip_from;zip_to;ill
a;[20-30];1;9;flu
b;[20-30];1;9;cold
c;[30-40];1;9;flu
c;[30-40];1;9;cold
"""
ASKED = (
    "audit",
    "other.csv",
    "--as",
    "k-anonymity",
    "--k",
    "2",
    "--quasi",
    "age",
    "--quasi",
    "zip",
)


def flat(text: str) -> str:
    """A text as if lines were endless."""
    return " ".join(text.split())


@pytest.fixture
def table(here):
    (here / "other.csv").write_text(TABLE)


def test_any_table(run, run_json, table):
    done = run(*ASKED)
    assert done.exit_code == 0
    assert "The claim holds: k-anonymity(k=2), rows counted, since no column tells" in done.stdout
    done = run(*ASKED, "--subject", "who")
    assert done.exit_code == 1
    assert "The claim FAILS: k-anonymity(k=2), people counted" in done.stdout
    assert "see group of row 3" in done.stdout
    code, data = run_json(*ASKED, "--subject", "who", "--sensitive", "ill")
    assert code == 1
    assert data["checks"][0]["witnesses"] == ["group of row 3"]
    assert data["figures"]["people_in_smallest_group"] == 1
    assert data["figures"]["largest_share_of_a_value"] == "1 (100.00%)"
    for secret in ("flu", "[20-30]"):
        assert secret not in done.stdout + str(data)


def test_diversity_and_histories(run, table, here):
    shutil.copy(here / "other.csv", here / "later.csv")
    quasi = ("--quasi", "age", "--sensitive", "ill")
    diverse = ("audit", "other.csv", "--as", "l-diversity", *quasi)
    assert run(*diverse, "--l", "2").exit_code == 0
    assert run(*diverse, "--l", "5/2").exit_code == 1
    assert run(*diverse, "--l", "2", "--form", "frequency", "--subject", "who").exit_code == 1
    several = ("audit", "other.csv", "--as", "m-invariance", "--m", "2", "--releases", "later.csv")
    done = run(*several, *quasi)
    assert done.exit_code == 0
    assert "2 in the smallest group" in done.stdout
    failing = run(*several, *quasi, "--subject", "who").stdout
    assert "one row of each person" in flat(failing)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--quasi", "age"), "--quasi needs --as"),
        ((), "say with --as"),
        (("--as", "k-anonymity", "--k", "2", "--quasi", "age", "--ledger", "l"), "leave out"),
        (("--as", "k-anonymity", "--quasi", "age"), "Give k"),
        (("--as", "k-anonymity", "--k", "2", "--quasi", "ages"), "Did you mean 'age'?"),
        (("--as", "l-diversity", "--l", "x", "--quasi", "age"), "5/2"),
    ],
)
def test_wrong_usage(run, table, words, part):
    done = run("audit", "other.csv", *words)
    assert done.exit_code == 2
    assert part in done.stderr
    assert "flu" not in done.stderr


@pytest.fixture
def history(here):
    schema = an.Schema(subject="who", quasi="age", sensitive="ill")
    for first in (0, 6):
        people = np.arange(first, first + 24)
        table = pa.table({"who": people, "age": people * 7 % 50, "ill": people % 4})
        an.publish(table, schema, an.MInvariance(m=2), ledger="ledger", to="releases")


def test_a_folder_of_releases(run, run_json, history, here):
    done = run("audit", "releases")
    assert done.exit_code == 0
    assert "The history is not refuted: invariance(" in done.stdout
    assert "not refuted  release 0001  sensitive values in" in done.stdout
    code, data = run_json("audit", "releases", "--ledger", "ledger")
    assert code == 0
    assert data["scope"] == "with ledger"
    assert data["release"] == "0001 to 0002"
    assert [one["release"] for one in data["releases"]] == ["0001", "0002"]
    assert data["figures"]["smallest_candidate_set"] == 2
    done = run("audit", "releases/0002", "--ledger", "ledger")
    assert "as far as the ledger remembers, without the original rows" in flat(done.stdout)
    assert "The promise of release 0002 is not refuted" in done.stdout
    shutil.rmtree(here / "releases" / "0001")
    done = run("audit", "releases")
    assert done.exit_code == 1
    assert "see release 0001" in flat(done.stdout)


def test_an_empty_folder_is_no_history(run, here):
    (here / "empty").mkdir()
    done = run("audit", "empty")
    assert done.exit_code == 1
    assert "it has no datapackage.json" in done.stderr


def test_where_a_check_fails(run, flow):
    failed = Check("k", False, "at least 5", "4", "people", ("release 0001, group 7",))
    flow("audit", lambda release, **evidence: Verdict("0001", "k", "with ledger", (failed,)))
    assert "4 (promised: at least 5); see release 0001, group 7" in flat(run("audit", "r").stdout)


def test_nothing_is_read_twice(run, flow, here, table):
    """The command hands the table and the claim to the flow, and prints what it says."""
    asked = []
    told = SimpleNamespace(
        holds=True, word="holds", guarantee="x", scope="rows counted", checks=(), to_dict=dict
    )
    flow("audit_table", lambda table, claim: asked.append((table, claim)) or told)
    run(*ASKED)
    ((given, claim),) = asked
    assert given == "other.csv"
    assert (claim.model, claim.k, claim.quasi) == ("k-anonymity", 2, ("age", "zip"))
