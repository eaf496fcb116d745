from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

from anachron.kernels.envelopes import envelopes, sums
from anachron.kernels.sax import (
    HIGHEST_LEVEL,
    alike,
    breakpoints,
    letters,
    normalised,
    shapeless,
    words,
)
from tests.oracle.patterns import word
from tests.oracle.patterns_cases import TABLE_1, case


def spelled(series: object, level: int) -> list[str]:
    return words(letters(normalised(np.array(series, dtype=np.float64)), level)).tolist()


@pytest.mark.parametrize("level", range(1, HIGHEST_LEVEL + 1))
def test_break_points_cut_the_normal_distribution_into_equal_parts(level: int) -> None:
    exact = [NormalDist().inv_cdf(j / level) for j in range(1, level)]
    assert breakpoints(level).tolist() == [round(x, 9) for x in exact]


def test_there_is_no_level_beyond_the_alphabet() -> None:
    for level in (0, HIGHEST_LEVEL + 1):
        with pytest.raises(ValueError, match="levels go from 1 to 26"):
            breakpoints(level)


def test_table_3_of_the_paper() -> None:
    third, second = spelled(TABLE_1, 3), spelled(TABLE_1, 2)
    assert [third[i - 1] for i in (1, 2, 3, 5)] == ["aabbcc", "aabbcc", "ccbbaa", "ccbbaa"]
    # Rows 7 and 8 are printed with two letters: their word is that of level 2.
    assert [second[i - 1] for i in (7, 8)] == ["bbbaaa", "bbbaaa"]


def test_the_deviation_is_that_of_a_sample() -> None:
    z = normalised(TABLE_1)
    np.testing.assert_allclose(z.std(axis=1, ddof=1), 1, atol=1e-8)
    np.testing.assert_allclose(z.mean(axis=1), 0, atol=1e-8)


def test_the_middle_of_a_symmetric_series_is_on_the_break_point() -> None:
    series = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.7, 0.8, 0.9], [1e9 + 1, 1e9 + 2, 1e9 + 3]]
    assert spelled(series, 2) == ["abb", "bba", "abb", "abb"]


def test_constant_and_nearly_constant_series_have_one_letter() -> None:
    series = [[0.1 + 0.2, 0.3, 0.3], [0.0, 0.0, 0.0], [7.0, 7.0, 7.0], [-1e300] * 3]
    assert spelled(series, 3) == ["bbb"] * 4
    assert spelled(series, 2) == ["bbb"] * 4
    assert not shapeless(np.array(series)).any()


def test_series_that_lost_their_shape_to_rounding_are_found() -> None:
    shape = np.array([0.0, 1.0, 5.0, 3.0])
    series = np.stack([shape + 1e15, shape - 1e15, shape + 1e11, shape, shape * 1e-200])
    assert shapeless(series).tolist() == [True, True, False, False, False]


def test_offsets_and_scales_do_not_change_letters() -> None:
    rng = np.random.default_rng(3)
    series = rng.normal(size=(200, 9)).cumsum(axis=1)
    plain = letters(normalised(series), 10)
    for changed in (series * 2.0**-1000, series * 2.0**1000, series + 1e6, series * 3 - 1e4):
        np.testing.assert_array_equal(letters(normalised(changed), 10), plain)


def test_extreme_values_are_neither_infinite_nor_lost() -> None:
    series = np.array([[1.7e308, -1.7e308, 0.0], [5e-324, 0.0, 0.0]])
    z = normalised(series)
    np.testing.assert_allclose(z, [[1, -1, 0], [1.154700538, -0.577350269, -0.577350269]])


def test_normal_form_is_that_of_exact_arithmetic() -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        series = case(rng, most=10, longest=30).series
        for row, z in zip(series.tolist(), normalised(series).tolist(), strict=True):
            exact = [Fraction(x) for x in row]
            mean = sum(exact) / len(exact)
            variance = sum((x - mean) ** 2 for x in exact) / (len(exact) - 1)
            if variance > Fraction(1, 10**20):
                sd = Fraction(float(variance) ** 0.5)
                for a, b in zip(exact, z, strict=True):
                    assert abs(float((a - mean) / sd) - b) <= 6e-10


def test_letters_are_those_of_the_obvious_way() -> None:
    rng = np.random.default_rng(4)
    for _ in range(60):
        found = case(rng, most=12, longest=60)
        expected = [word(row, found.max_level) for row in found.series.tolist()]
        assert spelled(found.series, found.max_level) == expected


def test_letters_of_some_rows() -> None:
    z = normalised(TABLE_1)
    some = np.array([6, 1])
    np.testing.assert_array_equal(letters(z, 5, some), letters(z, 5)[some])


def test_one_time_has_no_pattern() -> None:
    with pytest.raises(ValueError, match="two times or more"):
        normalised(np.ones((3, 1)))


def test_alike_numbers_pairs_of_node_and_word() -> None:
    rng = np.random.default_rng(6)
    for n, T in ((0, 3), (1, 1), (300, 1), (500, 3), (500, 40)):
        codes = rng.integers(0, 2, (n, T)).astype(np.uint8)
        node = rng.integers(0, 3, n)
        seen: dict[tuple[int, bytes], int] = {}
        expected = [
            seen.setdefault((int(a), b.tobytes()), len(seen))
            for a, b in zip(node, codes, strict=True)
        ]
        assert alike(codes, node).tolist() == expected


def test_envelopes_and_sums_leave_out_who_is_in_no_group() -> None:
    series = np.array([[1.0, 5.0], [3.0, 2.0], [9.0, 9.0], [-1.0, 0.0]])
    group = np.array([0, 0, -1, 1])
    low, high = envelopes(series, group)
    assert low.tolist() == [[1.0, 2.0], [-1.0, 0.0]]
    assert high.tolist() == [[3.0, 5.0], [-1.0, 0.0]]
    assert sums(series, np.full(4, 2.0), group).tolist() == [[8.0, 14.0], [-2.0, 0.0]]
