"""Shares of envelopes and what words say of shapes, on the paper's Table 3 and against samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from anachron.arrays import Floats
from anachron.asking.question import Span
from anachron.asking.series_shapes import Words, shapes_of
from anachron.asking.series_spread import Spread, cell_moments, chances
from anachron.asking.series_values import settled, span_ends, sum_bounds, value_shares
from anachron.kernels.sax import letters, normalised
from tests.oracle.asking_series import Row, distance, distance_range, feature_range
from tests.oracle.asking_series import cell_moments as oracle_moments
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


def test_table_3_patterns_settle_what_they_can() -> None:
    words = _words(3, "aabbcc", "ccbbaa")
    weights, ends = np.eye(6)[[5]] - np.eye(6)[[0]], span_ends([(Span(0, None, False),)])
    must, may = settled(*words.feature_bounds(weights), ends)
    assert must.tolist() == may.tolist() == [[True, False]]


def test_table_3_similarity_is_that_of_all_pairwise_differences() -> None:
    words = _words(3, "aabbcc", "ccbbaa")
    # A straight line has z of ±0.267, ±0.802 and ±1.336.
    line = shapes_of(np.arange(6.0)[None, :])
    assert line[0].tolist() == pytest.approx(
        [-1.336, -0.802, -0.267, 0.267, 0.802, 1.336], abs=1e-3
    )
    mean, variance = Spread(words).squared_distances(line)
    near, far = words.distance_bounds(line)
    assert (near <= mean).all()
    assert (mean <= far).all()
    product, spread = Spread(words).sums(line)
    for at in range(2):
        # Of one shape, D² falls by 2n for each unit of Σqz.
        z = normalised(TABLE_1)[[at]]
        apart = 6 * (5 + 5 - 2 * (line @ z.T)[0, 0])
        assert apart == pytest.approx(distance(z[0], line[0]) ** 2)
        assert mean[0, at] == pytest.approx(6 * (5 + 5 - 2 * product[0, at]))
        assert variance[0, at] == pytest.approx(12**2 * spread[0, at])


@pytest.mark.parametrize("level", [1, 2, 3, 6, 26])
def test_moments_within_letters_are_those_of_a_truncated_normal(level: int) -> None:
    found = cell_moments(level)
    for letter in range(level):
        expected = oracle_moments(level, letter)
        assert found[:, letter].tolist() == pytest.approx(expected, abs=1e-7)
    # All letters together are the whole normal distribution.
    assert found.mean(axis=1).tolist() == pytest.approx([0, 1, 0, 3], abs=1e-7)


def test_sums_of_shapes_are_spread_as_series_with_their_letters() -> None:
    texts = ("aabbccddccbb", "abcdabcdabcd", "bbbbcccaaadd")
    words = _words(4, *texts)
    weights = np.zeros((4, 12))
    weights[0, 11], weights[1, [0, 1]], weights[2, [0, 4, 9]] = 1, (-1, 1), (-1, 0.5, 0.3)
    weights[3] = [-1 / 6] * 6 + [1 / 6] * 6
    spans = [
        (Span(-0.5, 0.9),), (Span(None, 0.3), Span(0.6, 0.9)), (Span(0.1, 0.9),), (Span(0, 0.4),),
    ]  # fmt: skip
    ends, within = span_ends(spans), words.feature_bounds(weights)
    normal = Spread(words).sums(weights)
    share = chances(*settled(*within, ends), normal, within, ends)
    for at, text in enumerate(texts):
        sums = _drawn(4, text) @ weights.T
        assert normal[0][:, at] == pytest.approx(sums.mean(axis=0), abs=0.05)
        assert np.sqrt(normal[1][:, at]) == pytest.approx(sums.std(axis=0), abs=0.2)
        for q, some in enumerate(spans):
            inside = [any(span.holds(x) for span in some) for x in sums[:, q].tolist()]
            assert share[q, at] == pytest.approx(np.mean(inside), abs=0.1)


def test_at_level_1_shapes_are_normal() -> None:
    words = _words(1, "a" * 10)
    weights = np.eye(10)[[0, 0]] - np.eye(10)[[1, 0]] * [[1], [0]]
    mean, variance = Spread(words).sums(weights)
    assert mean.tolist() == [[0.0], [0.0]]
    # Σz = 0 leaves a variance of 1 − 1/n, and nothing is taken from a difference.
    assert variance[:, 0].tolist() == pytest.approx([2.0, 0.9])


def test_of_a_constant_series_nothing_is_open() -> None:
    words = _words(3, "bbbb", "abbc")
    mean, variance = Spread(words).sums(np.eye(4)[[0]])
    assert (mean[0, 0], variance[0, 0]) == (0.0, 0.0)
    assert variance[0, 1] > 0
    line = shapes_of(np.arange(4.0)[None, :])
    mean, variance = Spread(words).squared_distances(line)
    assert (mean[0, 0], variance[0, 0]) == (pytest.approx(12.0), 0.0)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_chances_are_exact_far_from_the_mean(sign: float) -> None:
    def chance(mean: float, variance: float, first: float, last: float) -> float:
        normal = np.full((1, 1), sign * mean), np.full((1, 1), variance)
        within = tuple(np.array([[end]]) for end in sorted((0.0, sign)))
        ends = tuple(np.array([[end, np.nan]]) for end in sorted((sign * first, sign * last)))
        is_open = np.ones((1, 1), dtype=np.bool_)
        return float(chances(~is_open, is_open, normal, within, ends)[0, 0])

    assert chance(0.5, 1.0, 0.0, 0.5) == pytest.approx(0.5)
    # Ten standard deviations away all is at the near end: 1 − exp(−10/4) up to a quarter.
    assert chance(-10.0, 1.0, 0.0, 0.25) == pytest.approx(0.9220, abs=2e-3)
    assert chance(-1e6, 1.0, 0.0, 0.25) == 1.0
    assert chance(-1e6, 1.0, 0.5, 1.0) == 0.0
    assert (chance(0.3, 0.0, 0.2, 0.4), chance(0.3, 0.0, 0.4, 0.9)) == (1.0, 0.0)


def test_rows_of_table_1_are_within_what_their_words_say() -> None:
    z = normalised(TABLE_1)
    words = Words(np.full(8, 3), letters(z, 3), np.ones(z.shape[1], dtype=np.int64))
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
    z = normalised(np.concatenate([rng.normal(size=(20, times)), np.ones((2, times))]))
    level = rng.integers(1, 12, len(z))
    codes = np.stack([letters(z[[i]], int(one))[0] for i, one in enumerate(level)])
    words = Words(level, codes, np.ones(times, dtype=np.int64))
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
    sample = LOW + (HIGH - LOW) * rng.random((100_000, 1, 2))
    for weights in ([1.0, -1.0], [1.0, 1.0], [0.2, 3.0]):
        for ends in ((-20.0, 30.0), (100.0, 260.0), (300.0, 420.0)):
            drawn = sample @ np.array(weights)
            expected = ((drawn >= ends[0]) & (drawn <= ends[1])).mean(axis=0)
            assert share(weights, Span(*ends)) == pytest.approx(expected, abs=0.005)


def test_sums_of_many_values_have_the_right_mean_and_variance() -> None:
    rng = np.random.default_rng(2)
    low, high = np.zeros((1, 6)), rng.random((1, 6))
    drawn = (rng.random((50_000, 6)) * high).mean(axis=1)
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
    return Words(np.full(len(texts), level), codes, np.ones(codes.shape[1], dtype=np.int64))


def _drawn(level: int, text: str) -> Floats:
    """Draw from the normal distribution until letters fit, and Σz and Σz² nearly do."""
    rng = np.random.default_rng(len(text))
    letter = np.array([ord(c) - 97 for c in text])
    z = ndtri((letter + rng.random((200_000, len(text)))) / level)
    near = (np.abs(z.sum(axis=1)) < 0.5) & (np.abs((z**2).sum(axis=1) - len(text) + 1) < 0.5)
    return normalised(z[near])
