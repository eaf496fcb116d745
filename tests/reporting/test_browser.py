"""The certificate in a real browser, where one is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from anachron.notebook import facts, framed
from anachron.reporting.gallery import Charts
from anachron.reporting.html import html
from tests.reporting import feed_stand_ins as feed
from tests.reporting import register_stand_ins as register
from tests.reporting import series_stand_ins as series
from tests.reporting.proof_stand_ins import finding, measure, utility
from tests.reporting.stand_ins import release, search, table, verdict

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--enable-logging=stderr", "--v=0", "--window-size=1000,3000",
]  # fmt: skip

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


PROOF = (
    (finding(True), finding(None, 40, sampled="a part"), finding(False, 3)),
    utility(measure(), measure("windows", off=3.0)),
)


def written(method: str, folder: Path) -> str:
    if method == "granularity":
        return html(release(folder, table()), verdict(), search(), *PROOF)
    if method == "reposition":
        return html(feed.release(folder), feed.verdict(), feed.record(), *PROOF)
    if method == "patterns":
        return html(series.release(folder), series.verdict(), series.record(), *PROOF)
    if method == "invariance":
        return html(register.release(folder), register.verdict(), register.record(), *PROOF)
    charts = Charts(register.release(folder))
    drawn = [framed(facts("Release 4", {"rows": "13"})), charts._repr_html_()]
    return "\n".join([*drawn, *(getattr(charts, name).svg() for name in charts)])


@pytest.mark.parametrize(
    "method", ["granularity", "invariance", "reposition", "patterns", "notebook"]
)
def test_the_page_is_drawn_without_complaint(tmp_path: Path, method: str) -> None:
    page, picture = tmp_path / "page.html", tmp_path / "page.png"
    page.write_text(written(method, tmp_path), "utf-8")
    done = subprocess.run(
        [str(CHROMIUM), *OPTIONS, f"--user-data-dir={tmp_path / 'profile'}",
         f"--screenshot={picture}", page.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr
    # A blank page of this size is some 10 kB.
    assert picture.stat().st_size > (30_000 if method == "notebook" else 60_000)
    assert page.stat().st_size < 3_000_000
