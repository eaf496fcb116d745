"""The section about the audit: how far it saw, the worst figures, and where a check fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from anachron.auditing import verdict as verdicts
from anachron.auditing.verdict import Check
from anachron.reporting.html import html
from anachron.reporting.words import figure
from tests.reporting import feed_stand_ins as feed
from tests.reporting import register_stand_ins as register
from tests.reporting import series_stand_ins as series
from tests.reporting.pages import Outline
from tests.reporting.stand_ins import release, table, verdict

SCOPES = {
    verdicts.PUBLISHED: "The audit saw the release alone.",
    verdicts.WITH_LEDGER: "what the ledger remembers, not the original rows.",
    verdicts.WITH_MICRODATA: "The audit saw the release and the rows that it was made from.",
    verdicts.PEOPLE_COUNTED: "and a column in it that tells people apart.",
    verdicts.ROWS_COUNTED: "a person with several rows counts several times.",
}


@pytest.mark.parametrize("scope", SCOPES)
def test_the_scope_stands_on_the_page(tmp_path: Path, scope: str) -> None:
    text = Outline(html(release(tmp_path, table(3)), verdict(scope=scope), None)).text
    assert SCOPES[scope] in text
    proven = scope not in (verdicts.PUBLISHED, verdicts.WITH_LEDGER)
    assert ("The promise is kept." in text) is proven


def test_the_ledger_alone_proves_no_promise(tmp_path: Path) -> None:
    scope = verdicts.WITH_LEDGER
    for given, said in (
        (html(release(tmp_path, table(3)), verdict(scope=scope), None),
         "The ledger was at hand, the original rows were not"),
        (html(register.release(tmp_path), register.verdict(scope=scope, followed=False), None),
         "The register was not at hand"),
        (html(feed.release(tmp_path), feed.verdict(scope=scope), None),
         "The table was not at hand"),
        (html(series.release(tmp_path), series.verdict(scope=scope), None),
         "The ledger was at hand, the original rows were not"),
    ):  # fmt: skip
        text = Outline(given).text
        assert "The promise is not refuted." in text
        assert said in text


def test_witnesses_stand_beside_what_fails(tmp_path: Path) -> None:
    bad = Check("k", False, "at least 5", "3", "people in a group", ("group 12", "group <40>"))
    shown = replace(verdict(), checks=(bad,))
    written = html(release(tmp_path, table(3)), shown, None)
    assert "3<small>see group 12; group &lt;40&gt;</small>" in written


def test_the_worst_figures_come_first(tmp_path: Path) -> None:
    figures = {
        "rows": 12, "largest_posterior": "1/3 (33.33%)", "people_in_smallest_group": 4,
        "largest_share_of_a_value": "1/3 (33.33%)", "largest_share_of_one_person": "3/7 (42.8571%)",
    }  # fmt: skip
    shown = replace(verdict(), figures=figures)
    written = html(release(tmp_path, table(3)), shown, None)
    worst = written[written.index('class="worst"') : written.index('class="checks"')]
    assert "people in the smallest group" in worst
    assert "3/7 (42.86 %)" in worst
    assert worst.count("1/3 (33.33 %)") == 1  # said once, though it is measured twice
    assert "<td>rows</td>" not in worst


def test_without_such_figures_there_is_no_table_of_them(tmp_path: Path) -> None:
    assert 'class="worst"' not in html(release(tmp_path, table(3)), verdict(), None)


@pytest.mark.parametrize(
    ("said", "written"),
    [(1234, "1,234"), ("3/8", "3/8"), ("0.2000", "20.00 %"), ("1.0000", "100 %"),
     ("1/3 (33.3333%)", "1/3 (33.33 %)"), ("5.30", "5.30"), ("1.73", "1.73"), (0.25, "25.00 %"),
     ("as it is",) * 2],
)  # fmt: skip
def test_figures_are_written_as_people_read_them(said: int | str, written: str) -> None:
    assert figure(said) == written
