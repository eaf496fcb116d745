"""Sums and means: by hand, and against all worlds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anachron.asking.layout import CellLayout
from anachron.asking.question import EVERYTHING, NOTHING, All, Any, Condition, Ranges, Span
from anachron.asking.sums import means, sums
from anachron.errors import QuestionError
from tests.asking.made import between, made, number, one_of, sensitive, text, whole
from tests.asking.tiny import apart, boxes, condition
from tests.oracle.asking_worlds import extremes

ROWS = {
    "group": [0, 0, 0, 1],
    "age_low": [20, 20, 20, 40],
    "age_high": [29, 29, 29, 40],
    "cost": [5, -2, None, 7],
    "ill": ["flu", "flu", "cold", "flu"],
}
COLUMNS = [whole("age"), sensitive("cost", "whole"), sensitive("ill")]


def hospital(fakes: tuple[int, int] = (0, 0)) -> CellLayout:
    return made(COLUMNS, ROWS, fakes)


def total(layout: CellLayout, asked: Condition, column: str) -> tuple[float, float, float]:
    found = sums(layout, [asked], column)
    return float(found.low[0]), float(found.estimate[0]), float(found.high[0])


def mean(layout: CellLayout, asked: Condition, column: str) -> tuple[float, float, float]:
    found = means([layout], [asked], column)
    return float(found.low[0]), float(found.estimate[0]), float(found.high[0])


def test_exact_values_of_rows_that_must_count() -> None:
    assert total(hospital(), EVERYTHING, "cost") == (10, 10, 10)
    assert mean(hospital(), EVERYTHING, "cost") == pytest.approx((10 / 3,) * 3)
    assert total(hospital(), one_of("ill", "cold"), "cost") == (0, 0, 0)


def test_values_of_rows_that_may_count() -> None:
    asked = between("age", 20, 24)
    assert total(hospital(), asked, "cost") == (-2, 1.5, 5)
    assert mean(hospital(), asked, "cost") == (-2, 1.5, 5)
    # What must count pulls the mean: 7, and then −2.
    low, _, high = mean(hospital(), Any((asked, between("cost", 7, 7))), "cost")
    assert (low, high) == (2.5, 7)


def test_counterfeits_are_the_most_or_the_least_costly() -> None:
    assert total(hospital((1, 0)), EVERYTHING, "cost") == (5, 9, 12)
    low, estimate, high = mean(hospital((1, 0)), EVERYTHING, "cost")
    assert (low, high) == (2.5, 7)
    assert estimate == pytest.approx(9 / (1 + 4 / 3))


def test_intervals_are_clipped_to_the_question() -> None:
    asked = between("age", 25, 40)
    assert total(hospital(), asked, "age") == (40, 3 / 2 * 27 + 40, 3 * 29 + 40)
    assert mean(hospital(), asked, "age") == (28.75, (40.5 + 40) / 2.5, 40)
    two = Ranges("age", (Span(20, 21), Span(28, 29)))
    assert total(hospital(), two, "age")[1] == pytest.approx(3 * 0.4 * 24.5)


def test_variance_within_an_interval() -> None:
    # 20 or 21: a quarter. Between 0 and 2: a third.
    whole_one = made([whole("age")], {"group": [0], "age_low": [20], "age_high": [21]})
    assert sums(whole_one, [EVERYTHING], "age").variance.tolist() == pytest.approx([1 / 4])
    other = made([number("x")], {"group": [0], "x_low": [0.0], "x_high": [2.0]})
    assert sums(other, [EVERYTHING], "x").variance.tolist() == pytest.approx([1 / 3])


def test_fractions_are_clipped_too() -> None:
    rows = {"group": [0, 1], "x_low": [0.0, 10.0], "x_high": [4.0, 20.0]}
    layout = made([number("x", "bins")], rows)
    assert total(layout, Ranges("x", (Span(1, 10, high_closed=False),)), "x") == (
        0,
        pytest.approx(0.75 * 2.5),
        4,
    )


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(QuestionError, match="ill was not published as numbers"):
        sums(hospital(), [EVERYTHING], "ill")
    ordered = made(
        [text("town", "ordered", order=("a", "b"))],
        {"group": [0], "town_low": ["a"], "town_high": ["b"]},
    )
    with pytest.raises(QuestionError, match="not published as numbers"):
        means([ordered], [EVERYTHING], "town")


def test_a_column_under_an_or_is_refused() -> None:
    asked = Any((between("age", 25, 40), one_of("ill", "flu")))
    with pytest.raises(QuestionError, match="stands in an OR"):
        sums(hospital(), [asked], "age")
    low, _, high = total(hospital(), Any((between("age", 41, 50), one_of("ill", "flu"))), "cost")
    assert (low, high) == (10, 10)


def test_nothing_has_no_mean() -> None:
    assert all(math.isnan(x) for x in mean(hospital(), NOTHING, "cost"))
    assert total(hospital(), NOTHING, "cost") == (0, 0, 0)


def test_variance_of_a_sum_is_that_of_the_model() -> None:
    rng = np.random.default_rng(2)
    asked = All((between("age", 24, 60), one_of("ill", "flu")))
    for column in ("age", "cost"):
        found = sums(hospital((1, 0)), [asked], column)
        real = rng.permuted(np.tile([0, 1, 1], (60_000, 1)), axis=1)
        age = rng.integers(20, 30, (60_000, 3))
        met = real * (age >= 24) * np.array([1, 1, 0])
        numbers = age if column == "age" else np.array([5, -2, 0])
        drawn = (met * numbers).sum(axis=1) + (40 if column == "age" else 7)
        assert drawn.mean() == pytest.approx(float(found.estimate[0]), rel=0.02)
        assert drawn.var() == pytest.approx(float(found.variance[0]), rel=0.03)


@pytest.mark.parametrize("number", range(50))
@pytest.mark.parametrize("beside", [False, True])
def test_bounds_are_those_of_all_worlds(number: int, beside: bool) -> None:
    rng = np.random.default_rng(number)
    layout, groups = apart(rng) if beside else boxes(rng)
    exact = not beside and not any(group.fakes for group in groups)
    for _ in range(3):
        asked = condition(rng, beside=beside)
        for column in ("ill", "age"):
            if column == "age" and not beside and _under_or(asked):
                continue
            true = extremes(groups, asked, column)
            low, estimate, high = total(layout, asked, column)
            assert (low, high) == true["sum"]
            assert low - 1e-9 <= estimate <= high + 1e-9
            low, estimate, high = mean(layout, asked, column)
            if true["avg"] is None:
                assert math.isnan(low)
                continue
            assert low - 1e-9 <= true["avg"][0] <= true["avg"][1] <= high + 1e-9
            assert low - 1e-9 <= estimate <= high + 1e-9
            if exact:  # where rows may be counterfeits, or values anybody's, means are not as tight
                assert (low, high) == pytest.approx(tuple(map(float, true["avg"])))


def _under_or(asked: Condition) -> bool:
    return isinstance(asked, Any) or (
        isinstance(asked, All) and any(isinstance(part, Any) for part in asked.parts)
    )
