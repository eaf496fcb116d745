"""Groups of one value, or nearly one, are found; others are not."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.attacking.finding import Finding
from anachron.attacking.homogeneity import alike, attack, near
from tests.attacking.knowing import known_of, publish, tampered
from tests.flow import series
from tests.placing.test_members import FEED, feed

SCHEMA = an.Schema(subject="who", time="day", quasi="ward", sensitive="ill")


def visits(values: dict[str, list[Any]]) -> pa.Table:
    rows = [(ward, value) for ward, held in values.items() for value in held]
    return pa.table(
        {
            "who": [f"p{i}" for i in range(len(rows))],
            "day": ["2024-05-06"] * len(rows),
            "ward": [ward for ward, _ in rows],
            "ill": [value for _, value in rows],
        }
    )


def found(root: Path, table: pa.Table) -> Finding:
    release = publish(root, table, SCHEMA, an.TimeGranularity(k=3))
    finding = attack(known_of(root, release, table, SCHEMA))
    assert finding is not None
    return finding


def test_a_ward_with_one_illness_gives_its_people_away(tmp_path: Path) -> None:
    table = visits({"north": ["flu"] * 4, "south": ["flu", "cold", "burn"]})
    finding = found(tmp_path, table)
    assert (finding.exposed, finding.people, finding.holds) == (4, 7, None)
    assert finding.figures["groups_with_one_value"] == 1
    assert finding.figures["largest_share"] == 1.0


def test_people_are_counted_if_the_table_is_there_and_rows_if_not(tmp_path: Path) -> None:
    table = visits({"north": ["flu"] * 4})
    twice = pa.concat_tables([table, table])
    release = publish(tmp_path, twice, SCHEMA, an.TimeGranularity(k=3))
    counted = attack(known_of(tmp_path, release, twice, SCHEMA))
    alone = attack(known_of(tmp_path, release, None, SCHEMA))
    assert counted is not None
    assert alone is not None
    assert (counted.exposed, alone.exposed) == (4, 8)


def test_different_values_are_safe(tmp_path: Path) -> None:
    finding = found(tmp_path, visits({"north": ["a", "b", "c"], "south": ["a", "b", "b"]}))
    assert finding.exposed == 0
    assert finding.figures["fewest_different_values"] == 2


def test_wages_that_are_nearly_the_same_say_the_same(tmp_path: Path) -> None:
    spread = [1000 * i for i in range(1, 11)]
    finding = found(tmp_path, visits({"north": [2010, 2015, 2020], "south": spread}))
    assert finding.figures["groups_with_one_value"] == 0
    assert finding.figures["groups_with_nearly_one_value"] == 1
    assert finding.exposed == 3


def test_a_feed_keeps_its_promise_and_a_broken_one_is_found(tmp_path: Path) -> None:
    table = feed()
    release = publish(tmp_path, table, FEED, an.Reposition(l=3, window=3))
    finding = attack(known_of(tmp_path, release, table, FEED))
    assert finding is not None
    assert (finding.exposed, finding.holds) == (0, True)

    def one_value(values: pa.Table) -> pa.Table:
        first = pa.array(["ill 1"] * len(values))
        return values.set_column(1, "ill", first)

    broken = tampered(release, tmp_path / "broken", one_value, "sensitive")
    finding = attack(known_of(tmp_path, broken, table, FEED))
    assert finding is not None
    assert (finding.exposed, finding.holds) == (240, False)


def test_series_are_judged_by_pattern(tmp_path: Path) -> None:
    table = series.wide(series.walks(60)).set_column(1, "bill", pa.array(["same"] * 60))
    release = series.released(table, tmp_path)
    finding = attack(known_of(tmp_path, release, table, series.WIDE))
    assert finding is not None
    assert finding.exposed == release.rows
    assert finding.figures["groups"] > release.description["resources"][1]["rows"]


def test_alike_counts_values_and_near_counts_numbers() -> None:
    group, value = np.array([0, 0, 1, 1]), np.array([2, 2, 0, 1])
    measured = alike(group, value, np.array([1, 2, 3, 1]))
    assert measured.rows.tolist() == [3, 4]
    assert measured.different.tolist() == [1, 2]
    assert measured.most.tolist() == [3, 3]
    assert measured.above(Fraction(3, 4)).tolist() == [True, False]
    share = near(np.array([0, 0, 0, 1]), np.array([1.0, 1.5, 9.0, np.nan]), 0.5)
    assert share.tolist() == [2 / 3, 2 / 3, 1 / 3, 0]
