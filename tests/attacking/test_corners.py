"""Bounds give values away, in small groups and off the grid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import anachron as an
from anachron.attacking.corners import Edges, attack, pairing_bits, touched
from tests.attacking.knowing import known_of, publish, tampered
from tests.flow import registers, series
from tests.placing.test_members import FEED, WITH_COUNTERFEITS, feed


def register(m: int) -> pa.Table:
    people = [(30, 40, 0), (31, 47, 1), (60, 90, 0), (66, 91, 1)] if m == 2 else []
    people += [(20 + i, 20 + i, i % 8) for i in range(40)] if m > 2 else []
    return pa.table(
        {
            "who": [f"p{i}" for i in range(len(people))],
            "age": [p[0] for p in people],
            "weight": [p[1] for p in people],
            "ill": [f"ill {p[2]}" for p in people],
        }
    )


SCHEMA = an.Schema(subject="who", quasi=["age", "weight"], sensitive="ill")


def test_all_bounds_of_a_pair_are_values(tmp_path: Path) -> None:
    table = register(2)
    release = publish(tmp_path, table, SCHEMA, an.MInvariance(m=2))
    finding = attack(known_of(tmp_path, release, table, SCHEMA))
    assert finding is not None
    assert (finding.exposed, finding.people, finding.holds) == (4, 4, True)
    assert finding.figures["groups_with_two_people"] == 2
    assert finding.figures["mean_pairing_bits"] == 1.0
    assert finding.figures["cells_at_a_bound"] == 1.0
    assert finding.figures["exact_bounds"] == 0


def test_larger_groups_have_more_inside_than_at_the_bounds(tmp_path: Path) -> None:
    table = register(8)
    release = publish(tmp_path, table, SCHEMA, an.MInvariance(m=8))
    finding = attack(known_of(tmp_path, release, table, SCHEMA))
    assert finding is not None
    assert finding.exposed == 0
    assert 0 < finding.figures["cells_at_a_bound"] < 0.5


def test_counterfeits_are_not_people(tmp_path: Path) -> None:
    for people in registers.three_quarters():
        release = registers.released(people, tmp_path, WITH_COUNTERFEITS)
    finding = attack(known_of(tmp_path, release, None, registers.SCHEMA))
    assert finding is not None
    fakes = release.description["anachron"]["counterfeits"]
    assert fakes > 0
    assert finding.people == release.rows - fakes


def test_grids_of_all_kinds_hold(tmp_path: Path) -> None:
    # Whole numbers with a width of 5, fractions, and texts in order.
    people = registers.clinic()
    release = registers.released(people, tmp_path)
    table = registers.as_table(people)
    finding = attack(known_of(tmp_path, release, table, registers.SCHEMA))
    assert finding is not None
    assert finding.holds is True
    assert finding.figures["bounds_off_the_grid"] == finding.figures["exact_bounds"] == 0


def test_a_bound_that_is_an_exact_value_is_found(tmp_path: Path) -> None:
    walks = series.walks(60) + 0.1234567
    table = series.wide(walks)
    release = series.released(table, tmp_path)
    safe = attack(known_of(tmp_path, release, table, series.WIDE))
    assert safe is not None
    assert (safe.exposed, safe.holds) == (0, True)
    groups = series.groups_of(tmp_path, series.names(60))
    lowest = [
        min(walks[i, 0] for i, who in enumerate(series.names(60)) if groups.get(who) == g)
        for g in range(1, len(release.table("envelopes")) + 1)
    ]

    def exact(envelopes: pa.Table) -> pa.Table:
        return envelopes.set_column(1, "mon_low", pa.array(lowest))

    broken = tampered(release, tmp_path / "broken", exact, "envelopes")
    finding = attack(known_of(tmp_path, broken, table, series.WIDE))
    assert finding is not None
    assert finding.holds is False
    assert finding.figures["bounds_off_the_grid"] == len(lowest)
    assert finding.figures["exact_bounds"] == len(lowest)


def test_feeds_have_corners_only_where_they_have_intervals(tmp_path: Path) -> None:
    table = feed()
    release = publish(tmp_path / "a", table, FEED, an.Reposition(l=3, window=3))
    assert attack(known_of(tmp_path / "a", release, table, FEED)) is None
    promise = an.Reposition(l=3, window=3, then="generalize", orders={"sex": ["f", "m"]})
    release = publish(tmp_path / "g", table, FEED, promise)
    finding = attack(known_of(tmp_path / "g", release, table, FEED))
    assert finding is not None
    assert finding.holds is True
    assert finding.people == 240
    assert pc.max(release.table()["group"]).as_py() == finding.figures["groups"]


def test_whole_numbers_end_just_before_the_grid() -> None:
    edges = Edges(np.array([40.0]), np.array([44.0]), 5.0, 1.0, np.array([44.0, 40.0]))
    found = touched([edges], np.array([0, 0]))
    assert (found.cells, found.near, found.exact) == (2, 2, 0)
    off = Edges(np.array([41.0]), np.array([44.0]), 5.0, 1.0, np.array([41.0]))
    assert touched([off], np.array([0])).exact == 1


def test_two_people_share_out_the_bounds_of_all_columns_but_one() -> None:
    low = (np.array([0.0, 1.0]), np.array([5.0, 5.0]), np.array([0.0, 0.0]))
    high = (np.array([9.0, 1.0]), np.array([6.0, 5.0]), np.array([1.0, 0.0]))
    edges = [Edges(*ends, 1.0, 1.0) for ends in zip(low, high, strict=True)]
    assert pairing_bits(edges, np.array([0, 1])).tolist() == [2.0, 0.0]
