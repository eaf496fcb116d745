"""Certificates of releases that were spoilt: what fails is said in German, to the last word."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import anachron as an
from anachron.auditing.verdict import Verdict
from anachron.ledger import Ledger
from anachron.reporting.html import html
from tests.auditing import test_published_bugs as bugs
from tests.reporting.test_german import ENGLISH

SPOILT: dict[str, tuple[Callable[..., Any], ...]] = {
    "events": (bugs.rows_in_input_order, bugs.groups_numbered_as_processed,
               bugs.each_row_generalised_for_itself, bugs.the_first_person_is_not_counted),
    "register": (bugs.a_value_is_repeated, bugs.an_interval_does_not_cover,
                 bugs.m_is_met_on_average_only, bugs.groups_numbered_as_processed),
    "series": (bugs.a_wrong_pattern_after_recycling, bugs.a_leaf_of_too_few_is_called_good,
               bugs.groups_numbered_as_processed),
    "feed": (bugs.rows_in_input_order, bugs.an_interval_does_not_cover,
             bugs.l_is_a_rounded_number),
}  # fmt: skip


def spoilt(name: str, folder: Path) -> tuple[Path, Verdict]:
    """Publish a small table, spoil the release in several ways, and judge it."""
    tables, schema, promise = bugs.WORK[name]
    ledger = folder / "ledger"
    Ledger.open(ledger)
    made = an.publish(tables[0], schema, promise, ledger=ledger, to=folder / "releases")
    for bug in SPOILT[name]:
        if "said" in bug.__annotations__:
            bugs.restate(made.path, lambda said, bug=bug: bug(said["anachron"]["guarantee"]))
        else:
            bugs.spoil(made.path, "data", bug)
    return made.path, bugs.Made(made.path, ledger, tables[0], schema).judged()


@pytest.mark.parametrize("name", SPOILT)
def test_what_fails_is_said_in_german(name: str, tmp_path: Path) -> None:
    path, verdict = spoilt(name, tmp_path)
    assert len(verdict.failures) >= 3
    assert any(check.witnesses for check in verdict.failures)
    page = html(an.Release(path), verdict, None, code="de")
    measured = page[page.index("<h2>Was gemessen wurde</h2>") :].partition("</section>")[0]
    assert 'lang="en"' not in measured
    shown = re.sub(r"<[^>]*>", " ", measured)
    assert ENGLISH.findall(shown) == []
    assert "Gruppe" in shown
