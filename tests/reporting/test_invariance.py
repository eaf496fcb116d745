"""The certificate of a register: what stands on it, and what must never stand on it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anachron.reporting.html import html
from anachron.reporting.shown import Shown
from anachron.reporting.words import ordinal
from tests.reporting.pages import text
from tests.reporting.register_stand_ins import counterfeits, record, release, rows, verdict


def test_the_promise_is_said_in_plain_words(tmp_path: Path) -> None:
    said = text(html(release(tmp_path), verdict(), None))
    assert (
        "Whoever knows a person’s age, income and region, and even that the person is in the "
        "register, finds at least 2 different values of illness that may be the person’s; and "
        "finds the same ones in every release"
    ) in said
    assert "a chance of at most one in 2" in said


def test_numbers_agree_with_counting_by_hand(tmp_path: Path) -> None:
    shown = Shown(release(tmp_path))
    assert (shown.rows, shown.groups, shown.counterfeits, shown.touched) == (13, 5, 3, 2)
    assert shown.signatures == 3
    assert [(size.low, size.groups) for size in shown.sizes] == [(2, 3), (3, 1), (4, 1)]
    assert shown.quasi == ("age", "income", "region")
    # Rows by the width of their interval of ages: 2, 2, 4, 4, 6, 6, 6, 8, 8, 8, 8, 10, 10.
    assert [(s.way.column, s.half, s.most, s.widest) for s in shown.breadths] == [
        ("age", 6, 10, 10),
        ("income", 1.5, 1.5, 1.5),
        ("region", 3, 3, 3),
    ]


def test_what_was_done_counts_counterfeits(tmp_path: Path) -> None:
    said = text(html(release(tmp_path), verdict(), record()))
    assert "3 of 13 rows are counterfeits (23.08 %), in 2 groups." in said
    assert "income is shown from income_low to income_high: on a grid of 0.5" in said
    assert "region_low to region_high: neighbours in the declared order" in said
    assert "2 ages were guessed." in said
    none = text(html(release(tmp_path, fake=counterfeits({})), verdict(), record()))
    assert "No counterfeit was needed" in none


def test_the_history_is_for_the_owner(tmp_path: Path) -> None:
    written = html(release(tmp_path), verdict(), record())
    assert "For the owner only" in written
    assert "known from earlier releases" in written
    assert 'aria-label="Rows and counterfeits of 4 releases."' in written
    handed_on = html(release(tmp_path), verdict(scope="published", followed=False), None)
    assert "known from earlier releases" not in handed_on
    assert "is in the owner’s ledger" in handed_on


def test_a_first_release_has_no_history(tmp_path: Path) -> None:
    first = record(known=0, changed=0, history=record()["history"][:1])
    written = html(release(tmp_path), verdict(), first)
    assert "This is the first release of the register." in written
    assert "Rows and counterfeits of" not in written


def test_people_who_are_not_published_are_told_of(tmp_path: Path) -> None:
    usual = text(html(release(tmp_path), verdict(), record()))
    assert "held back" not in usual
    said = text(html(release(tmp_path), verdict(), record(held=4, refused=5)))
    assert "held back4too many new people share their value" in said
    assert "left out5their new value" in said


LEAKS = "Whoever knows how Anachron works may learn more."
CLASSES = "One value that leaks may give away others."


@pytest.mark.parametrize(
    ("mode", "stated"),
    [("paper", {LEAKS, CLASSES}), ("transparent", {CLASSES}), ("sticky", set())],
)
def test_the_limits_are_those_of_the_mode(tmp_path: Path, mode: str, stated: set[str]) -> None:
    said = text(html(release(tmp_path, mode=mode), verdict(), record()))
    assert {limit for limit in (LEAKS, CLASSES) if limit in said} == stated
    assert f"(mode {mode}" in said


def test_other_settings_change_the_limits(tmp_path: Path) -> None:
    assert "Holding back tells" not in text(html(release(tmp_path), verdict(), None))
    held = text(html(release(tmp_path, when_ineligible="hold"), verdict(), None))
    assert "Holding back tells something." in held
    known = text(html(release(tmp_path, changes={"a": ["b"]}), verdict(), None))
    assert "as the plan declares it" in known
    never = text(html(release(tmp_path, mode="sticky", changes={"a": ["a"]}), verdict(), None))
    assert "declared that no value ever changes" in never
    assert "Changes can be seen." not in never


CANDIDATES = "The values of a group are therefore candidates"
NAMELESS = "That there is a release may tell."


def test_what_changes_inside_a_set_is_told_where_groups_stand(tmp_path: Path) -> None:
    """The stand-in is the fourth release of its history."""
    said = text(html(release(tmp_path, mode="sticky"), verdict(), None))
    assert CANDIDATES in said
    assert "A change to another value of the set is not seen." in said
    known = text(html(release(tmp_path, mode="sticky", changes={"a": ["b"]}), verdict(), None))
    assert "each value of the set remains possible, if not equally likely" in known
    for other in ({"mode": "transparent"}, {"mode": "sticky", "changes": {"a": [], "b": []}}):
        said = text(html(release(tmp_path, **other), verdict(), None))
        assert CANDIDATES not in said
        assert "not seen" not in said


def test_a_release_without_a_name_says_what_that_tells(tmp_path: Path) -> None:
    given = release(tmp_path, mode="sticky")
    assert NAMELESS in text(html(given, verdict(), None))
    named = release(tmp_path, mode="sticky", as_of="2024-06-30")
    said = text(html(named, verdict(), None))
    assert NAMELESS not in said
    assert "released for the 4th time, as of 2024-06-30." in said


def test_groups_of_one_size_need_no_chart(tmp_path: Path) -> None:
    chart = 'aria-label="How many groups have how many rows."'
    assert chart in html(release(tmp_path), verdict(), None)
    even = html(release(tmp_path, rows((2, 2))), verdict(), None)
    assert "Every group has 2 rows." in even
    assert chart not in even


def test_both_tables_are_explained(tmp_path: Path) -> None:
    written = html(release(tmp_path), verdict(), None)
    cells = re.findall(r"<td>([^<]*)</td></tr>", written)
    assert (
        "Lowest value of an interval that holds &#39;age&#39;; it belongs to the interval." in cells
    )
    assert any(cell.startswith("How many rows of that group belong to nobody") for cell in cells)
    assert "counterfeits.parquet" in written


def test_releases_are_counted_in_words() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th",
    ]  # fmt: skip
