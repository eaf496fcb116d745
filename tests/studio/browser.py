"""A real page in a real browser: the command as a person starts it, and Debian's Chromium."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = 60_000
"""Milliseconds that anything on a page may take: machines are busy."""


def lacking() -> str:
    """What the machine lacks to run a browser, in words; nothing if it can."""
    if CHROMIUM is None:
        return "no Chromium is installed"
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "Playwright is not installed (pip install playwright)"
    return ""


def axe() -> str:
    """The text of axe-core, from an npm package that is installed; the test is skipped without."""
    roots = [*os.environ.get("NODE_PATH", "").split(os.pathsep), "/usr/share/nodejs"]
    roots.append(str(Path(__file__).parents[2] / "node_modules"))
    for root in filter(None, roots):
        file = Path(root) / "axe-core" / "axe.min.js"
        if file.is_file():
            return file.read_text("utf-8")
    pytest.skip("axe-core is not installed (npm install axe-core; NODE_PATH names its folder)")


@contextmanager
def served(folder: Path, *options: str) -> Iterator[str]:
    """Start the page on a folder, and give its address."""
    with started(folder, *options) as (_, address):
        yield address


@contextmanager
def started(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The same, with the process that serves it."""
    command = [sys.executable, "-m", "anachron", "studio", str(folder), "--no-browser", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if found := re.search(rb"http://\S+", line):
                yield process, found[0].decode()
                break
        else:
            raise AssertionError("the page did not start")
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(60)
        process.stderr.close()


class Watched:
    """A browser window, and what must not happen in it."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.origin = address.split("/?")[0]
        self.said: list[str] = []
        self.foreign: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", self._request)
        page.set_default_timeout(PATIENCE)
        page.goto(address)

    def _request(self, request: Any) -> None:
        if not request.url.startswith((f"{self.origin}/", "data:")):
            self.foreign.append(request.url)

    def check(self) -> None:
        """No console message, and no request to another host."""
        assert self.said == [], self.said
        assert self.foreign == []

    def go(self, path: str) -> None:
        """Open a page, and wait until it no longer goes on by itself."""
        self.page.goto(self.origin + path)
        self.settled()

    def settled(self) -> None:
        """Wait for tables that are looked at, commands that run, and charts that are drawn."""
        waits = "meta[http-equiv=refresh], [data-work], progress, [hx-trigger^=load]"
        self.page.wait_for_function(
            "(waits) => document.readyState === 'complete' && !document.querySelector(waits)",
            arg=waits,
        )


@contextmanager
def browsing(address: str, **options: Any) -> Iterator[Watched]:
    """Open a window of a browser on an address."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        context = browser.new_context(**options)
        try:
            yield Watched(context.new_page(), address)
        finally:
            context.close()
            browser.close()
