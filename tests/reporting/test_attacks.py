"""The table of attacks: what was tried, what came of it, and what that means for the verdict."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anachron.attacking.finding import Finding
from anachron.reporting.html import html
from tests.reporting.pages import Outline
from tests.reporting.proof_stand_ins import finding
from tests.reporting.stand_ins import release, table, verdict

TITLE = "What adversaries would find"


def page(folder: Path, *findings: Finding) -> str:
    return html(release(folder, table(3)), verdict(), None, findings)


def rows(written: str) -> list[str]:
    found = re.search(r'<table class="attacks">.*?<tbody>(.*?)</tbody>', written, re.DOTALL)
    assert found is not None
    return re.findall(r"<tr>(.*?)</tr>", found[1], re.DOTALL)


def test_without_attacks_there_is_no_such_section(tmp_path: Path) -> None:
    assert TITLE not in page(tmp_path)


def test_every_outcome_has_a_word_and_a_sign_of_its_own(tmp_path: Path) -> None:
    written = page(tmp_path, finding(None, 7), finding(True), finding(False, 3))
    # What breaks a promise first, what nothing was promised about last.
    for row, sign, word in zip(
        rows(written), ("fails", "holds", "open"), ("fails", "holds", "not promised"), strict=True
    ):
        assert f'href="#mark-{sign}"' in row
        assert f" {word}</span>" in row


def test_a_row_tells_all_that_was_asked(tmp_path: Path) -> None:
    (row,) = rows(page(tmp_path, finding(None, 123, people=4_567, sampled="a tenth of all")))
    text = Outline(row).text
    for said in (
        "Guessing (sampled)", "Guesses.", "Knows: the colour of the door", "123", "of 4,567",
        "Promised: at most one in 5", "Found: 123 guessed", "Looked at: a tenth of all.",
    ):  # fmt: skip
        assert said in text


@pytest.mark.parametrize(("exposed", "people", "width"), [
    (0, 100, "0"), (50, 100, "36"), (100, 100, "72"), (1, 100_000, "1.5"), (0, 0, "0"),
])  # fmt: skip
def test_the_bar_shows_the_share_and_never_hides_anybody(
    tmp_path: Path, exposed: int, people: int, width: str
) -> None:
    (row,) = rows(page(tmp_path, finding(None, exposed, people=people)))
    assert re.findall(r'<rect width="([\d.]+)" height="7" class="some"/>', row) == [width]


def test_an_attack_that_breaks_the_promise_turns_the_page(tmp_path: Path) -> None:
    written = page(tmp_path, finding(True), finding(False, 3, title="Prying"))
    text = Outline(written).text
    assert "<title>Release 3: promise not kept</title>" in written
    assert 'class="verdict failed"' in written
    assert "1 attack succeeds that should not: Prying. Do not hand the release on." in text
    assert "1 of them breaks the promise: Prying." in text


@pytest.mark.parametrize(
    ("findings", "said", "verdict_says"),
    [
        ([finding(True)], "1 attack was tried, from everyone’s point of view at once. "
         "The promise covers 1 of them, and holds.", "1 attack was tried: none breaks the "
         "promise."),
        ([finding(True), finding(None, 2)], "Nothing is promised against the rest: what it finds",
         "none breaks the promise, 1 finds what it does not cover."),
        ([finding(None, 2), finding(None, 2)], "Nothing is promised against them: what they find",
         "2 find what it does not cover."),
        ([finding(None, 0)], "Nothing is promised against them", "none breaks the promise."),
    ],
)  # fmt: skip
def test_the_sums_are_told(
    tmp_path: Path, findings: list[Finding], said: str, verdict_says: str
) -> None:
    text = Outline(page(tmp_path, *findings)).text
    assert said in text
    assert verdict_says in text


def test_all_figures_stand_behind_the_table(tmp_path: Path) -> None:
    written = page(tmp_path, finding())
    details = written[written.index("All figures of the attacks") :]
    assert ">largest chance</td>" in details
    assert '<td class="number">0.25</td>' in details
    assert '<td class="number">1,234</td>' in details


def test_hostile_words_stay_text(tmp_path: Path) -> None:
    evil = '"><script>alert(1)</script>'
    written = page(tmp_path, finding(None, 1, title=evil, knows=evil, promised=evil, measured=evil,
                                     sampled=evil, about=evil, figures={evil: evil}))  # fmt: skip
    outline = Outline(written)
    assert "script" not in outline.tags
    assert evil in outline.text
