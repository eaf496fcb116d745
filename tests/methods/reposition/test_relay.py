"""What relays gain, one by one, is what the cheapest filling of one more place saves."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from anachron.methods.reposition.relay import gains
from anachron.methods.reposition.rule import linear, quadratic
from anachron.methods.reposition.window import matched, taken
from tests.oracle.reposition import choices, fill
from tests.oracle.reposition_feeds import distance, square

FORMS = {"linear": (linear, distance), "quadratic": (quadratic, square)}
BETA = 7


def pairs(numbers: list[int]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(Counter(numbers).items()))


def state(rng: np.random.Generator, newest: int) -> tuple[list[int], list[int], list[int]]:
    """Standing records, their places and suppressed records, which may be the younger ones."""
    homes = rng.integers(0, newest, int(rng.integers(0, 6)))
    places = np.minimum(homes + rng.integers(0, 3, len(homes)), newest - 1)
    hidden = rng.integers(0, newest + 1, int(rng.integers(1, 6)))
    return sorted(homes.tolist()), sorted(places.tolist()), sorted(hidden.tolist())


@pytest.mark.parametrize("form", FORMS)
def test_gains_are_those_of_a_search(form: str) -> None:
    rng = np.random.default_rng(1)
    table, mu = FORMS[form]
    split = 0
    for _ in range(400):
        newest = int(rng.integers(1, 5))
        homes, places, hidden = state(rng, newest)
        found = list(
            gains(
                pairs(homes), pairs(places), pairs(hidden), newest,
                tuple(int(cost) for cost in table(newest + 1)), BETA,
            )
        )  # fmt: skip
        split += len(found) > len(set(hidden))
        one_by_one = [gain for gain, count in found for _ in range(count)]
        assert one_by_one == sorted(one_by_one, reverse=True)
        for k in range(len(hidden) + 1):
            best = min(
                price
                for more in choices(tuple(hidden))
                if len(more) == k
                and (price := fill(tuple(sorted([*homes, *more])),
                                   (*places, *[newest] * k), mu, 9)) is not None
            )  # fmt: skip
            before = fill(tuple(homes), tuple(places), mu, 9)
            assert before is not None
            assert sum(one_by_one[:k]) == BETA * k - (best - before)
    assert split > 10, "batches are divided where the gain changes inside"


def test_the_oldest_records_are_in_the_first_places() -> None:
    standing, places = ((0, 2), (3, 4)), ((1, 1), (3, 3), (4, 2))
    assert list(matched(standing, places)) == [(1, 0, 1), (3, 0, 1), (3, 3, 2), (4, 3, 2)]


@pytest.mark.parametrize("room", range(7))
def test_taking_the_oldest_divides_at_most_one_batch(room: int) -> None:
    standing = ((0, 2), (3, 1), (5, 3))
    first, others = taken(standing, room)
    assert sum(count for _, count in first) == room
    assert all(count for _, count in (*first, *others))
    assert Counter(dict(first)) + Counter(dict(others)) == dict(standing)
    assert max((h for h, _ in first), default=0) <= min((h for h, _ in others), default=9)


def test_costs_may_be_any_whole_numbers() -> None:
    found = gains((), (), ((0, 10**9),), 2, (0, 10**20, 3 * 10**20), 10**21)
    assert list(found) == [(10**21 - 3 * 10**20, 10**9)]
    assert Fraction(10**21) > 2**62
