"""A plan for series, from the command line to the certificate."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PLAN = """
[source]
table = "loads.parquet"
[schema]
subject = "meter"
series = ["night", "morning", "noon", "evening"]
sensitive = ["occupation"]
[guarantee]
method = "patterns"
k = 6
P = 2
precision = "0.5"
"""
TOLD = {
    "method": "patterns", "k": 6, "P": 2, "algorithm": "kapra", "series": 40, "times": 4,
    "suppressed": 1, "bad": 5, "dropped": 2, "trimmed": 0, "interpolated": 0, "groups": 6,
    "subgroups": 17, "value_loss": 78.0, "pattern_loss": 3.9,
    "levels": {"1": 3, "2": 10, "5": 26},
    "breach": {
        "by_count": 0.5, "by_formula": 0.5, "people": 40,
        "values": {"occupation": {"by_count": 1.0, "by_formula": 2.5}},
    },
    "notes": ["2 series with gaps were left out."],
}  # fmt: skip


@pytest.fixture
def plan(here):
    (here / "series.toml").write_text(PLAN)
    return "series.toml"


@pytest.fixture
def released(here):
    def released(**told):
        return SimpleNamespace(
            place=here / "releases" / "0001",
            number=1,
            rows=39,
            guarantee={"method": "patterns", "k": 6, "P": 2},
            explanation={**TOLD, **told},
        )

    return released


def test_publish_tells_who_shares_what_and_what_was_lost(run, flow, plan, released):
    flow("publish_plan", lambda plan, as_of, max_views, accept, engine, progress: released())
    done = run("publish", plan)
    assert done.exit_code == 0
    for part in (
        "release 1 in releases/0001",
        "42 of 4 times, 39 published",
        "6, each of at least 6 people with one envelope",
        "17, each of at least 2 people of a group",
        "3 series (7.14 %; 2 of them for gaps)",
        "1 to 5 letters, 3.9 in the mean; 3 people show no shape",
        "2 in the mean: the width of an envelope",
        "0.100 in the mean",
        "50.0 % to find a row (promised: 50.0 %)",
        "… of occupation",
        "100.0 % to find a person's value",
        "Note: 2 series with gaps were left out.",
        "Next: anachron report releases/0001 --plan series.toml",
    ):
        assert part in done.stdout


def test_publish_tells_when_nobody_was_left_out(run, flow, plan, released):
    flow(
        "publish_plan",
        lambda plan, as_of, max_views, accept, engine, progress: released(suppressed=0, dropped=0),
    )
    lines = [line.split() for line in run("publish", plan).stdout.splitlines()]
    assert ["Left", "out", "none"] in lines


def test_publish_as_json(run_json, flow, plan, released):
    flow("publish_plan", lambda plan, as_of, max_views, accept, engine, progress: released())
    code, data = run_json("publish", plan)
    assert code == 0
    assert (data["groups"], data["subjects"], data["levels"]["5"]) == (6, 42, 26)
    assert data["breach"]["values"]["occupation"]["by_count"] == 1.0


def test_series_from_the_plan_to_the_certificate(run, run_json, here, plan):
    rng = np.random.default_rng(1)
    shapes = np.array([[1, 3, 2, 6], [6, 2, 2, 4], [1, 4, 7, 3]])
    drawn = (shapes[np.arange(60) % 3] * rng.uniform(1, 3, (60, 1))).round(1)
    columns = {name: drawn[:, i] for i, name in enumerate(("night", "morning", "noon", "evening"))}
    people = {"meter": [f"m{i}" for i in range(60)], "occupation": ["clerk", "cook"] * 30}
    pq.write_table(pa.table(people | columns), here / "loads.parquet")
    code, published = run_json("publish", plan)
    assert code == 0
    assert (published["published_rows"], published["suppressed"]) == (60, 0)
    code, verdict = run_json("audit", published["release"], "--plan", plan)
    assert (code, verdict["holds"]) == (0, True)
    done = run("report", published["release"], "--plan", plan, "-o", "page.html")
    assert done.exit_code == 0
    page = (here / "page.html").read_text()
    assert "The promise is kept." in page
    assert "at least 6 people whom they fit" in page
    assert "clerk" not in page
