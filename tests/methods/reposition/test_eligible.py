"""The closed form of the initial suppression is what suppressing record by record gives."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from anachron.methods.reposition.eligible import is_eligible, kept, level
from tests.oracle import reposition as oracle
from tests.oracle.reposition_feeds import LEVELS

MORE = [*LEVELS, Fraction(11, 10), Fraction(22, 10), Fraction(537, 100), Fraction(9)]


@pytest.mark.parametrize("ell", MORE, ids=str)
def test_the_closed_form_is_what_suppressing_one_by_one_gives(ell: Fraction) -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        counts = rng.geometric(0.2, int(rng.integers(0, 12))) - 1
        left = oracle.initial(counts.tolist(), ell) if len(counts) else []
        assert kept(counts, ell).tolist() == left
        assert level(counts, ell) == max(left, default=0)


@pytest.mark.parametrize("ell", LEVELS, ids=str)
def test_no_eligible_choice_keeps_more_of_any_value(ell: Fraction) -> None:
    for counts in ([4, 3, 1], [5, 1, 1], [2, 2, 2], [4, 0, 3], [3, 3, 2, 1]):
        most = kept(np.array(counts), ell)
        for choice in product(*(range(n + 1) for n in counts)):
            if oracle.eligible(choice, ell):
                assert (np.array(choice) <= most).all()


def test_a_decimal_l_is_compared_exactly() -> None:
    assert is_eligible(np.array([30, 3]), Fraction("1.1"))
    assert is_eligible(np.array([25, 25, 5]), Fraction("2.2"))
    assert not is_eligible(np.array([31, 3]), Fraction("1.1"))


def test_nothing_is_eligible_and_too_few_values_are_not() -> None:
    assert is_eligible(np.zeros(0, dtype=np.int64), Fraction(2))
    assert is_eligible(np.zeros(3, dtype=np.int64), Fraction(2))
    assert level(np.array([5, 5]), Fraction(3)) == 0


def test_huge_counts_do_not_overflow() -> None:
    counts = np.array([2**60, 2**59, 2**59, 2**59])
    assert kept(counts, Fraction(3)).tolist() == [3 * 2**58, 2**59, 2**59, 2**59]
