"""A recipient's estimates hold for every record, and are the program's optimum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anachron.errors import InputError, Refusal, ReleaseError
from anachron.methods.patterns.estimate import (
    Customized,
    all_value_bounds,
    case_of,
    letter_of,
    refined_bounds,
    value_bounds,
)
from tests.methods.patterns.customized_cases import publish, random_case
from tests.oracle import customized as oracle

Times = tuple[str, ...]


def rows(*values: object) -> np.ndarray:
    return np.array([values], dtype=float)


def record(
    low: np.ndarray, high: np.ndarray, text: str, level: int, values: Times, patterns: Times
) -> Customized:
    word = np.array([[ord(c) - ord("a") for c in text]], dtype=np.uint8)
    return Customized(low, high, word, np.array([level]), values, patterns)


def test_the_four_cases() -> None:
    assert case_of(("a", "b"), ("b", "a")) == "Equal"
    assert case_of(("a",), ("a", "b")) == "Contained"
    assert case_of(("a", "b", "c"), ("b", "c")) == "Contained"
    assert case_of(("a", "b"), ("b", "c")) == "Overlap"
    assert case_of(("a",), ("b", "c")) == "Disjoint"
    assert case_of((), ("b", "c")) == "Disjoint"


def test_a_letter_between_two_known_ones_is_bounded_by_their_envelopes() -> None:
    """Lemma 1: 2005 is a and at least 30, 2007 is c and at most 80, so 2006 is between."""
    times = ("2005", "2006", "2007")
    seen = record(rows(30, 60), rows(40, 80), "abc", 3, times[::2], times)
    lower, upper = value_bounds(seen, "2006")
    assert lower[0] == pytest.approx(30)
    assert upper[0] == pytest.approx(80)
    assert lower[0] <= 30
    assert upper[0] >= 80


def test_an_outer_letter_is_bounded_by_how_far_a_value_can_be_from_the_mean() -> None:
    """Level 2 over three times: a is mu − [0, r]·sigma, b is mu + [0, r]·sigma, r = 2/√3.

    a is 0 and b is 6, so mu is in [0, 6] and r·sigma ≥ max(mu, 6 − mu); sigma has no end above:
    another b is at least 0, and nothing bounds it above.
    """
    seen = record(rows(0, 6), rows(0, 6), "abb", 2, ("x", "y"), ("x", "y", "w"))
    lower, upper = value_bounds(seen, "w")
    assert lower[0] == pytest.approx(0, abs=1e-6)
    assert upper[0] == np.inf


def test_two_letters_apart_bound_what_is_beyond_them() -> None:
    """Level 4 over four times: cuts −0.674, 0, 0.674 and outer cuts ∓1.5.

    b = 0 and c = 6 say mu − 0.674·sigma ≤ 0 ≤ mu ≤ 6 ≤ mu + 0.674·sigma: nothing ends sigma.
    b = 0 and d = 6 say 0 ≤ mu and mu + 0.674·sigma ≤ 6, so sigma ≤ 6 / 0.674, and what is
    an a is at most mu − 0.674·sigma ≤ 0, at least mu − 1.5·sigma ≥ 0 − 1.5·6 / 0.674.
    """
    times = ("x", "y", "w", "v")
    lower, upper = value_bounds(record(rows(0, 6), rows(0, 6), "bdaa", 4, times[:2], times), "w")
    assert lower[0] == pytest.approx(-1.5 * 6 / 0.674489750, abs=1e-6)
    assert upper[0] == pytest.approx(0, abs=1e-6)
    lower, _ = value_bounds(record(rows(0, 6), rows(0, 6), "bcaa", 4, times[:2], times), "w")
    assert lower[0] == -np.inf


def test_bounds_beyond_the_largest_number_are_none() -> None:
    times = ("x", "y", "w", "v")
    for sign, text in ((1.0, "bdaa"), (-1.0, "caad")):
        exact = rows(0, sign * 1.6e308)
        lower, upper = value_bounds(record(exact, exact, text, 4, times[:2], times), "v")
        assert (lower[0] == -np.inf) if sign > 0 else (upper[0] == np.inf)


def test_a_constant_pattern_has_the_same_value_at_all_times() -> None:
    for level, text in ((2, "bbb"), (3, "bbb"), (5, "ccc")):
        seen = record(rows(1, 3), rows(5, 9), text, level, ("x", "y"), ("x", "y", "w"))
        lower, upper = value_bounds(seen, "w")
        assert (lower[0], upper[0]) == pytest.approx((3, 5))


def test_level_one_says_nothing() -> None:
    seen = record(rows(1, 3), rows(1, 3), "aaa", 1, ("x", "y"), ("x", "y", "w"))
    lower, upper = value_bounds(seen, "w")
    assert (lower[0], upper[0]) == (-np.inf, np.inf)
    assert refined_bounds(seen)["x"] == (1, 1)


def test_the_letter_that_overlaps_most() -> None:
    """a = 0 and c = 6 at level 3: what is at 3 is likely b, at 40 certainly c or beyond."""
    times = ("x", "y", "h")
    for value, letter in ((3.0, 1), (400.0, 2), (-400.0, 0)):
        low, high = rows(0, 6, value - 0.5), rows(0, 6, value + 0.5)
        estimate = letter_of(record(low, high, "ac", 3, times, ("x", "y")), "h")
        assert estimate.letter.tolist() == [letter]
        assert estimate.letter.dtype == np.uint8
        assert estimate.first[0] <= letter <= estimate.last[0]


def test_of_letters_that_overlap_alike_the_middle_one() -> None:
    # Nothing is known of the spread: every letter may be anywhere.
    estimate = letter_of(record(rows(0, 5), rows(9, 6), "cd", 5, ("x", "h"), ("x", "w")), "h")
    assert estimate == ([2], [0], [4])


def test_a_constant_pattern_leaves_the_letter_open() -> None:
    estimate = letter_of(record(rows(0, 5), rows(0, 6), "bb", 3, ("x", "h"), ("x", "w")), "h")
    assert estimate == ([1], [0], [2])


def test_disjoint_is_refused() -> None:
    seen = record(rows(1), rows(2), "ab", 2, ("x",), ("v", "w"))
    for ask in (
        lambda: value_bounds(seen, "w"),
        lambda: all_value_bounds(seen),
        lambda: letter_of(seen, "x"),
        lambda: refined_bounds(seen),
    ):
        with pytest.raises(Refusal, match="no time has both"):
            ask()


def test_a_question_that_is_none_is_an_input_error() -> None:
    seen = record(rows(1, 2), rows(2, 3), "ab", 2, ("x", "h"), ("x", "w"))
    with pytest.raises(InputError, match="'h' has no published letter"):
        value_bounds(seen, "h")
    with pytest.raises(InputError, match="'x' has a letter and an envelope"):
        value_bounds(seen, "x")
    with pytest.raises(InputError, match="'w' has no published envelope"):
        letter_of(seen, "w")
    with pytest.raises(InputError, match="same records and times"):
        all_value_bounds(seen._replace(level=np.array([2, 2])))


def test_what_cannot_be_of_one_series_is_refused() -> None:
    # x is an a and above y, which is a b.
    wrong = record(rows(5, 1), rows(6, 2), "abc", 3, ("x", "y"), ("x", "y", "w"))
    with pytest.raises(ReleaseError, match="Row 1: no series"):
        refined_bounds(wrong)
    beyond = record(rows(1, 5), rows(2, 6), "abc", 2, ("x", "y"), ("x", "y", "w"))
    with pytest.raises(ReleaseError, match="Row 1: a letter"):
        value_bounds(beyond, "w")


def holds(seed: int, n: int = 12, spread: float = 1.0) -> None:
    """Check that every estimate of a random publication holds for every record."""
    case = random_case(np.random.default_rng(seed), n, spread)
    missing = all_value_bounds(case.seen)
    assert set(missing) == set(case.pattern_times) - set(case.value_times)
    for time, (lower, upper) in (missing | refined_bounds(case.seen)).items():
        truth = case.truth(time)
        assert (lower <= truth).all()
        assert (truth <= upper).all()
    # The letter of a time outside the pattern is not defined if the pattern is constant.
    sure = case.scale()[1] > 1e-9 * abs(case.series).max(axis=1)
    for time in set(case.value_times) - set(case.pattern_times):
        estimate = letter_of(case.seen, time)
        assert (estimate.first <= estimate.letter).all()
        assert (estimate.letter <= estimate.last).all()
        assert (estimate.last < case.level).all()
        true = case.true_letter(time)
        assert (estimate.first[sure] <= true[sure]).all()
        assert (true[sure] <= estimate.last[sure]).all()


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.integers(0, 2**32))
def test_every_estimate_holds_for_every_record(seed: int) -> None:
    holds(seed)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.integers(0, 2**32), st.sampled_from([1e-7, 1e-9, 1e150, 1e303, 1e-300, 1e-315]))
def test_estimates_hold_at_the_ends_of_floating_point(seed: int, spread: float) -> None:
    holds(seed, 12, spread)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    st.lists(st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=4), min_size=1, max_size=6),
    st.integers(2, 26),
)
def test_exact_values_still_contain_the_missing_one(series: list[list[float]], level: int) -> None:
    """Groups of one record and no grid: the narrowest envelopes that there are."""
    x = np.array(series)
    case = publish(x, np.arange(len(x)), np.full(len(x), level), [0, 1, 2], [0, 1, 2, 3])
    lower, upper = value_bounds(case.seen, "t3")
    assert (lower <= x[:, 3]).all()
    assert (x[:, 3] <= upper).all()


@pytest.mark.parametrize(
    ("unit", "offset", "jitter"), [(1.0, 0.0, 1e-9), (1e6, 2.0**52, 1e-6), (1e6, -(2.0**52), 1e-6)]
)
def test_values_on_the_very_cuts_are_not_lost(unit: float, offset: float, jitter: float) -> None:
    """Letters are cut from rounded z, and sums of large numbers are rounded."""
    rng = np.random.default_rng(1)
    cuts = np.array([-0.67448975, -0.67448975, 0.0, 0.0, 0.67448975, 0.67448975])
    near = cuts + rng.uniform(-jitter, jitter, (400, 6))
    half, rest = -near.sum(axis=1) / 2, 7 - (near**2).sum(axis=1)
    away = np.sqrt(rest / 2 - half**2)
    z = np.column_stack([near, half - away, half + away])
    series = z if unit == 1 else np.rint(z * unit) + offset
    for missing in range(6):
        values = [t for t in range(8) if t != missing]
        case = publish(series, np.arange(400), np.full(400, 4), values, list(range(8)))
        lower, upper = value_bounds(case.seen, f"t{missing}")
        assert (lower <= series[:, missing]).all()
        assert (series[:, missing] <= upper).all()


def against_a_solver(seed: int) -> int:
    """Compare with scipy's linprog, an inequality for each time, after moving to mean 0, sd 1."""
    case = random_case(np.random.default_rng(seed))
    found = all_value_bounds(case.seen) | refined_bounds(case.seen)
    mean, sd = case.scale()
    compared = 0
    for i in np.flatnonzero(sd > 1e-9 * abs(case.series).max(axis=1)).tolist():
        letters = dict(zip(case.pattern_times, case.letters[i].tolist(), strict=True))
        low, high = ((bound[i] - mean[i]) / sd[i] for bound in (case.low, case.high))
        envelopes = dict(zip(case.value_times, zip(low, high, strict=True), strict=True))
        level = int(case.level[i])
        lines = oracle.record(envelopes, letters, level)
        for time, bounds in found.items():
            best = oracle.extremes(lines, *oracle.cuts(level, len(letters))[letters[time]])
            assert best is not None
            if time in envelopes:
                best = max(best[0], envelopes[time][0]), min(best[1], envelopes[time][1])
            ours = tuple((bound[i] - mean[i]) / sd[i] for bound in bounds)
            assert ours == pytest.approx(best, rel=1e-5, abs=1e-5)
            compared += 1
    return compared


