"""Signatures have one form and one order; slots are found however many there are."""

from __future__ import annotations

import numpy as np
import pytest

from anachron.methods.invariance import buckets as module
from anachron.methods.invariance.buckets import NEW, Buckets, canonical, in_order
from anachron.methods.invariance.divide import divide


def test_signatures_are_sets_in_canonical_order() -> None:
    assert canonical((3, 1, 2, 1)) == (1, 2, 3)
    assert in_order([(1, 2, 3), (2, 3), (1, 9), (2, 3)]) == ((1, 9), (2, 3), (1, 2, 3))


@pytest.mark.parametrize("dense", [0, 1000])
def test_slots_are_found_or_not(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DENSE", dense)
    found = Buckets(((0, 2), (1, 2, 5))).slot(
        np.array([0, 0, 1, 1, NEW, 1]), np.array([2, 1, 5, 0, 2, 7])
    )
    assert found.tolist() == [1, NEW, 4, NEW, NEW, NEW]
    assert Buckets(()).slot(np.array([NEW]), np.array([3])).tolist() == [NEW]


def test_shortages_are_what_each_slot_lacks() -> None:
    buckets = Buckets(((0, 2), (1, 2, 5)))
    counts = np.array([3, 1, 0, 0, 2])
    assert buckets.heights(counts).tolist() == [3, 2]
    assert buckets.shortages(counts).tolist() == [0, 2, 2, 2, 0]


def test_division_gathers_by_signature_and_counts_the_new() -> None:
    signatures = ((1, 2, 3), (0, 1), (2, 3))
    counted = {"signature": [0, 1, NEW], "value": [3, 0, 2], "count": [2, 2, 2]}
    division = divide(signatures, {name: np.array(c) for name, c in counted.items()}, 5)
    assert division.buckets.signatures == ((0, 1), (1, 2, 3))
    assert division.bucket.tolist() == [1, 0, NEW, NEW]
    assert division.counts.tolist() == [2, 0, 0, 0, 2]
    assert division.new.tolist() == [0, 0, 2, 0, 0]
    one = {"signature": np.array([1]), "value": np.array([3]), "count": np.array([1])}
    with pytest.raises(ValueError, match="lacks the value"):
        divide(signatures, one, 5)
