"""One person can fill a group of k."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

import anachron as an
from anachron.attacking.share import attack, shares
from tests.attacking.knowing import known_of, publish

SCHEMA = an.Schema(subject="who", time="day", quasi="ward", sensitive="ill")


def visits(rows: dict[str, int]) -> dict[str, list[str]]:
    who = [name for name, times in rows.items() for _ in range(times)]
    plain = {"day": "2024-05-06", "ward": "north"}
    return {
        "who": who,
        **{column: [value] * len(who) for column, value in plain.items()},
        "ill": [f"ill {i}" for i in range(len(who))],
    }


def test_nine_of_ten_rows_are_bobs(tmp_path: Path) -> None:
    table = visits({"Bob": 9, "Eve": 1})
    release = publish(tmp_path, table, SCHEMA, an.TimeGranularity(k=2))
    finding = attack(known_of(tmp_path, release, table, SCHEMA))
    assert finding is not None
    assert (finding.exposed, finding.people, finding.holds) == (1, 2, None)
    assert finding.figures == {
        "largest_share": 0.9,
        "people_above_one_in_k": 1,
        "people_above_half": 1,
    }
    assert "Bob" not in str(finding.to_dict())


def test_a_row_each_is_safe(tmp_path: Path) -> None:
    table = visits(dict.fromkeys("abcde", 1))
    release = publish(tmp_path, table, SCHEMA, an.TimeGranularity(k=5))
    finding = attack(known_of(tmp_path, release, table, SCHEMA))
    assert finding is not None
    assert finding.exposed == 0


def test_a_promised_limit_is_compared_exactly(tmp_path: Path) -> None:
    table = visits({"a": 2, "b": 2, "c": 2})
    promise = an.TimeGranularity(k=2, max_share=Fraction(1, 3))
    release = publish(tmp_path, table, SCHEMA, promise)
    finding = attack(known_of(tmp_path, release, table, SCHEMA))
    assert finding is not None
    assert (finding.exposed, finding.holds) == (0, True)


def test_shares_count_the_rows_of_a_person_in_each_group() -> None:
    found = shares(np.array([0, 0, 0, 1, 1]), np.array([5, 5, 6, 5, 6]))
    assert found.largest == Fraction(2, 3)
    assert found.above(Fraction(1, 2)).tolist() == [5]
    assert found.above(Fraction(2, 3)).tolist() == []


def test_it_needs_the_table(tmp_path: Path) -> None:
    table = visits(dict.fromkeys("abcde", 1))
    release = publish(tmp_path, table, SCHEMA, an.TimeGranularity(k=5))
    assert attack(known_of(tmp_path, release, None, SCHEMA)) is None
