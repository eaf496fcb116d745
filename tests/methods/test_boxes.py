"""Intervals on the public grid: outwards, exact in decimals, and never narrower than a step."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anachron.errors import PlanError
from anachron.guarantees import MInvariance
from anachron.methods.axes import Axis, axis
from anachron.methods.boxes import (
    Boxes,
    columns,
    hulls,
    points,
    published,
    rounded,
    spans,
    way,
)

GRID = MInvariance(m=2, widths={"x": "0.1", "n": 10}, orders={"s": ["a", "b", "c"]})


def fractions(numbers: list[float], width: str) -> Axis:
    return Axis("x", np.array(numbers), Decimal(width), False, (), (min(numbers), max(numbers)))


def slow(width: Decimal, low: float, high: float) -> tuple[float, float]:
    first = (Decimal(repr(low)) / width).to_integral_value(ROUND_FLOOR)
    last = (Decimal(repr(high)) / width).to_integral_value(ROUND_CEILING)
    return float(first * width), float(max(last, first + 1) * width)


numbers = st.one_of(
    st.floats(-1e6, 1e6),
    st.integers(-10_000, 10_000).map(lambda i: i / 10),
    st.integers(-10_000, 10_000).map(lambda i: float(np.nextafter(i / 10, i))),
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(numbers, numbers).map(sorted), min_size=1, max_size=8),
    st.sampled_from(["0.1", "0.3", "0.25", "2.5", "7", "1e-3"]),
)
@example([[0.3, 0.3]], "0.1")  # 0.3 / 0.1 is below 3 in floating point
@example([[0.7, 0.7], [-0.05, -0.01], [5e-324, 0.1]], "0.1")
def test_fractions_are_rounded_as_decimals(intervals: list[list[float]], width: str) -> None:
    low, high = (np.array(ends) for ends in zip(*intervals, strict=True))
    got = np.stack(rounded(fractions([0.0], width), low, high), axis=1)
    assert got.tolist() == [list(slow(Decimal(width), a, b)) for a, b in intervals]
    assert (got[:, 0] <= low).all()
    assert (got[:, 1] >= high).all()


def test_points_on_the_edge_of_two_steps_belong_to_both() -> None:
    found = points([fractions([0.2, 0.25, 0.3], "0.1")])
    assert found.first[:, 0].tolist() == [2, 2, 3]
    assert found.end[:, 0].tolist() == [2, 3, 3]
    around = hulls(found, np.array([0, 1, 2]), 3)
    assert around.end[:, 0].tolist() == [3, 3, 4]
    together = hulls(found, np.array([0, 0, 0]), 1)
    [(low, high)] = published([fractions([0.2], "0.1")], together)
    assert (low.tolist(), high.tolist()) == ([0.2], [0.3])


def test_whole_numbers_and_texts_take_a_step_each() -> None:
    whole = axis("n", pa.array([0, 9, -1, 25]), GRID)
    text = axis("s", pa.array(["a", "c", "b", "a"]), GRID)
    found = points([whole, text])
    ends = published([whole, text], hulls(found, np.array([0, 0, 1, 2]), 3))
    assert [e.tolist() for e in ends[0]] == [[0, -10, 20], [9, -1, 29]]
    written = columns(text, *ends[1])
    assert {n: c.to_pylist() for n, c in written.items()} == {
        "s_low": ["a", "b", "a"],
        "s_high": ["c", "b", "a"],
    }
    assert columns(whole, *ends[0])["n_high"].to_pylist() == [9, -1, 29]


def test_the_release_says_what_the_columns_are() -> None:
    whole = axis("n", pa.array([1]), GRID)
    text = axis("s", pa.array(["a"]), GRID)
    names = {"role": "quasi", "step": "interval"}
    assert way(whole).said() == {**names, "published": ["n_low", "n_high"], "width": "10"}
    assert way(text).said() == {
        **names,
        "published": ["s_low", "s_high"],
        "order": ["a", "b", "c"],
    }


def test_axes_are_weighed_by_their_domains_in_steps() -> None:
    grid = MInvariance(
        m=2, widths={"n": 10}, domains={"n": [0, 200]}, orders={"s": ["a", "b", "c"]}
    )
    whole, text = axis("n", pa.array([5]), grid), axis("s", pa.array(["b"]), grid)
    alone = axis("k", pa.array([7, 7]), grid)
    assert spans([whole, text, alone]).tolist() == [20.0, 2.0, 1.0]


def test_no_rows_have_no_boxes() -> None:
    empty = axis("n", pa.array([], pa.int64()), GRID)
    found = points([empty])
    assert found.first.shape == hulls(found, np.zeros(0, dtype=np.int64), 0).first.shape == (0, 1)
    assert spans([empty]).tolist() == [1.0]


def test_numbers_beyond_the_steps_that_can_be_told_apart_are_refused() -> None:
    with pytest.raises(PlanError, match=r"too large .* larger width") as found:
        axis("x", pa.array([1.0, -1e15]), GRID)
    assert "1e" not in str(found.value)
    axis("x", pa.array([1.0, -1e14]), GRID)


def test_some_of_the_boxes_can_be_taken() -> None:
    boxes = Boxes(np.array([[1], [2]]), np.array([[3], [4]])).take(np.array([1]))
    assert (boxes.first.tolist(), boxes.end.tolist()) == ([[2]], [[4]])
