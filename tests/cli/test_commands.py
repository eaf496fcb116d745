"""Commands parse, call the flow, and say what came of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from anachron import Plan, Schema, TimeGranularity
from anachron.progress import silent


def test_publish_tells_what_was_published(run, flow, release):
    asked = []
    flow(
        "publish_plan",
        lambda plan, as_of, max_views, accept, engine, progress: (
            asked.append((plan, progress)) or release
        ),
    )
    done = run("publish", "plan.toml")
    assert done.exit_code == 0
    assert asked == [(Plan.read("plan.toml"), silent)], "no progress bar without a terminal"
    for part in (
        "release 1 in releases/0001",
        "by week (considered: day, week, month)",
        "bins of 5",
        "6 people (promised: 5)",
        "2 of 100 rows (2.00 %; allowed: 5 %)",
        "day, age: bins of 5, zip: first 3  3 people stand",
        "week, age: as it is, zip: first 3  4 people stand",
        "month, age: as it is, zip: first 3  smallest group 5, 4 groups, gen_c (5, 30)",
        "Note: 1 time was shown twice",
        "Next: anachron report releases/0001 --plan plan.toml",
    ):
        assert part in done.stdout
    assert "far away" not in done.stdout
    assert done.stderr == ""


def test_publish_as_json(run_json, flow, release):
    flow(
        "publish_plan",
        lambda plan, as_of, max_views, accept, engine, progress: print("stray") or release,
    )
    code, data = run_json("publish", "plan.toml")
    assert code == 0
    assert data["chosen"]["granularity"] == "week"
    assert [n["because"] for n in data["why_not_finer"]] == ["3 people stand", "4 people stand"]
    assert len(data["other_answers"]) == 1


def verdict(holds: bool):
    checks = [
        SimpleNamespace(holds=True, about="rows", measured="as promised", promised="whole groups",
                        witnesses=()),
        SimpleNamespace(holds=holds, about="people in the smallest group", measured="4",
                        promised="at least 5", witnesses=()),
    ]  # fmt: skip
    return SimpleNamespace(
        release="0001",
        holds=holds,
        checks=checks,
        guarantee="k = 5",
        scope="with microdata",
        word="holds" if holds else "fails",
        to_dict=lambda: {"holds": holds},
    )


@pytest.mark.parametrize("holds", [True, False])
def test_audit_exits_with_the_verdict(run, run_json, flow, holds):
    flow("audit", lambda release, **evidence: verdict(holds))
    done = run("audit", "releases/0001")
    assert done.exit_code == (0 if holds else 1)
    assert f"The promise of release 0001 {'holds' if holds else 'FAILS'}" in done.stdout
    between = "  " if holds else ": "
    assert f"people in the smallest group{between}4 (promised: at least 5)" in done.stdout
    assert "whole groups" in done.stdout
    assert run_json("audit", "releases/0001") == (done.exit_code, {"holds": holds})


def test_evidence_for_an_audit(run, flow, here):
    asked = []
    flow("audit", lambda release, **evidence: asked.append(evidence) or verdict(True))
    run("audit", "r", "--plan", "plan.toml")
    run("audit", "r", "--ledger", "ledger", "--table", "t.csv")
    run("audit", "r")
    plan = Plan.read("plan.toml")
    assert asked == [
        {"ledger": plan.ledger, "table": plan.table, "schema": plan.schema, "progress": silent},
        {"ledger": Path("ledger"), "table": "t.csv", "progress": silent},
        {"ledger": None, "table": None, "progress": silent},
    ]


@pytest.mark.parametrize(
    "words",
    [
        ("audit", "r", "--plan", "plan.toml", "--ledger", "l"),
        ("audit", "r", "--table", "t.csv"),
        ("report", "r", "-o", "visits.parquet"),
        ("report", "r", "-o", "r/certificate.html"),
        ("report", "r", "-o", "r/../r/deep/certificate.html"),
        ("init", "visits.parquet"),
        ("completion", "tcsh"),
        ("publish",),
        ("push",),
        ("push", "plan.toml", "a.csv", "b.csv"),
        ("publish", "plan.toml", "--fast"),
        ("no-such-command",),
        ("init", "t.csv", "-o", "p.toml", "-k", "1"),
    ],
)
def test_wrong_usage(run, run_json, flow, here, words):
    flow("audit", lambda *a, **k: verdict(True))
    flow("report", lambda *a, **k: pytest.fail("must not be called"))
    before = sorted(here.rglob("*"))
    if words[0] == "init":
        (here / "p.toml").touch()
        before = sorted(here.rglob("*"))
    done = run(*words, *(["-o", "plan.toml"] if words == ("init", "visits.parquet") else []))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "Error: " in done.stderr
    code, data = run_json(*words)
    assert (code, data["exit"]) == (2, 2)
    assert sorted(here.rglob("*")) == before


def test_report_tells_where_the_certificate_is(run, run_json, flow, here):
    flow("report", lambda release, path, **evidence: path)
    done = run("report", "releases/0001", "-o", "c.html")
    assert "Wrote c.html" in done.stdout
    assert (here / "c.html").as_uri() in done.stdout
    assert run_json("report", "releases/0001") == (
        0,
        {
            "certificate": "certificate.html",
            "twin": "certificate.jsonld",
            "release": "releases/0001",
        },
    )


def test_report_hands_on_the_language_and_what_the_plan_states(run, flow, here):
    given = {}
    flow("report", lambda release, path, **told: given.update(told) or path)
    plan = Plan("t.parquet", Schema(subject="who", time="when"), TimeGranularity(k=2),
                certificate={"publisher": "Hospital of Pisa"})  # fmt: skip
    plan.write(here / "stated.toml")
    run("report", "releases/0001", "--plan", "stated.toml", "--language", "de")
    assert (given["language"], given["publisher"]) == ("de", "Hospital of Pisa")
    assert "recipient" not in given


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run, run_json, shell):
    assert "_ANACHRON_COMPLETE" in run("completion", shell).stdout
    assert run_json("completion", shell)[1]["shell"] == shell


def test_completion_completes(run):
    done = run(env={"_ANACHRON_COMPLETE": "bash_complete", "COMP_WORDS": "anachron pu",
                    "COMP_CWORD": "1"}, prog_name="anachron")  # fmt: skip
    assert "publish" in done.stdout
    assert "push" in done.stdout


def test_help_and_version(run):
    assert "Commands:" in run("--help").stdout
    assert run().stdout == run("--help").stdout
    assert run("--version").stdout.startswith("anachron, version ")
    assert "Usage" in run("publish", "--help", "--json").stdout
    for command in ("init", "publish", "push", "audit", "report", "demo", "completion"):
        assert "--json" in run(command, "--help").stdout
    for command in ("show", "check", "recover", "key"):
        assert "--json" in run("ledger", command, "--help").stdout


def test_the_ledger(run, run_json, here):
    from anachron import Ledger

    Ledger.open(here / "ledger")
    assert "0 releases" in run("ledger", "show", "ledger").stdout
    assert run_json("ledger", "check", "ledger")[1]["whole"] is True
    assert run_json("ledger", "recover", "ledger")[1]["done"] == []
    assert run("ledger", "show", "none").exit_code == 1
    assert not (here / "none").exists()


def test_the_key_of_a_ledger_is_moved_out(run, run_json, here, monkeypatch):
    from anachron import Ledger

    id_ = Ledger.open(here / "ledger").id
    assert run_json("ledger", "key", "ledger")[1]["key"] == str(here / "ledger" / "key")
    moved = run("ledger", "key", "ledger", "--move", "keys")
    assert moved.exit_code == 0
    assert "set ANACHRON_KEYS to keys" in moved.stdout
    refused = run("ledger", "show", "ledger")
    assert refused.exit_code == 1
    assert f"set ANACHRON_KEYS to the folder that holds {id_}.key" in refused.stderr
    monkeypatch.setenv("ANACHRON_KEYS", "keys")
    assert run("ledger", "check", "ledger").exit_code == 0
    key = run_json("ledger", "key", "ledger")[1]["key"]
    assert key == str(here / "keys" / f"{id_}.key")


def test_a_damaged_ledger_is_not_whole(run, run_json, here):
    from anachron import Ledger

    Ledger.open(here / "ledger")
    (here / "ledger" / "catalog.sqlite").write_bytes(b"x" * 5000)
    for command in ("show", "check", "recover"):
        assert run("ledger", command, "ledger").exit_code == 1
        assert run_json("ledger", command, "ledger")[0] == 1
