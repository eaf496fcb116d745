"""Counts on boxes: by hand, against all worlds, and against a simulation."""

from __future__ import annotations

import numpy as np
import pytest

from anachron.asking.catalogue import Column
from anachron.asking.compiling import counts
from anachron.asking.layout import CellLayout
from anachron.asking.question import (
    EVERYTHING,
    NOTHING,
    All,
    Any,
    Begins,
    Condition,
    Leaf,
    Ranges,
    Span,
)
from anachron.asking.sums import filled
from anachron.errors import InternalError, QuestionError
from anachron.published.ways import LeftOut
from tests.asking.made import between, made, number, one_of, sensitive, text, whole
from tests.asking.tiny import boxes, condition
from tests.oracle.asking import figures as oracle
from tests.oracle.asking_worlds import extremes

HOSPITAL = {
    "group": [0, 0, 1, 1, 1, 1],
    "age_low": [21, 21, 31, 31, 31, 31],
    "age_high": [30, 30, 50, 50, 50, 50],
    "zip_low": [10, 10, 20, 20, 20, 20],
    "zip_high": [19, 19, 39, 39, 39, 39],
    "ill": ["flu", "ulcer", "asthma", "cold", "flu", "ulcer"],
}
"""Two groups, of 2 and of 4 people; the second has a counterfeit."""


def figures(layout: CellLayout, condition: Condition) -> dict[str, float]:
    return {name: float(value[0]) for name, value in vars(counts(layout, [condition])).items()}


def hospital() -> CellLayout:
    return made([whole("age"), whole("zip"), sensitive("ill")], HOSPITAL, [0, 1])


def test_the_formula_of_the_paper_by_hand() -> None:
    # (|QI*| − c3) c1 c2. First group: (2 − 0) · 1/2 · 1 · 1/2, of ages 26 to 30. Second: (4 − 1),
    # ages 31 to 35 of 31 to 50, zip codes 20 to 29 of 20 to 39, one value in four.
    asked = All((between("age", 26, 35), between("zip", 10, 29), one_of("ill", "flu")))
    found = figures(hospital(), asked)
    assert found["estimate"] == pytest.approx(2 / 2 / 2 + 3 / 4 / 2 / 4)
    assert (found["low"], found["high"]) == (0, 2)
    assert found["counterfeits"] == 1
    assert found["cut"] == 2


def test_the_overlap_is_by_number_of_values() -> None:
    layout = hospital()
    for low, high, share in ((21, 30, 1.0), (21, 25, 0.5), (30, 30, 0.1), (0, 21, 0.1)):
        found = figures(layout, All((between("age", low, high), between("zip", 10, 19))))
        assert found["estimate"] == pytest.approx(2 * share)
        assert (found["low"], found["high"]) == (2 if share == 1 else 0, 2)


def test_counterfeits_do_not_bias_an_unrestricted_count() -> None:
    assert list(figures(hospital(), EVERYTHING).values()) == [5, 5, 5, 0, 0, 1, 0, 0, 0]
    assert list(figures(hospital(), NOTHING).values()) == [0] * 9
    # Which of four rows is the counterfeit is not known; nor is what a single value counts for.
    asked = All((between("age", 31, 50), one_of("ill", "flu")))
    found = figures(hospital(), asked)
    assert (found["low"], found["estimate"], found["high"]) == (0, 3 / 4, 1)
    assert found["variance"] == pytest.approx(3 / 4 * 1 / 4)


def test_alternatives_of_boxes_and_values() -> None:
    asked = Any((between("age", 21, 25), one_of("ill", "flu")))
    found = figures(hospital(), asked)
    assert found["estimate"] == pytest.approx((1 + 1 / 2) + 3 / 4)
    assert (found["low"], found["high"]) == (1, 3)


def test_no_column_may_stand_twice() -> None:
    with pytest.raises(InternalError):
        figures(hospital(), All((between("age", 21, 25), between("age", 25, 30))))


def test_what_was_left_out_cannot_be_asked_for() -> None:
    left_out = Column(LeftOut("sex"))
    layout = made([whole("age"), left_out, sensitive("ill")], HOSPITAL)
    with pytest.raises(QuestionError, match=r"sex was not published[\s\S]*This one works: SELECT"):
        figures(layout, one_of("sex", "f"))


@pytest.mark.parametrize(
    ("span", "bins", "closed"),
    [
        (Span(10, 20, high_closed=False), (1, 1, 1), (0, 1, 1)),
        (Span(10, 20), (1, 1, 2), (1, 1, 2)),
        (Span(12.5, 15), (0, 0.25, 1), (0, 0.25, 1)),
        (Span(20, None, low_closed=False), (0, 1, 1), (0, 1, 1)),
        (Span(20, 20), (0, 0, 1), (0, 0, 2)),
        (Span(None, 15, high_closed=False), (0, 0.5, 1), (0, 0.5, 1)),
    ],
)
def test_fractions_are_measured_by_length(
    span: Span, bins: tuple[float, ...], closed: tuple[float, ...]
) -> None:
    rows = {"group": [0, 1], "x_low": [10.0, 20.0], "x_high": [20.0, 30.0]}
    for form, expected in (("bins", bins), ("interval", closed)):
        found = figures(made([number("x", form)], rows), Ranges("x", (span,)))
        assert (found["low"], found["estimate"], found["high"]) == expected


def test_bins_that_are_asked_for_whole_are_exact() -> None:
    rows = {"group": [0, 1, 2], "x_low": [0.1, 0.2, 0.30000000000000004], "x_high": [0.2, 0.3, 0.4]}
    found = figures(made([number("x", "bins")], rows), Ranges("x", (Span(0.1, 0.2, True, False),)))
    assert (found["low"], found["estimate"], found["high"], found["variance"]) == (1, 1, 1, 0)


