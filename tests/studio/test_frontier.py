"""Frontier: points as they are ready, one chosen, and the plan that publishes it."""

from __future__ import annotations

import time
from pathlib import Path

import anachron as an
from tests.studio.conftest import Opened, Reader

PLAN = "visits/plan.toml"


def explored(reader: Reader, plan: str = PLAN, **form: str) -> str:
    reader.post("/frontier", plan=plan, what="explore", **form)
    until = time.monotonic() + 120
    while True:
        page = reader.get("/frontier", plan=plan)
        if "data-explored" not in page:
            return page
        assert time.monotonic() < until
        time.sleep(0.1)


def test_candidates_are_laid_out_and_one_is_used(planned: Reader, folder: Path) -> None:
    assert "Explore" in planned.get("/frontier", plan=PLAN)
    page = explored(planned, over="k=2,5,4000\nmax_suppressed=0,0.05")
    found = an.frontier(folder / PLAN, {"k": [2, 5, 4000], "max_suppressed": [0, "0.05"]})
    for point in found:
        assert f"point={point.number}#chosen" in page
    assert "cannot be kept" in page
    assert "nothing beats it" in page
    assert "<svg" in page
    assert "Zebedee" not in page
    number = next(n for n in found.line if found.use(n) != an.Plan.read(folder / PLAN))
    chosen = planned.get("/frontier", plan=PLAN, point=str(number))
    assert "Use this" in chosen
    form = planned.form(chosen)
    there = planned.post("/frontier", **{**form, "what": "use", "point": str(number)})
    assert there.startswith("/publish")
    used = an.Plan.read(folder / PLAN)
    assert used.guarantee == found.use(number).guarantee
    # The plan is another now: what was explored of the one before is not shown for it.
    assert "data-chart" not in planned.get("/frontier", plan=PLAN)


def test_what_cannot_be_tried_is_told(planned: Reader) -> None:
    assert "such as k=2,5,10" in planned.post("/frontier", 422, plan=PLAN, over="k")
    assert "has no part" in explored(planned, over="nothing=1")


def test_an_officer_looks_and_writes_nothing(planned: Reader, opened: Opened, folder: Path) -> None:
    officer = opened(read_only=True)
    before = (folder / PLAN).read_bytes()
    page = explored(officer, over="k=2,5")
    assert "Use this" not in officer.get("/frontier", plan=PLAN, point="1")
    form = officer.form(page)
    officer.post("/frontier", 422, **{**form, "what": "use", "point": "1", "state": "x"})
    assert (folder / PLAN).read_bytes() == before
    assert not (folder / "visits" / "ledger").exists()
