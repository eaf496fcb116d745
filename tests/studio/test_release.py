"""The pages of a release and of its ledger."""

from __future__ import annotations

import html
import re
import time
from pathlib import Path

import pytest

from anachron.flow import publish_plan
from anachron.plan import Plan
from tests.studio.conftest import Opened, Reader

PLAN = "visits/plan.toml"
CELLS = ("Zebedee", "asthma", "2023-0", "ward 1")


@pytest.fixture
def published(planned: Reader, folder: Path) -> Reader:
    publish_plan(Plan.read(folder / PLAN))
    return planned


def ended(reader: Reader, path: str = "/release") -> str:
    """The page once no command of it runs any more."""
    for _ in range(600):
        page = reader.get(path, plan=PLAN)
        if "data-work" not in page:
            return page
        time.sleep(0.1)
    raise AssertionError("it works for ever")


def judged(reader: Reader, verb: str, **more: str) -> str:
    there = reader.post("/release/judge", plan=PLAN, release="1", verb=verb, **more)
    assert there == "/release?plan=visits%2Fplan.toml&release=1"
    return ended(reader)


def test_before_the_first_release_there_is_nothing_to_see(planned: Reader) -> None:
    assert "Nothing published yet" in planned.get("/release", plan=PLAN)
    assert "nothing published yet" in planned.get("/ledger", plan=PLAN)
    assert "nothing was published" in planned.get("/release/charts", 422, plan=PLAN)
    assert "no ledger yet" in planned.post("/ledger/check", 422, plan=PLAN)


def test_a_release_is_told_without_a_cell_and_with_what_one_would_type(published: Reader) -> None:
    page = html.unescape(published.get("/release", plan=PLAN))
    assert "Release 1" in page
    assert "anachron audit visits/releases/0001 --plan visits/plan.toml" in page
    assert "an.audit('visits/releases/0001', table=plan.table" in page
    for cell in CELLS:
        assert cell not in page
    assert "knows no release" in published.get("/release", 422, plan=PLAN, release="7")


def test_what_is_asked_is_answered_between_bounds(published: Reader) -> None:
    page = published.get("/release", plan=PLAN, question="SELECT COUNT(*)")
    assert "400 exactly" in page
    assert 'class="dot exact"' in page
    page = published.get("/release", plan=PLAN, question="SELECT COUNT(*) WHERE age > 33")
    assert re.search(r'aria-label="[\d.]+ \(between \d+ and \d+, standard error', page)
    wrong = published.get("/release", 422, plan=PLAN, question="SELECT COUNT(*) WHERE x = 1")
    assert 'role="alert"' in wrong
    for cell in CELLS:
        assert cell not in wrong


def test_every_question_that_is_offered_is_answered(published: Reader) -> None:
    page = html.unescape(published.get("/release", plan=PLAN))
    offered = re.findall(r"<code>(SELECT [^<]+)</code>", page)
    assert len(offered) >= 3
    for question in offered:
        assert 'class="answer"' in published.get("/release", plan=PLAN, question=question)


def test_html_in_a_question_stays_text(published: Reader) -> None:
    hostile = 'SELECT COUNT(*) AS "<script>alert(1)</script>"'
    done = published.client.get("/release", params={"plan": PLAN, "question": hostile})
    assert "<script>alert" not in done.text
    assert "&lt;script&gt;" in done.text


def test_charts_are_drawn_on_the_server_and_show_no_value(published: Reader) -> None:
    page = published.get("/release/charts", plan=PLAN)
    assert page.count("<svg") >= 2
    assert "How many groups have how many rows." in page
    assert "style=" not in page
    assert "asthma" not in page


def test_an_audit_runs_beside_the_page(published: Reader) -> None:
    page = judged(published, "audit")
    assert "The promise holds." in page
    assert "people in the smallest group" in page
    assert not any(cell in page for cell in CELLS)


@pytest.mark.campaign
def test_attacks_run_beside_the_page(published: Reader) -> None:
    page = judged(published, "attack")
    assert "Nothing that was promised is broken." in page
    assert not any(cell in page for cell in CELLS)


def test_a_certificate_is_written_and_served_under_its_own_policy(
    published: Reader, folder: Path
) -> None:
    assert "no certificate yet" in published.get("/release/certificate", 422, plan=PLAN)
    page = judged(published, "report", **{"in": "de"})
    assert "/release/certificate?plan=visits/plan.toml" in html.unescape(page)
    file = folder / "visits" / "certificates" / "plan-0001-de.html"
    done = published.client.get("/release/certificate", params={"plan": PLAN, "in": "de"})
    assert done.text == file.read_text("utf-8")
    policy = done.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert done.headers["x-content-type-options"] == "nosniff"
    assert "no certificate yet" in published.get(
        "/release/certificate", 422, plan=PLAN, **{"in": "../../etc/passwd"}
    )


@pytest.mark.campaign
def test_an_officer_judges_and_leaves_no_trace(
    published: Reader, opened: Opened, folder: Path
) -> None:
    def state() -> dict[str, bytes]:
        return {str(f): f.read_bytes() for f in folder.rglob("*") if f.is_file()}

    before = state()
    officer = opened(read_only=True)
    assert "The promise holds." in judged(officer, "audit")
    page = judged(officer, "report", **{"in": "en"})
    assert "Open the certificate" in page
    assert "promise kept" in officer.get("/release/certificate", plan=PLAN, **{"in": "en"})
    officer.post("/ledger/check", plan=PLAN)
    assert "are whole" in ended(officer, "/ledger")
    assert "only reads" in officer.post("/ledger/recover", 409, plan=PLAN)
    assert state() == before
    aside = officer.studio.aside.folder(folder)
    officer.studio.close()
    assert not aside.exists()


def test_a_ledger_tells_its_history_and_what_is_broken(published: Reader, folder: Path) -> None:
    page = published.get("/ledger", plan=PLAN)
    assert "ledger in order" in page
    assert 'class="bar-rows"' in page
    assert "release=1" in page
    published.post("/ledger/check", plan=PLAN)
    assert "are whole" in ended(published, "/ledger")
    (folder / "visits" / "releases" / "0001").rename(folder / "visits" / "gone")
    page = published.get("/ledger", plan=PLAN)
    assert "a release is not where it was put" in page
    published.post("/ledger/check", plan=PLAN)
    assert 'role="alert"' in ended(published, "/ledger")
    assert "is not where it was put" in published.get("/release", 422, plan=PLAN)


def test_a_release_that_was_altered_is_refused(published: Reader, folder: Path) -> None:
    published.get("/release", plan=PLAN)
    file = folder / "visits" / "releases" / "0001" / "data.parquet"
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:-20] + b"0" * 20)
    assert published.client.get("/release", params={"plan": PLAN}).status_code == 422
