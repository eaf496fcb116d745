"""Whole journeys in a browser, and every page for those who cannot see it well.

They are for ``-m campaign``: a browser takes its time.
"""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from tests.studio.browser import Watched, axe, browsing, lacking, served
from tests.studio.conftest import visits
from tests.trying import cases

pytestmark = [
    pytest.mark.campaign,
    pytest.mark.skipif(bool(lacking()), reason=lacking() or "the machine can"),
    # Playwright leaves its loop to the collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    return made


def spreadsheet(file: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    table = visits(rows=600)
    sheet.append(table.column_names)
    for row in table.to_pylist():
        sheet.append(list(row.values()))
    book.save(file)


def register(file: Path, quarter: int, people: int = 240) -> None:
    """People of a register: a few leave and come from quarter to quarter."""
    rng = random.Random(7)
    known = [(f"P{i:04}", 20 + rng.randrange(60), rng.choice("abcdef")) for i in range(people)]
    there = [one for i, one in enumerate(known) if (i + quarter) % 12]
    names = ("person", "age", "illness")
    columns = zip(names, zip(*there, strict=True), strict=True)
    pq.write_table(pa.table({name: list(column) for name, column in columns}), file)


def day(file: Path, number: int) -> None:
    """A day of a feed."""
    rng = random.Random(number)
    when = date(2024, 5, 6) + timedelta(days=number)
    wards = [rng.randrange(5) for _ in range(30)]
    table = {
        "who": [f"d{number}-{i}" for i in range(len(wards))],
        "ward": wards,
        "day": [str(when)] * len(wards),
        "diagnosis": [rng.choice(["flu", "burn", "cold", "gout"]) for _ in wards],
    }
    pq.write_table(pa.table(table), file)


def published(window: Watched, button: str) -> None:
    """Press the button, and wait for the end."""
    window.page.get_by_role("button", name=button, exact=True).click()
    window.page.wait_for_selector(".done, .trouble")
    assert window.page.locator(".trouble").count() == 0, window.page.inner_text("main")


def certified(window: Watched) -> str:
    """Write the certificate of the release that is shown, and give its address."""
    window.page.get_by_role("button", name="Write the certificate").click()
    link = window.page.get_by_role("link", name="Open the certificate")
    link.wait_for()
    window.settled()
    return str(link.get_attribute("href"))


def test_a_spreadsheet_becomes_a_certificate(root: Path, tmp_path: Path) -> None:
    spreadsheet(tmp_path / "visits.xlsx")
    with served(root) as address, browsing(address) as window:
        page = window.page
        page.get_by_role("link", name="Begin with a table").click()
        page.set_input_files("#file", tmp_path / "visits.xlsx")
        page.get_by_role("button", name="Copy it into this folder").click()
        page.wait_for_url("**/table?file=visits.xlsx")
        window.settled()
        page.get_by_role("button", name="Write a plan to begin with").click()
        page.wait_for_url("**/roles?*")
        window.settled()
        with page.expect_response("**/roles/unique"):
            page.get_by_label("ward").select_option("quasi")
        page.get_by_role("button", name="Write the roles into the plan").click()
        page.wait_for_url("**/promise?*")
        page.get_by_role("button", name="Write the promise into the plan").click()
        page.wait_for_load_state()
        window.go("/publish?plan=visits/plan.toml")
        published(window, "Publish")
        page.get_by_role("link", name="Look at the release").click()
        window.settled()
        there = certified(window)
        window.go(there)
        # As its own style writes it, which the policy lets through.
        assert "ANACHRON CERTIFICATE" in page.inner_text("main")
        window.check()
    assert an.audit(
        root / "visits/releases/0001", ledger=root / "visits/ledger", table=root / "visits.xlsx"
    ).holds


def test_a_register_has_its_second_release(root: Path) -> None:
    register(root / "q1.parquet", 0)
    register(root / "q2.parquet", 1)
    plan = an.Plan(
        root / "q1.parquet", an.Schema("person", quasi="age", sensitive="illness"),
        an.MInvariance(m=3),
        ledger=root / "ledger", releases=root / "releases",
    )  # fmt: skip
    plan.write(root / "register.toml")
    with served(root) as address, browsing(address) as window:
        page = window.page
        window.go("/publish?plan=register.toml")
        published(window, "Publish")
        page.locator("#table").select_option("q2.parquet")
        page.locator("#as_of").fill("2024-06-30")
        page.get_by_role("button", name="Publish", exact=True).click()
        window.settled()
        window.go("/ledger?plan=register.toml")
        assert page.locator(".bar-rows").count() == 2
        assert "2024-06-30" in page.inner_text("main")
        page.get_by_role("button", name="Check it").click()
        page.wait_for_selector("text=are whole")
        window.check()


def test_a_feed_is_pushed_again(root: Path) -> None:
    for number in range(4):
        day(root / f"day-{number}.parquet", number)
    plan = an.Plan(
        root / "day-0.parquet", an.Schema("who", "day", "ward", "diagnosis"),
        an.Reposition(l=2, window=2), ledger=root / "ledger", releases=root / "releases",
    )  # fmt: skip
    plan.write(root / "feed.toml")
    with served(root) as address, browsing(address) as window:
        page = window.page
        for number in range(3):
            window.go("/publish?plan=feed.toml")
            if number:
                page.locator("#table").select_option(f"day-{number}.parquet")
            page.get_by_role("button", name="Push it").click()
            page.wait_for_selector(".done")
            window.settled()
        window.go("/ledger?plan=feed.toml")
        assert "Where the feed stands" in page.inner_text("main")
        assert page.locator(".bar-rows").count() == 2
        window.check()


def test_three_promises_are_compared_and_the_chosen_one_is_written(root: Path) -> None:
    pq.write_table(cases.feed(5), root / "records.parquet")
    promises: dict[str, an.Guarantee] = {
        "events": an.TimeGranularity(k=2, max_suppressed="0.9"),
        "feed": an.Reposition(l=2, window=2, repeated="one"),
        "slow": an.Reposition(l=2, window=4, repeated="one"),
    }
    for name, promise in promises.items():
        made = cases.planned(cases.FEED, promise, root / name)
        made.with_table(root / "records.parquet").write(root / f"{name}.toml")
    before = {name: (root / f"{name}.toml").read_bytes() for name in promises}
    with served(root) as address, browsing(address) as window:
        page = window.page
        window.go("/frontier?plan=events.toml")
        page.locator("#with").select_option(["feed.toml", "slow.toml"])
        page.locator("#over").fill("k=2,4\nl=2,3")
        page.get_by_role("button", name="Explore").click()
        window.settled()
        shapes = set(page.locator("#points tbody td:nth-child(2)").all_inner_texts())
        assert shapes == {"granularity", "reposition"}
        # The live chart leads to its points, as the table does.
        page.locator("[data-choosing] .mark-symbol.role-mark path").last.click()
        page.wait_for_url("**point=*")
        window.settled()
        found = an.frontier(
            [root / f"{name}.toml" for name in promises], {"k": [2, 4], "l": [2, 3]}
        )
        events = next(point for point in found if point.kept and point.given == 0)
        window.go(f"/frontier?plan=events.toml&point={events.number}")
        assert page.get_by_text("views, coarser ones above finer ones").count() == 1
        chosen = next(one for one in found if one.kept and one.given == 2 and not one.own)
        window.go(f"/frontier?plan=events.toml&point={chosen.number}")
        page.get_by_role("button", name="Use this").click()
        page.wait_for_url("**/publish?plan=slow.toml")
        window.settled()
        window.check()
    assert an.Plan.read(root / "slow.toml") == found.use(chosen.number)
    assert (root / "slow.toml").read_bytes() != before["slow"]
    for name in ("events", "feed"):
        assert (root / f"{name}.toml").read_bytes() == before[name]
    assert not [*root.glob("*/ledger"), *root.glob("*/releases")]


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a project that was published."""
    root = tmp_path_factory.mktemp("seen")
    pq.write_table(visits(), root / "visits.parquet")
    plan = an.propose(root / "visits.parquet").plan(root / "releases", root / "ledger")
    plan.write(root / "plan.toml")
    fresh = an.propose(root / "visits.parquet").plan(root / "out", root / "fresh")
    fresh.write(root / "fresh.toml")
    an.publish(plan.table, plan.schema, plan.guarantee, ledger=plan.ledger, to=plan.releases)
    return root


PAGES = {
    "home": "/",
    "choose": "/table",
    "pick": "/pick",
    "table": "/table?plan=plan.toml",
    "file": "/table?file=visits.parquet",
    "roles": "/roles?plan=plan.toml",
    "promise": "/promise?plan=plan.toml",
    "frontier": "/frontier?plan=fresh.toml",
    "chosen": "/frontier?plan=fresh.toml&point=1",
    "certificate": "/release/certificate?plan=plan.toml",
    "publish": "/publish?plan=plan.toml",
    "release": "/release?plan=plan.toml&question=SELECT age, COUNT(*) GROUP BY age",
    "charts": "/release/charts?plan=plan.toml",
    "ledger": "/ledger?plan=plan.toml",
    "trouble": "/table?file=nothing.csv",
}
REFUSED = "Failed to load resource: the server responded with a status of 422"
"""What the browser itself says of a page that tells what is wrong."""


def test_no_page_shuts_anybody_out(looked_at: Path) -> None:
    """axe-core finds nothing serious; no page is wider than its screen, be it narrow or wide."""
    rules: Any = {"resultTypes": ["violations"]}
    found: dict[str, list[str]] = {}
    source = axe()
    with served(looked_at) as address, browsing(address) as window:
        window.go("/release?plan=plan.toml")
        certified(window)
        window.go("/frontier?plan=fresh.toml")
        window.page.get_by_role("button", name="Explore").click()
        window.settled()
        window.page.wait_for_selector("[data-choosing]")
        for name, path in PAGES.items():
            for look in ("light", "dark"):
                window.page.emulate_media(color_scheme=look)  # type: ignore[arg-type]
                window.go(path)
                window.page.evaluate(source)
                told = window.page.evaluate("(rules) => axe.run(document, rules)", rules)
                bad = [
                    one for one in told["violations"] if one["impact"] in ("serious", "critical")
                ]
                if bad:
                    found[f"{name} {look}"] = [f"{b['id']}: {b['nodes'][0]['html']}" for b in bad]
            for width in (390, 3840):
                window.page.set_viewport_size({"width": width, "height": 900})
                if window.page.evaluate("document.documentElement.scrollWidth") > width:
                    found[f"{name} {width}"] = ["wider than the screen"]
            window.page.set_viewport_size({"width": 1280, "height": 900})
        window.said[:] = [one for one in window.said if not one.startswith(REFUSED)]
        window.check()
    assert found == {}
