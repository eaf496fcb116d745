"""Shares of envelopes and what words say of shapes, on the paper's Table 3 and against samples."""

from __future__ import annotations

import numpy as np
import pytest

from anachron.asking.question import Span
from anachron.asking.series_shapes import (
    Words,
    feature_matches,
    shapes_of,
    similar_matches,
)
from anachron.asking.series_values import settled, span_ends, sum_bounds, value_shares
from anachron.kernels.sax import letters, normalised
from tests.oracle.asking_series import Row, distance, distance_range, feature_range
from tests.oracle.patterns_cases import TABLE_1

# Table 3 of the paper: the envelopes of its two groups in 2005 and 2006, and who is in which.
LOW = np.array([[117.0, 107.0], [32.0, 54.0]])
HIGH = np.array([[176.0, 181.0], [98.0, 120.0]])
SIZE = np.array([4, 4])


def share(weights: list[float], *spans: Span) -> list[float]:
    return value_shares(np.array([weights]), LOW, HIGH, span_ends([spans]))[0].tolist()


def test_table_3_counts_by_the_part_of_the_envelope_that_a_range_covers() -> None:
    # 2006 in [144, 200]: 37 of the 74 of group 1, none of group 2. Truly, it is three people.
    assert share([0, 1], Span(144, 200)) == [0.5, 0.0]
    assert np.array(share([0, 1], Span(144, 200))) @ SIZE == 2.0
    # 2006 in [87, 144]: the other half, and 33 of the 66 of group 2.
    assert share([0, 1], Span(87, 144)) == [0.5, 0.5]
    assert share([0, 1], Span(None, 120), Span(144, None)) == [pytest.approx(50 / 74), 1.0]
    both = np.array(share([1, 0], Span(146.5, 300))) * share([0, 1], Span(144, 200))
    assert both @ SIZE == 4 * 0.5 * 0.5


def test_table_3_envelopes_settle_what_they_can() -> None:
    weights, ends = np.array([[0.0, 1.0]] * 3), span_ends([(Span(107, 181),), (Span(121),), ()])
    must, may = settled(*sum_bounds(weights, LOW, HIGH), ends)
    assert must.tolist() == [[True, False], [False, False], [False, False]]
    assert may.tolist() == [[True, True], [True, False], [False, False]]


def test_table_3_patterns_are_rebuilt_from_the_middle_of_each_letter() -> None:
    words = _words(3, "aabbcc", "ccbbaa")
    up = [-0.967421566] * 2 + [0.0] * 2 + [0.967421566] * 2
    assert words.rebuilt[0].tolist() == pytest.approx(up, abs=1e-9)
    assert words.rebuilt[1].tolist() == pytest.approx(up[::-1], abs=1e-9)
    weights, ends = np.eye(6)[[5]] - np.eye(6)[[0]], span_ends([(Span(0, None, False),)])
    assert feature_matches(words.rebuilt, weights, ends).tolist() == [[True, False]]


def test_table_3_similarity_is_that_of_all_pairwise_differences() -> None:
    words = _words(3, "aabbcc", "ccbbaa")
    # A straight line has z of ±0.267, ±0.802 and ±1.336; from aabbcc it differs by 0.369, −0.166
    # and 0.267, twice each: D² = 6 · 2 · (0.136 + 0.027 + 0.071) = 2.823.
    line = shapes_of(np.arange(6.0)[None, :])
    assert line[0].tolist() == pytest.approx(
        [-1.336, -0.802, -0.267, 0.267, 0.802, 1.336], abs=1e-3
    )
    assert distance(words.rebuilt[0], line[0]) == pytest.approx(1.680, abs=1e-3)
    near = similar_matches(words.rebuilt, np.repeat(line, 3, axis=0), np.array([1.67, 1.69, -1.0]))
    assert near.tolist() == [[False, False], [True, False], [False, False]]


def test_rows_of_table_1_are_within_what_their_words_say() -> None:
    z = normalised(TABLE_1)
    words = Words(np.full(8, 3), letters(z, 3))
    low, high = words.box
    assert (low <= z).all()
    assert (z <= high).all()
    near, far = words.distance_bounds(z)
    for i in range(8):
        for j in range(8):
            assert near[i, j] <= distance(z[i], z[j]) ** 2 <= far[i, j]


