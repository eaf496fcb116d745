"""The certificate in a real browser, where one is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from anachron.reporting.html import html
from tests.reporting import feed_stand_ins as feed
from tests.reporting import register_stand_ins as register
from tests.reporting.stand_ins import release, search, table, verdict

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--enable-logging=stderr", "--v=0", "--window-size=1000,3000",
]  # fmt: skip

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


@pytest.mark.parametrize("method", ["granularity", "invariance", "reposition"])
def test_the_page_is_drawn_without_complaint(tmp_path: Path, method: str) -> None:
    page, picture = tmp_path / "page.html", tmp_path / "page.png"
    if method == "granularity":
        written = html(release(tmp_path, table()), verdict(), search())
    elif method == "reposition":
        written = html(feed.release(tmp_path), feed.verdict(), feed.record())
    else:
        written = html(register.release(tmp_path), register.verdict(), register.record())
    page.write_text(written, "utf-8")
    done = subprocess.run(
        [str(CHROMIUM), *OPTIONS, f"--user-data-dir={tmp_path / 'profile'}",
         f"--screenshot={picture}", page.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr
    # A blank page of this size is some 10 kB.
    assert picture.stat().st_size > 60_000
