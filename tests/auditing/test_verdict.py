from __future__ import annotations

import json
from dataclasses import replace

import pytest

from anachron.auditing.verdict import Check, Verdict

GOOD = Check("people", True, "at least 5", "7", "people in the smallest group")
BAD = Check("order", False, "sorted", "3 rows <out> of order", "order of the rows")


def verdict(*checks: Check) -> Verdict:
    return Verdict("0001", "granularity(k=5)", "published", checks, {"rows": 10})


def test_one_line() -> None:
    assert str(verdict(GOOD, GOOD)) == (
        "not refuted: people in the smallest group: 7 (promised: at least 5); "
        "2 checks of 2 hold, published"
    )
    assert str(verdict(GOOD, BAD)).startswith("fails: order of the rows: 3 rows")
    assert "\n" not in str(verdict(GOOD, BAD))


@pytest.mark.parametrize(
    ("scope", "word"),
    [
        ("published", "not refuted"),
        ("with ledger", "not refuted"),
        ("with microdata", "holds"),
        ("people counted", "holds"),
        ("rows counted", "holds"),
    ],
)
def test_only_who_saw_the_rows_says_that_it_holds(scope: str, word: str) -> None:
    """Regression: an audit of the published files alone said "holds"."""
    good = replace(verdict(GOOD), scope=scope)
    assert (good.holds, good.word, good.to_dict()["word"]) == (True, word, word)
    assert str(good).startswith(f"{word}: people")
    bad = replace(verdict(GOOD, BAD), scope=scope)
    assert (bad.holds, bad.word) == (False, "fails")


def test_nothing_checked_is_not_a_pass() -> None:
    assert not verdict().holds
    nothing = verdict()
    assert nothing.word == "fails"
    assert str(nothing).startswith("fails")


def test_one_failure_is_enough() -> None:
    assert verdict(GOOD).holds
    assert not verdict(GOOD, BAD, GOOD).holds
    assert verdict(GOOD, BAD).failures == (BAD,)


def test_as_plain_values() -> None:
    plain = json.loads(json.dumps(verdict(GOOD, BAD).to_dict()))
    assert plain["holds"] is False
    assert plain["checks"][0]["measured"] == "7"
    assert plain["figures"] == {"rows": 10}


def test_html_is_escaped() -> None:
    assert "&lt;out&gt;" in verdict(BAD)._repr_html_()


def test_witnesses_are_told_where_there_are_any() -> None:
    found = replace(BAD, witnesses=("release 0001, group 7", "release 0001, group <9>"))
    assert json.loads(json.dumps(verdict(GOOD, found).to_dict()))["checks"][1]["witnesses"] == [
        "release 0001, group 7",
        "release 0001, group <9>",
    ]
    html = verdict(GOOD, found)._repr_html_()
    assert "<th>where</th>" in html
    assert "<td>release 0001, group 7; release 0001, group &lt;9&gt;</td>" in html
    assert html.count("<td></td>") == 1
    assert "where" not in verdict(GOOD, BAD)._repr_html_()
