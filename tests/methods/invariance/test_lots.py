"""Who moves is drawn, within people of one value."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from anachron.methods.invariance.lots import KeyedLots, choose


def test_the_first_in_the_draw_go_to_the_first_destination() -> None:
    values = np.array([0, 1, 0, 0, 1])
    places = np.array([2, 4, 0, 3, 1])
    destinations = [
        (np.array([0, 1]), np.array([7, 7]), np.array([1, 1])),
        (np.array([1, 0]), np.array([8, 9]), np.array([1, 2])),
    ]
    assert choose(values, places, destinations).tolist() == [9, 8, 7, 9, 7]


def test_every_tuple_must_go_somewhere() -> None:
    part = (np.array([0]), np.array([7]), np.array([1]))
    with pytest.raises(ValueError, match="as many places"):
        choose(np.array([0, 0]), np.array([0, 1]), [part])


def test_all_choices_are_equally_likely() -> None:
    subjects = np.random.default_rng(1).integers(0, 256, (5, 32), dtype=np.uint8)
    values = np.array([0, 0, 0, 0, 1])
    part = (np.array([0, 0, 1]), np.array([7, 8, 7]), np.array([2, 2, 1]))
    seen = Counter(
        tuple(choose(values, KeyedLots(b"key", release).subjects("choose", subjects), [part]))
        for release in range(1200)
    )
    assert len(seen) == 6
    assert sum((n - 200) ** 2 / 200 for n in seen.values()) < 20.6


def test_values_are_ranked_too() -> None:
    lots = KeyedLots(b"key", 1)
    assert sorted(lots.values("assign", 9)) == list(range(9))
    assert sorted(lots.drawn("assign", 9, b"p" * 32)) == list(range(9))
    assert list(lots.drawn("assign", 9, b"p" * 32)) != list(lots.drawn("assign", 9, b"q" * 32))


def test_a_key_is_never_shown() -> None:
    assert "secret" not in repr(KeyedLots(b"secret", 3))