REGIONS = {"north": ("como", "lodi", "rho"), "south": ("bari",), "isles": ("north", "elba")}


@pytest.mark.parametrize(
    ("leaf", "expected"),
    [
        (one_of("town", "como"), (0, 1 / 3, 1)),
        (one_of("town", "como", "lodi", "rho", "bari"), (2, 2, 2)),
        (one_of("town", "como", inside=False), (2, 2 + 2 / 3, 3)),
        (one_of("town", "south"), (1, 1, 1)),
        (one_of("town", "isles", inside=False), (2, 2, 2)),
        (one_of("town", "north"), (0, 1 / 2, 1)),
        (one_of("town", "rome"), (0, 0, 0)),
        (one_of("town", nulls=True), (1, 1, 1)),
        (Begins("town", ("ba", "lo")), (1, 1 + 1 / 3, 2)),
    ],
)
def test_parents_stand_for_what_they_cover(leaf: Leaf, expected: tuple[float, ...]) -> None:
    # "north" is also a town of the isles: then the town is meant.
    rows = {"group": [0, 1, 2, 3], "town": ["north", "south", "isles", None]}
    found = figures(made([text("town", "parents", covers=REGIONS)], rows), leaf)
    assert (found["low"], found["estimate"], found["high"]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("leaf", "expected"),
    [
        (Begins("zip", ("1",)), 3),
        (Begins("zip", ("12", "2")), 3),
        (Begins("zip", ("12",), inside=False), 2),
        (Begins("zip", ("12",), inside=False, nulls=True), 3),
        (one_of("zip", "1"), 1),
        (one_of("zip", "1", inside=False), 3),
    ],
)
def test_prefixes_are_exact(leaf: Leaf, expected: int) -> None:
    rows = {"group": [0, 1, 2, 2, 3], "zip": ["1*", "20*", "12*", "12*", None]}
    found = figures(made([text("zip", "prefix", length=2)], rows), leaf)
    assert (found["low"], found["estimate"], found["high"]) == (expected,) * 3


@pytest.mark.parametrize(
    "leaf", [one_of("zip", "12"), one_of("zip", "123"), Begins("zip", ("123",))]
)
def test_more_than_a_prefix_is_refused(leaf: Leaf) -> None:
    layout = made([text("zip", "prefix", length=2)], {"group": [0], "zip": ["12*"]})
    with pytest.raises(QuestionError, match=r"first 2 characters of zip[\s\S]*zip LIKE '12%'"):
        figures(layout, leaf)


def test_missing_values_meet_only_what_says_so() -> None:
    rows = {
        "group": [0, 1, 2], "age_low": [1, 5, None], "age_high": [4, 9, None], "ill": [1, 2, 1]
    }  # fmt: skip
    layout = made([whole("age", "bins"), sensitive("ill", "whole")], rows)
    assert figures(layout, between("age", 0, 20))["estimate"] == 2
    assert figures(layout, between("age", 0, 20, nulls=True))["low"] == 3
    assert figures(layout, Ranges("age", (), nulls=True))["high"] == 1
    some = Any((between("age", 9, 20), between("ill", 1, 1)))
    for asked, low, high in ((EVERYTHING, 2, 2), (some, 1, 2), (NOTHING, 0, 0)):
        found = filled(layout, [asked], "age")
        assert (float(found.low[0]), float(found.high[0])) == (low, high)


@pytest.mark.parametrize("number", range(60))
def test_bounds_are_those_of_all_worlds(number: int) -> None:
    rng = np.random.default_rng(number)
    layout, groups = boxes(rng)
    for _ in range(4):
        asked = condition(rng)
        found = figures(layout, asked)
        assert (found["low"], found["high"]) == extremes(groups, asked, "ill")["count"]
        estimate, low, high, variance = oracle(groups, asked)
        assert found["low"] == low
        assert found["high"] == high
        assert found["estimate"] == pytest.approx(float(estimate), abs=1e-12)
        assert found["variance"] == pytest.approx(float(variance), abs=1e-12)


def test_variance_is_that_of_the_model() -> None:
    rng = np.random.default_rng(1)
    asked = All((between("age", 26, 40), between("zip", 10, 29), one_of("ill", "flu", "ulcer")))
    found = figures(hospital(), asked)
    times, total = 40_000, np.zeros(40_000)
    for rows, fakes, ages, zips in ((2, 0, (21, 31), (10, 20)), (4, 1, (31, 51), (20, 40))):
        ill = np.array([row in ("flu", "ulcer") for row in HOSPITAL["ill"]])
        ill = ill[:2] if rows == 2 else ill[2:]
        real = rng.permuted(np.tile(np.arange(rows) >= fakes, (times, 1)), axis=1)
        age, zipped = (rng.integers(*ends, (times, rows)) for ends in (ages, zips))
        met = real & ill & (age >= 26) & (age <= 40) & (zipped <= 29)
        total += met.sum(axis=1)
    assert total.mean() == pytest.approx(found["estimate"], rel=0.02)
    assert total.var() == pytest.approx(found["variance"], rel=0.03)


def test_many_questions_are_those_of_one_each() -> None:
    rng = np.random.default_rng(3)
    layout, _ = boxes(rng)
    asked = [condition(rng) for _ in range(300)]
    together = counts(layout, asked)
    for at, one in enumerate(asked):
        alone = figures(layout, one)
        some = [float(value[at]) for value in vars(together).values()]
        np.testing.assert_array_equal(some, list(alone.values()))
