"""The certificates of all methods: what stands on each, and what must never stand on one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from anachron.reporting.html import html
from tests.reporting import feed_stand_ins as feed
from tests.reporting import register_stand_ins as register
from tests.reporting import series_stand_ins as series
from tests.reporting import stand_ins as events
from tests.reporting.pages import Outline, text

METHODS: dict[str, Any] = {
    "granularity": events, "invariance": register, "reposition": feed, "patterns": series,
}  # fmt: skip
OWN = {
    "granularity": "How the granularity was chosen",
    "invariance": "How it continues the earlier releases",
    "reposition": "The feed before and after",
    "patterns": "What it cost",
}
TABLES = {
    "invariance": ["The table data", "The table counterfeits"],
    "reposition": ["The table data", "The table sensitive"],
    "patterns": ["The table data", "The table envelopes"],
}
EVIL = '"><script>alert(1)</script><img src=x onerror=y>$style&amp;'
HOSTILE = {
    "invariance": lambda folder: register.release(folder, register.rows(sensitive=EVIL)),
    "reposition": lambda folder: feed.release(folder, feed.anatomy(sensitive=EVIL)),
    "patterns": lambda folder: series.release(folder, series.rows(EVIL)),
}
EMPTY = {
    "granularity": lambda folder: events.release(folder, events.table().slice(0, 0)),
    "invariance": lambda folder: register.release(
        folder, register.rows().slice(0, 0), register.counterfeits({})
    ),
    "reposition": lambda folder: feed.release(
        folder, {name: table.slice(0, 0) for name, table in feed.anatomy().items()}
    ),
    "patterns": lambda folder: series.release(
        folder, series.rows().slice(0, 0), series.envelopes(0)
    ),
}
WHOLE, ALONE = "with microdata", "published"
KEPT, QUIET, BROKEN = (
    "The promise is kept.",
    "The promise is not refuted.",
    "The promise is not kept.",
)
SENTENCES = [
    # of which method, does all hold, what was at hand, with the ledger?, what is said of it
    ("granularity", True, WHOLE, None, KEPT, ""),
    ("granularity", True, ALONE, None, QUIET, ""),
    ("granularity", False, WHOLE, None, BROKEN, ""),
    ("granularity", False, ALONE, None, BROKEN, ""),
    ("invariance", True, WHOLE, True, KEPT, "through all releases"),
    ("invariance", True, WHOLE, False, QUIET, "The ledger was not at"),
    ("invariance", True, ALONE, False, QUIET, "Only the release was at hand"),
    ("invariance", True, ALONE, True, QUIET, "The register was not at hand"),
    ("invariance", False, WHOLE, True, BROKEN, "Do not hand the release on"),
    ("reposition", True, WHOLE, None, KEPT, "followed every record"),
    ("reposition", True, ALONE, None, QUIET, "The table was not at hand"),
    ("reposition", False, WHOLE, None, BROKEN, "Do not hand the release on"),
    ("patterns", True, WHOLE, True, KEPT, "as an adversary would"),
    ("patterns", True, WHOLE, False, KEPT, "The ledger was not at hand"),
    ("patterns", True, ALONE, False, QUIET, "Only the release was at hand"),
    ("patterns", False, WHOLE, True, BROKEN, "Do not hand the release on"),
]


def page(method: str, folder: Path) -> str:
    there = METHODS[method]
    written: str = html(there.release(folder), there.verdict(), there.record())
    return written


@pytest.mark.parametrize("method", METHODS)
def test_every_section_stands_in_order(tmp_path: Path, method: str) -> None:
    written = page(method, tmp_path)
    assert re.findall(r"<h2>(.*?)</h2>", written) == [
        "Who publishes what, for whom",
        "What is promised",
        "What was done",
        "What was measured",
        OWN[method],
        "What was published",
        "What is not promised",
        "What the columns mean",
        "Check it yourself",
        "Signed by",
    ]
    Outline(written)
    if method == "invariance":
        assert not re.search(r"h0v[1-9]", written)  # a bar without width, which nobody sees


@pytest.mark.parametrize(("method", "holds", "scope", "followed", "sentence", "reach"), SENTENCES)
def test_the_verdict_says_no_more_than_the_audit_saw(
    tmp_path: Path,
    method: str,
    holds: bool,
    scope: str,
    followed: bool | None,
    sentence: str,
    reach: str,
) -> None:
    there = METHODS[method]
    verdict = there.verdict(holds, scope, *([] if followed is None else [followed]))
    written = html(there.release(tmp_path), verdict, None)
    assert re.findall(r"<strong>(.*?)</strong>", written)[0] == sentence
    assert reach in text(written)
    assert ("verdict failed" in written) is not holds


@pytest.mark.parametrize("method", TABLES)
def test_both_tables_are_named(tmp_path: Path, method: str) -> None:
    there = METHODS[method]
    written = html(there.release(tmp_path), there.verdict(), None)
    assert re.findall(r"<h3>(The table .*?)</h3>", written) == TABLES[method]


@pytest.mark.parametrize("method", METHODS)
def test_no_sensitive_content_is_printed(tmp_path: Path, method: str) -> None:
    pages = [page(method, tmp_path)]
    if method == "reposition":
        boxes = feed.release(tmp_path, feed.generalized())
        pages.append(html(boxes, feed.verdict(), feed.record()))
    for written in pages:
        assert ("diagnosis" if method == "granularity" else "illness") in written
        assert "secret" not in written


@pytest.mark.parametrize("method", HOSTILE)
def test_hostile_names_stay_text_and_nothing_is_fetched(tmp_path: Path, method: str) -> None:
    there = METHODS[method]
    written = html(HOSTILE[method](tmp_path), there.verdict(), there.record(notes=[EVIL]))
    outline = Outline(written)
    assert not {"script", "img", "link", "iframe"} & set(outline.tags)
    assert EVIL in outline.text
    assert not re.search(r"https?:|//[a-z]|@import|javascript:", written)


@pytest.mark.parametrize("method", METHODS)
def test_an_empty_release_has_a_page(tmp_path: Path, method: str) -> None:
    written = html(EMPTY[method](tmp_path), METHODS[method].verdict(), None)
    assert "The release holds no rows." in text(written)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_arguments_give_the_same_bytes(tmp_path: Path, method: str) -> None:
    assert page(method, tmp_path) == page(method, tmp_path)
