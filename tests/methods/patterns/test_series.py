"""From tables to arrays of series: alignment, gaps, and what a time is called."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from anachron import Granularity, Schema
from anachron.arrays import Floats
from anachron.engines.local.load import load
from anachron.errors import PlanError, TableError
from anachron.guarantees import KPAnonymity
from anachron.methods.patterns.released import outwards
from anachron.methods.patterns.series import Aligned, align, chosen, constant

LONG = Schema("who", "at", series="kwh", time_zone="Europe/Rome")


def aligned(table: pa.Table, schema: Schema = LONG, **settings: Any) -> Aligned:
    with closing(load(table, schema)) as held:
        return align(held, KPAnonymity(**{"k": 2, "P": 1, "precision": "0.1"} | settings))


def values(found: Aligned) -> Floats:
    return found.gather(np.arange(len(found.subjects)))


def by_subject(found: Aligned) -> dict[str, list[float]]:
    return dict(zip(found.subjects.to_pylist(), values(found).tolist(), strict=True))


def rows(*cells: tuple[str, str, float | None]) -> pa.Table:
    who, at, kwh = zip(*cells, strict=True)
    return pa.table({"who": who, "at": at, "kwh": pa.array(kwh, pa.float64())})


DAYS = rows(
    ("b", "2024-05-02", 5.0), ("a", "2024-05-03", 3.0), ("a", "2024-05-01", 1.0),
    ("b", "2024-05-01", 4.0), ("a", "2024-05-02", 2.0), ("b", "2024-05-03", 6.0),
)  # fmt: skip


def test_times_are_in_order_whatever_the_order_of_rows() -> None:
    found = aligned(DAYS, granularity="day")
    assert by_subject(found) == {"a": [1, 2, 3], "b": [4, 5, 6]}
    assert found.times == ("2024-05-01", "2024-05-02", "2024-05-03")
    assert found.row.tolist() == [0, 1]
    midnight = datetime(2024, 4, 30, 22, tzinfo=UTC), datetime(2024, 5, 3, 22, tzinfo=UTC)
    assert found.span == tuple(int(t.timestamp() * 1e6) for t in midnight)


def test_a_value_belongs_to_the_granule_that_holds_its_time() -> None:
    table = rows(
        ("a", "2024-05-01T00:10", 1.0), ("a", "2024-05-01T06:50", 2.0),
        ("b", "2024-05-01T05:59", 3.0), ("b", "2024-05-01T06:00", 4.0),
    )  # fmt: skip
    clock = Schema("who", "at", series="kwh")
    six = Granularity.every("shift", 6, "hour", anchor="2024-01-01 00:00")
    assert by_subject(aligned(table, clock, granularity=six)) == {"a": [1, 2], "b": [3, 4]}


def test_the_hour_that_clocks_show_twice_is_two_times() -> None:
    start = datetime(2024, 10, 26, 23, tzinfo=UTC)
    hours = [(start + timedelta(hours=i)).isoformat() for i in range(4)]
    table = rows(*((who, hour, 1.0) for who in "ab" for hour in hours))
    found = aligned(table, granularity="hour")
    assert values(found).shape == (2, 4)
    assert len(set(found.times)) == 4


def test_columns_of_all_types_of_numbers() -> None:
    table = pa.table(
        {"who": ["a", "b"], "x": pa.array([1, 2], pa.int8()), "y": pa.array([1.5, -0.0]),
         "z": pa.array([1, 2], pa.decimal128(30, 3))}
    )  # fmt: skip
    found = aligned(table, Schema("who", series=["z", "y", "x"]))
    assert by_subject(found) == {"a": [1, 1.5, 1], "b": [2, 0, 2]}
    assert not np.signbit(values(found)).any()
    assert (found.times, found.span) == (("z", "y", "x"), None)


GAPS = rows(
    ("a", "2024-05-01", 1.0), ("a", "2024-05-02", 2.0), ("a", "2024-05-05", 8.0),
    ("b", "2024-05-01", 5.0), ("b", "2024-05-04", 5.0), ("b", "2024-05-05", 6.0),
    ("c", "2024-05-01", 0.0), ("c", "2024-05-02", 0.0), ("c", "2024-05-03", None),
    ("c", "2024-05-04", 3.0), ("c", "2024-05-05", 4.0),
)  # fmt: skip


def test_gaps_of_one_and_of_several_times_are_interpolated() -> None:
    found = aligned(GAPS, granularity="day", gaps="interpolate")
    assert by_subject(found) == {
        "a": [1, 2, 4, 6, 8], "b": [5, 5, 5, 5, 6], "c": [0, 0, 1.5, 3, 4],
    }  # fmt: skip
    assert (found.interpolated, found.trimmed, found.dropped) == (5, 0, 0)


def test_only_times_of_everyone_remain() -> None:
    found = aligned(GAPS, granularity="day", gaps="trim")
    assert by_subject(found) == {"a": [1, 8], "b": [5, 6], "c": [0, 4]}
    assert found.times == ("2024-05-01", "2024-05-05")
    assert (found.interpolated, found.trimmed, found.dropped) == (0, 3, 0)


def test_only_whole_series_remain() -> None:
    more = rows(*((who, f"2024-05-0{i}", float(i)) for who in "xy" for i in range(1, 6)))
    found = aligned(pa.concat_tables([GAPS, more]), granularity="day", gaps="drop")
    assert by_subject(found) == {"x": [1, 2, 3, 4, 5], "y": [1, 2, 3, 4, 5]}
    assert (found.interpolated, found.trimmed, found.dropped) == (0, 0, 3)
    assert found.row.tolist() == [11, 16]


def test_gaps_are_refused_with_the_first_row_of_the_first_series() -> None:
    with pytest.raises(TableError, match=r"row 1: 3 of 3 series lack a value at 1 to 2 of 5 times"):
        aligned(GAPS, granularity="day")


def test_a_wide_table_with_gaps() -> None:
    table = pa.table({"who": ["b", "a", "c"], "x": [1, 2, 3], "y": [None, 4, None], "z": [5, 6, 7]})
    schema = Schema("who", series=["x", "y", "z"])
    assert by_subject(aligned(table, schema, gaps="interpolate", k=3)) == {
        "b": [1, 3, 5], "a": [2, 4, 6], "c": [3, 5, 7],
    }  # fmt: skip
    assert by_subject(aligned(table, schema, gaps="trim"))["c"] == [3, 7]


@pytest.mark.parametrize("seed", range(20))
def test_interpolation_is_that_of_straight_lines(seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole = rng.normal(size=(5, 9))
    holes = rng.random((5, 9)) < 0.5
    holes[:, [0, -1]] = False
    table = pa.table(
        {"who": list("abcde")}
        | {f"t{i}": pa.array(whole[:, i], mask=holes[:, i]) for i in range(9)}
    )
    found = aligned(table, Schema("who", series=[f"t{i}" for i in range(9)]), gaps="interpolate")
    for i in range(5):
        known = np.flatnonzero(~holes[i])
        assert np.allclose(values(found)[i], np.interp(np.arange(9), known, whole[i, known]))
        assert np.array_equal(values(found)[i, known], whole[i, known])


def test_chosen_times_are_in_the_order_of_time() -> None:
    assert chosen(("a", "b", "c"), None, "values").tolist() == [0, 1, 2]
    assert chosen(("a", "b", "c"), ("c", "a"), "values").tolist() == [0, 2]
    with pytest.raises(PlanError, match="column 'x': is named in patterns"):
        chosen(("a", "b"), ("x", "a"), "patterns")


@pytest.mark.parametrize("missing", [None, "u"])
def test_a_sensitive_value_is_one_for_each_subject(missing: str | None) -> None:
    schema = Schema("who", "at", series="kwh", sensitive="ill")
    ills = ["t" if who == "b" else missing for who in DAYS["who"].to_pylist()]
    with closing(load(DAYS.append_column("ill", pa.array(ills)), schema)) as held:
        assert constant(held, np.array([1, 0]), "ill", held.column("ill")).to_pylist() == [
            missing,
            "t",
        ]
    ills[3] = missing
    refused = pytest.raises(TableError, match="column 'ill', row 4: is not the same")
    with closing(load(DAYS.append_column("ill", pa.array(ills)), schema)) as held, refused:
        constant(held, np.array([1, 0]), "ill", held.column("ill"))


def test_bounds_are_exact_in_decimals() -> None:
    low = np.array([[0.3, -0.3], [0.30000000000000004, 7.0]])
    high = np.array([[0.3, -0.25], [0.7, 7.0]])
    down, up = outwards(low, high, Decimal("0.1"))
    assert down.tolist() == [[0.3, -0.3], [0.3, 7.0]]
    assert up.tolist() == [[0.3, -0.2], [0.7, 7.0]]
