"""Those who are missing from their snapshot are looked for."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

import anachron as an
from anachron.attacking.cover import attack
from anachron.attacking.finding import Finding
from tests.attacking.knowing import known_of, publish

SCHEMA = an.Schema(subject="who", time="day", quasi="age", sensitive="ill")


def feed(monday: str, tuesday: str, ages: int = 1) -> pa.Table:
    """A letter for each record's illness; everyone has an age of the own, or so many share one."""
    rows = [("06", ill) for ill in monday] + [("07", ill) for ill in tuesday]
    return pa.table(
        {
            "who": [f"p{i}" for i in range(len(rows))],
            "day": [f"2024-05-{day}" for day, _ in rows],
            "age": [20 + i // ages for i in range(len(rows))],
            "ill": [ill for _, ill in rows],
        }
    )


def found(root: Path, table: pa.Table, then: str) -> Finding:
    release = publish(root, table, SCHEMA, an.Reposition(l=2, window=2, then=then))
    finding = attack(known_of(root, release, table, SCHEMA))
    assert finding is not None
    return finding


def test_exact_ages_give_the_moved_away(tmp_path: Path) -> None:
    # Four of five have flu: three too many for Monday, and Tuesday takes as many as it can.
    finding = found(tmp_path, feed("fffab", "abcd"), "anatomy")
    assert finding.figures["moved_or_left_out"] == 1
    assert (finding.exposed, finding.people, finding.holds) == (1, 1, None)
    assert finding.figures["left_with_one"] == 1
    assert finding.figures["covered"] == 0


def test_people_of_the_same_age_cover_each_other(tmp_path: Path) -> None:
    finding = found(tmp_path, feed("fffab", "abcd", ages=20), "anatomy")
    assert finding.figures["moved_or_left_out"] == 1
    assert finding.exposed == 0
    assert finding.figures["covered"] == 1
    assert 0 < finding.figures["largest_chance_if_covered"] <= 0.5


def test_several_values_at_the_limit_leave_a_choice(tmp_path: Path) -> None:
    # Two values are at the most that four records of Monday allow.
    finding = found(tmp_path, feed("fffaa", "abcd"), "anatomy")
    assert finding.figures["moved_or_left_out"] == 1
    assert finding.exposed == 0


def test_boxes_are_widened_to_cover_who_is_missing(tmp_path: Path) -> None:
    finding = found(tmp_path, feed("fffab", "abcd"), "generalize")
    assert finding.figures["moved_or_left_out"] == 1
    assert (finding.exposed, finding.holds) == (0, True)
    assert finding.figures["covered"] == 1


def test_nobody_is_exposed_if_nobody_moved(tmp_path: Path) -> None:
    finding = found(tmp_path, feed("abcd", "abcd"), "anatomy")
    assert (finding.exposed, finding.people) == (0, 0)


def test_it_needs_table_and_ledger(tmp_path: Path) -> None:
    table = feed("fffab", "abcd")
    release = publish(tmp_path, table, SCHEMA, an.Reposition(l=2, window=2))
    assert attack(known_of(tmp_path, release, None, SCHEMA)) is None
    assert attack(known_of(tmp_path, release, table, SCHEMA, ledger=False)) is None
