"""One plan, and a table for each release."""

from __future__ import annotations

from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anachron import Plan

PLAN = """
[source]
table = "q1.parquet"
[schema]
subject = "who"
quasi = ["age"]
sensitive = ["illness"]
[guarantee]
method = "invariance"
m = 2
"""
TOLD = {
    "rows": 20, "subjects": 20, "known": 14, "new": 6, "changed": 3, "filled": 2,
    "counterfeits": 1, "held": 0, "refused": 0, "groups": 9, "signatures": 4,
    "smallest_signature": 2, "notes": ["a note"],
    "history": [
        {"release": n, "rows": 1_000 + n, "counterfeits": n, "groups": 9} for n in range(1, 4)
    ],
}  # fmt: skip


@pytest.fixture
def plan(here):
    (here / "register.toml").write_text(PLAN)
    return "register.toml"


@pytest.fixture
def released(here):
    def released(**told):
        return SimpleNamespace(
            place=here / "releases" / "0003",
            number=3,
            rows=21,
            guarantee={"method": "invariance", "m": 2, "mode": "paper", "balance": "exact"},
            explanation={**TOLD, **told},
        )

    return released


def test_publish_tells_who_is_in_the_release_and_what_it_took(run, flow, plan, released):
    flow("publish_plan", lambda plan, as_of, max_views, accept, engine, progress: released())
    done = run("publish", plan)
    assert done.exit_code == 0
    for part in (
        "release 3 in releases/0003",
        "20: 14 known (3 with a new set of values), 6 new",
        "21: one for each person, and 1 counterfeit (4.76 %)",
        "9 groups, of 4 sets of values",
        "2 possible values (promised: 2)",
        "paper (balance: exact)",
        "3 releases: 1,001 → 1,002 → 1,003 rows, 1 → 2 → 3 counterfeits",
        "Note: a note",
        "Next: anachron report releases/0003 --plan register.toml",
    ):
        assert part in done.stdout
    assert "Held back" not in done.stdout
    assert "--table" not in done.stdout


def test_publish_tells_who_is_not_in_the_release(run, flow, plan, released):
    flow(
        "publish_plan",
        lambda plan, as_of, max_views, accept, engine, progress: released(
            held=2, refused=1, changed=0
        ),
    )
    text = run("publish", plan).stdout
    assert "13 known, 4 new" in text
    assert "2 new people whose value too many share" in text
    assert "1 known people whose new value" in text


def test_a_long_history_is_cut_and_a_short_one_not_told(run, flow, plan, released):
    many = [{"rows": n, "counterfeits": 0} for n in range(1, 10)]
    flow(
        "publish_plan",
        lambda plan, as_of, max_views, accept, engine, progress: released(history=many),
    )
    assert "9 releases: … → 4 → 5 → 6 → 7 → 8 → 9 rows" in run("publish", plan).stdout
    flow(
        "publish_plan",
        lambda plan, as_of, max_views, accept, engine, progress: released(history=many[:1]),
    )
    assert "History" not in run("publish", plan).stdout


def test_publish_as_json(run_json, flow, plan, released):
    flow("publish_plan", lambda plan, as_of, max_views, accept, engine, progress: released())
    code, data = run_json("publish", plan)
    assert code == 0
    assert (data["counterfeits"], data["known"], data["held"]) == (1, 14, 0)
    assert len(data["history"]) == 3


def test_the_next_snapshot_takes_the_place_of_the_plans_table(run, flow, here, plan, released):
    asked = []
    flow(
        "publish_plan",
        lambda plan, as_of, max_views, accept, engine, progress: asked.append(plan) or released(),
    )
    done = run("publish", plan, "--table", "q2.parquet")
    assert asked[0].table == str(here / "q2.parquet")
    assert asked[0].schema == Plan.read(plan).schema
    assert "report releases/0003 --ledger ledger --table q2.parquet" in done.stdout


def snapshot(here, name: str, people: dict[str, tuple[int, str]]) -> None:
    table = pa.table(
        {
            "who": list(people),
            "age": [age for age, _ in people.values()],
            "illness": [illness for _, illness in people.values()],
        }
    )
    pq.write_table(table, here / name)


def test_two_releases_from_the_plan_to_the_certificate(run, run_json, here, plan):
    people = {f"p{i}": (20 + i, ("flu", "gout", "gastritis")[i % 3]) for i in range(12)}
    snapshot(here, "q1.parquet", people)
    stayed = {who: told for who, told in people.items() if who not in ("p1", "p5")}
    snapshot(here, "q2.parquet", {**stayed, "new": (30, "flu"), "newer": (31, "gout")})
    assert run("publish", plan).exit_code == 0
    again = run("publish", plan)
    assert "Published before, and the same now" in again.stdout
    code, data = run_json("publish", plan, "--table", "q2.parquet")
    assert (code, data["number"], data["known"], data["new"]) == (0, 2, 10, 2)
    evidence = ("--ledger", "ledger", "--table", "q2.parquet")
    done = run("audit", "releases/0002", *evidence)
    assert done.exit_code == 0, done.stdout
    assert "The promise of release 0002 holds" in done.stdout
    assert run("report", "releases/0002", *evidence).exit_code == 0
    assert "The promise is kept." in (here / "certificate.html").read_text()
    assert run("audit", "releases/0002").exit_code == 0, "what a recipient can check"


def test_whoever_is_held_back_is_told_wherever_rows_are(run, run_json, here, plan):
    """Three of four have the same value: two must wait, and are not forgotten."""
    (here / plan).write_text(PLAN + 'when_ineligible = "hold"\n')
    people = {"a": (20, "flu"), "b": (21, "flu"), "c": (22, "flu"), "d": (23, "gout")}
    snapshot(here, "q1.parquet", people)
    told = run("publish", plan).stdout
    assert "2: one for each person" in told
    assert "2 new people whose value too many share; offer them again" in told
    assert run_json("publish", plan)[1]["held"] == 2
    more = {f"n{i}": (30 + i, ("gout", "burn")[i % 2]) for i in range(8)}
    snapshot(here, "q2.parquet", {**people, **more})
    told = run("publish", plan, "--table", "q2.parquet").stdout
    assert "Held back     nobody" in told
    assert "2 releases: 2 → 12 rows, 0 → 0 counterfeits, 2 → 0 people held back" in told
    evidence = ("--ledger", "ledger", "--table", "q1.parquet")
    audited = " ".join(run("audit", "releases/0001", *evidence).stdout.split())
    assert "people who are not published 2 people" in audited
    asked = run("ask", "releases/0001", "SELECT COUNT(*)").stdout
    assert "how many were withheld is not published" in asked


def test_another_promise_in_mid_history_is_refused(run, here, plan):
    people = {f"p{i}": (20 + i, ("flu", "gout", "gastritis")[i % 3]) for i in range(12)}
    snapshot(here, "q1.parquet", people)
    snapshot(here, "q2.parquet", {**people, "x": (50, "flu"), "y": (51, "gout")})
    assert run("publish", plan).exit_code == 0
    (here / plan).write_text(PLAN.replace("m = 2", "m = 3"))
    refused = run("publish", plan, "--table", "q2.parquet")
    assert refused.exit_code in (1, 2)
    assert not (here / "releases" / "0002").exists()