def test_bounds_are_the_optimum_of_the_program() -> None:
    assert sum(against_a_solver(seed) for seed in range(6)) > 250


@pytest.mark.campaign
def test_thousands_of_publications() -> None:
    for seed in range(3_000):
        holds(seed)
        holds(seed, 40, 1e-8)
    assert sum(against_a_solver(seed) for seed in range(200)) > 5_000


@pytest.mark.parametrize("seed", range(20))
def test_refining_again_narrows_no_further(seed: int) -> None:
    case = random_case(np.random.default_rng(seed))
    once = refined_bounds(case.seen)
    low, high = case.low.copy(), case.high.copy()
    for time, (lower, upper) in once.items():
        at = case.value_times.index(time)
        low[:, at], high[:, at] = lower, upper
    twice = refined_bounds(case.seen._replace(low=low, high=high))
    size = abs(case.series).max()
    for time, (lower, upper) in once.items():
        assert (lower >= case.low[:, case.value_times.index(time)]).all()
        assert twice[time][0] == pytest.approx(lower, abs=1e-6 * size)
        assert twice[time][1] == pytest.approx(upper, abs=1e-6 * size)


def test_the_order_of_records_does_not_matter() -> None:
    rng = np.random.default_rng(5)
    case = random_case(rng, 60)
    order = rng.permutation(np.repeat(np.arange(60), 3))
    mixed = Customized(*(part[order] for part in case.seen[:4]), *case.seen[4:])
    for time, bounds in all_value_bounds(case.seen).items():
        for one, other in zip(bounds, all_value_bounds(mixed)[time], strict=True):
            assert (one[order] == other).all()


def test_no_records() -> None:
    empty = np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 2), np.uint8), np.zeros(0, np.int64)
    seen = Customized(*empty, ("x", "h"), ("x", "w"))
    assert letter_of(seen, "h").letter.shape == (0,)
    assert value_bounds(seen, "w")[0].shape == (0,)
