"""Who moves is drawn, within people of one value."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from anachron.engines.local.rows import LocalRows
from anachron.methods.invariance.lots import KeyedLots


def dealt(values: np.ndarray, lots: np.ndarray, *parts: tuple[list[int], ...]) -> list[int]:
    """Where an engine deals people to, given parts of (value, destination, how many)."""
    value, to, count = (np.concatenate(part) for part in zip(*parts, strict=True))
    rows = LocalRows.of({"value": values, "lot": lots})
    goes = rows.dealt("value", "lot", {"cell": value, "count": count, "to": to}, "to")
    return goes.collect("to")["to"].tolist()


def test_the_first_in_the_draw_go_to_the_first_destination() -> None:
    values, lots = np.array([0, 1, 0, 0, 1]), np.array([2, 4, 0, 3, 1])
    parts = [([0, 1], [7, 7], [1, 1]), ([1, 0], [8, 9], [1, 2])]
    assert dealt(values, lots, *parts) == [9, 8, 7, 9, 7]


def test_who_is_left_over_goes_nowhere_and_nobody_goes_twice() -> None:
    assert dealt(np.array([0, 0, 1, -1]), np.array([1, 0, 2, 3]), ([0], [7], [1])) == [
        -1,
        7,
        -1,
        -1,
    ]
    with pytest.raises(ValueError, match="more rows"):
        dealt(np.array([0, 0]), np.array([0, 1]), ([0], [7], [3]))


def test_all_choices_are_equally_likely() -> None:
    subjects = np.random.default_rng(1).integers(0, 256, (5, 32), dtype=np.uint8)
    values = np.array([0, 0, 0, 0, 1])
    part = ([0, 0, 1], [7, 8, 7], [2, 2, 1])
    seen = Counter(
        tuple(dealt(values, KeyedLots(b"key", release).subjects("choose", subjects), part))
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