@pytest.mark.parametrize("times", [2, 3, 6, 25])
def test_bounds_of_shapes_hold_and_are_those_of_the_definitions(times: int) -> None:
    rng = np.random.default_rng(times)
    z = normalised(np.concatenate([rng.normal(size=(30, times)), np.ones((2, times))]))
    level = rng.integers(1, 12, len(z))
    codes = np.stack([letters(z[[i]], int(one))[0] for i, one in enumerate(level)])
    words = Words(level, codes)
    weights = rng.normal(size=(8, times)) * (rng.random((8, times)) < 0.5)
    lowest, highest = words.feature_bounds(weights)
    sums = weights @ z.T
    assert (lowest <= sums + 1e-12).all()
    assert (sums <= highest + 1e-12).all()
    sequences = shapes_of(rng.normal(size=(8, times)))
    near, far = words.distance_bounds(sequences)
    names = tuple(f"t{i:02d}" for i in range(times))
    for word in range(len(z)):
        text = "".join(chr(97 + c) for c in codes[word])
        row = Row((), int(level[word]), text, names)
        for q in range(8):
            apart = distance(z[word], sequences[q]) ** 2
            assert near[q, word] <= apart <= far[q, word]
            if times <= 6 and q < 4:
                given = tuple(zip(names, weights[q].tolist(), strict=True))
                exact = feature_range(row, given)
                assert (lowest[q, word], highest[q, word]) == pytest.approx(exact, abs=1e-6)
                low, high = distance_range(row, sequences[q].tolist())
                assert max(near[q, word], 0.0) == pytest.approx(low**2, abs=1e-5)
                assert far[q, word] == pytest.approx(high**2, abs=1e-5)


def test_sums_of_two_values_are_spread_as_a_trapezoid() -> None:
    rng = np.random.default_rng(1)
    sample = LOW + (HIGH - LOW) * rng.random((200_000, 1, 2))
    for weights in ([1.0, -1.0], [1.0, 1.0], [0.2, 3.0]):
        for ends in ((-20.0, 30.0), (100.0, 260.0), (300.0, 420.0)):
            drawn = sample @ np.array(weights)
            expected = ((drawn >= ends[0]) & (drawn <= ends[1])).mean(axis=0)
            assert share(weights, Span(*ends)) == pytest.approx(expected, abs=0.005)


def test_sums_of_many_values_have_the_right_mean_and_variance() -> None:
    rng = np.random.default_rng(2)
    low, high = np.zeros((1, 6)), rng.random((1, 6))
    drawn = (rng.random((200_000, 6)) * high).mean(axis=1)
    weights = np.full((1, 6), 1 / 6)
    for at in (0.1, 0.3, 0.5, 0.8):
        edge = float(np.quantile(drawn, at))
        found = value_shares(weights, low, high, span_ends([(Span(None, edge),)]))
        assert found[0, 0] == pytest.approx(at, abs=0.03)


def test_bounds_of_sums_are_safe_from_rounding() -> None:
    # 0.1 + 0.2 is above 0.3: with three values, order decides what is computed.
    point = np.array([[0.1, 0.2, 0.3]])
    lowest, highest = sum_bounds(np.ones((1, 3)), point, point)
    for total in ((0.1 + 0.2) + 0.3, 0.1 + (0.2 + 0.3)):
        assert lowest[0, 0] <= total <= highest[0, 0]
    whole = np.array([[1.0, 2.0, 3.0]])
    assert sum_bounds(np.ones((1, 3)), whole, whole) == (6.0, 6.0)
    unknown = np.array([[1.0, -np.inf, 3.0]])
    lowest, highest = sum_bounds(
        np.array([[1.0, 0, 1], [1, 2, 0]]), unknown, np.array([[2.0, 5, 4]])
    )
    assert (lowest.tolist(), highest.tolist()) == ([[4.0], [-np.inf]], [[6.0], [12.0]])


def test_open_ends_leave_out_the_end_itself() -> None:
    point = np.array([[2.0]])
    for low_closed in (True, False):
        ends = span_ends([(Span(2, 3, low_closed=low_closed),)])
        assert settled(point, point, ends)[1].tolist() == [[low_closed]]
        assert value_shares(np.ones((1, 1)), point, point, ends).tolist() == [[float(low_closed)]]


def _words(level: int, *texts: str) -> Words:
    codes = np.array([[ord(c) - 97 for c in text] for text in texts], dtype=np.uint8)
    return Words(np.full(len(texts), level), codes)
