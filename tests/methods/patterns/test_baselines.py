"""The baselines keep k, publish what they say, and lose what they must."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from anachron.kernels.sax import letters, normalised
from anachron.methods.patterns.baselines import bfp2ka, tga
from anachron.methods.patterns.losses import reconstructed


def walks(n: int, times: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, times)).cumsum(axis=1)


def longest_common(a: str, b: str) -> int:
    """By recursion on the first letters."""
    if not a or not b:
        return 0
    if a[0] == b[0]:
        return 1 + longest_common(a[1:], b[1:])
    return max(longest_common(a[1:], b), longest_common(a, b[1:]))


def text(z: np.ndarray, level: int) -> list[str]:
    return ["".join(chr(97 + c) for c in word) for word in letters(z, level).tolist()]


# TGA


@pytest.mark.parametrize("k", [1, 4, 50, 100])
def test_tga_draws_from_envelopes_of_at_least_k(k: int) -> None:
    series = walks(100, 6)
    drawn = tga(series, k, np.arange(100), np.random.default_rng(1))
    assert np.bincount(drawn.group).min() >= k
    for g in range(drawn.group.max() + 1):
        mine = drawn.group == g
        assert (drawn.series[mine] >= series[mine].min(axis=0) - 1e-9).all()
        assert (drawn.series[mine] <= series[mine].max(axis=0) + 1e-9).all()


def test_tga_begins_with_the_first_by_lot_and_takes_the_nearest() -> None:
    series = np.array([[0.0, 0.0], [9.0, 9.0], [1.0, 0.0], [8.0, 9.0], [5.0, 5.0]])
    place = np.array([4, 0, 3, 2, 1])
    drawn = tga(series, 2, place, np.random.default_rng(2))
    # 9,9 takes 8,9; then 5,5 takes 1,0, the nearer of two; 0,0 is left and joins them.
    assert drawn.group.tolist() == [1, 0, 1, 0, 1]


def test_tga_does_not_depend_on_the_order_of_the_input() -> None:
    series, place = walks(80, 5), np.random.default_rng(3).permutation(80)
    order = np.random.default_rng(4).permutation(80)
    one = tga(series, 5, place, np.random.default_rng(5))
    other = tga(series[order], 5, place[order], np.random.default_rng(5))
    assert (one.group[order] == other.group).all()
    assert (one.series[order] == other.series).all()


def test_tga_of_one_each_loses_nothing_and_of_many_loses_patterns() -> None:
    series = walks(200, 8)
    exact = tga(series, 1, np.arange(200), np.random.default_rng(6)).costs(series)
    assert exact.value_loss == 0
    assert exact.pattern_loss == pytest.approx(0, abs=1e-9)
    rough = tga(series, 20, np.arange(200), np.random.default_rng(6)).costs(series)
    assert rough.value_loss > 0
    assert rough.pattern_loss > 10
    assert rough.suppressed == 0


def test_tga_refuses_fewer_than_k() -> None:
    with pytest.raises(ValueError, match="fewer than k"):
        tga(walks(3, 3), 4, np.arange(3), np.random.default_rng(7))


# BFP2KA


@pytest.mark.parametrize("share", [0.0, 0.7, 1.0])
def test_bfp2ka_publishes_the_word_with_most_in_common(share: float) -> None:
    z = normalised(walks(400, 5))
    support = Counter(text(z, 3))
    kept = sorted((w for w in support if support[w] >= 8), key=lambda w: (-support[w], w))
    assert 2 < len(kept) < len(support)
    found = bfp2ka(z, 8, level=3, share=share)
    middle = reconstructed(3)
    for i, word in enumerate(text(z, 3)):
        common = [longest_common(word, other) for other in kept]
        if support[word] >= 8:
            expected = kept.index(word)
        else:
            expected = common.index(max(common)) if max(common) >= share * 5 else -1
        assert found.group[i] == expected
        letter = [middle[ord(c) - 97] for c in kept[expected]] if expected >= 0 else [0.0] * 5
        assert found.series[i].tolist() == letter


def test_bfp2ka_keeps_k() -> None:
    z = normalised(walks(500, 4))
    found = bfp2ka(z, 9, level=4)
    assert np.bincount(found.group).min() >= 9
    assert found.costs(z).suppressed == 0


def test_bfp2ka_may_prune_the_whole_tree() -> None:
    z = normalised(walks(100, 10))
    found = bfp2ka(z, 5)
    assert (found.group == -1).all()
    costs = found.costs(z)
    assert (costs.suppressed, costs.groups, costs.pattern_loss) == (100, 0, 0.0)


def test_bfp2ka_of_equal_series_loses_no_values() -> None:
    z = normalised(np.tile(walks(1, 10), (6, 1)))
    costs = bfp2ka(z, 6).costs(z)
    assert (costs.value_loss, costs.groups, costs.suppressed) == (0.0, 1, 0)
    assert costs.pattern_loss < 0.1
