from __future__ import annotations

from decimal import Decimal

from anachron.auditing.reading.form import Meaning
from anachron.auditing.reading.values import cover, wrong_values

TENTHS = Meaning("dose", "bins", ("dose_low", "dose_high"), width=Decimal("0.1"))
TENS = Meaning("age", "bins", ("age_low", "age_high"), width=Decimal(10))


def test_bins_of_fractions_are_on_the_grid_exactly() -> None:
    assert wrong_values(TENTHS, [(0.3, 0.4), (0.7, 0.8), (-0.1, 0.0), (None, None)]) == 0
    assert wrong_values(TENTHS, [(0.30000000000000004, 0.4)]) == 1
    assert wrong_values(TENTHS, [(0.3, 0.5), (0.35, 0.45), (None, 0.1), (0.3, float("inf"))]) == 4


def test_a_bin_of_fractions_ends_where_the_next_begins() -> None:
    bins = [(0.3, 0.4), (0.4, 0.5)]
    found = cover(TENTHS, [0.3, 0.39, 0.4, Decimal("0.45"), None], bins)
    assert found.codes.tolist()[:4] == [0, 0, 1, 1]
    assert found.codes[4] >= 2
    assert found.ambiguous == 0


def test_values_below_the_origin_fall_into_the_bin_below() -> None:
    assert wrong_values(TENS, [(-10, -1), (0, 9)]) == 0
    assert cover(TENS, [-1, -10, 0, 9], [(-10, -1), (0, 9)]).codes.tolist() == [0, 0, 1, 1]


def test_values_that_were_not_published_are_told_apart() -> None:
    found = cover(TENS, [5, 25, 27, 35], [(0, 9)])
    assert found.codes[0] == 0
    assert found.codes[1] == found.codes[2] != found.codes[3]
    assert found.size == 3


def test_overlapping_bins_are_ambiguous() -> None:
    assert cover(TENS, [5], [(0, 9), (9, 19)]).ambiguous == 1
    assert cover(TENS, [5], [(0, 9), (10, 19)]).ambiguous == 0


def test_missing_matches_only_missing() -> None:
    as_it_is = Meaning("sex", "as it is", ("sex",))
    found = cover(as_it_is, ["f", None, "m"], [("f",), (None,)])
    assert found.codes.tolist() == [0, 1, 2]


def test_a_value_in_no_class_is_covered_by_nothing() -> None:
    classes = Meaning("ward", "parents", ("ward",), covers={"in": frozenset({"a"})})
    assert cover(classes, ["a", "b"], [("in",)]).codes.tolist() == [0, 1]
