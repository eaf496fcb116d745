from __future__ import annotations

import numpy as np
import pytest

from anachron.kernels.sax import letters, normalised, words
from anachron.methods.patterns.finest import agreeing, choose_levels
from anachron.methods.patterns.kapra import recycle
from anachron.methods.patterns.losses import pattern_losses
from anachron.methods.patterns.tree import Leaves, create_tree, numbered
from tests.oracle import patterns as oracle
from tests.oracle.patterns_cases import TABLE_1, Case, case

UP, DOWN, ARCH, DIP = (
    np.array(shape, dtype=np.float64)
    for shape in ([-1.0, 0.1, 0.9], [1.0, -0.1, -0.9], [-0.6, 1.2, -0.6], [0.6, -1.2, 0.6])
)


def parts(label: np.ndarray, wanted: np.ndarray | None = None) -> list[list[int]]:
    """The sets of rows with equal labels, leaving out −1."""
    rows = np.arange(len(label)) if wanted is None else np.flatnonzero(wanted)
    found: dict[int, list[int]] = {}
    for i in rows.tolist():
        if label[i] >= 0:
            found.setdefault(int(label[i]), []).append(i)
    return sorted(found.values())


def test_trends_that_agree_are_not_frozen_at_level_1() -> None:
    rng = np.random.default_rng(0)
    series = np.arange(6) + rng.normal(0, 0.05, (200, 6))
    z = normalised(series)
    leaves = create_tree(z, 3, 10)
    part = numbered(recycle(z, 3, leaves), np.arange(200))
    level = choose_levels(z, part, 10, "level")[part]
    assert len(set(words(letters(z, 2)))) == 1
    kept = part >= 0
    assert np.count_nonzero(~kept) < 3
    assert pattern_losses(z[kept], level[kept]).mean() < 0.02


def test_a_small_leaf_of_the_highest_level_is_bad() -> None:
    z = np.stack([UP] * 4 + [DOWN])
    leaves = create_tree(z, 2, 2)
    assert leaves.bad_level.tolist() == [0, 0, 0, 0, 2]
    assert parts(leaves.leaf) == [[0, 1, 2, 3], [4]]
    assert recycle(z, 2, leaves)[4] == -1


def test_small_parts_are_merged_when_they_are_enough_together() -> None:
    z = np.stack([UP] * 5 + [DOWN] * 2 + [ARCH] * 2)
    leaves = create_tree(z, 3, 2)
    assert parts(leaves.leaf) == [[0, 1, 2, 3, 4], [5, 6, 7, 8]]
    assert not leaves.bad_level.any()


def test_a_node_whose_parts_are_all_small_is_not_split() -> None:
    z = np.stack([UP] * 2 + [DOWN] * 2 + [ARCH] * 2)
    leaves = create_tree(z, 3, 10)
    assert parts(leaves.leaf) == [[0, 1, 2, 3, 4, 5]]
    assert not leaves.bad_level.any()


def test_one_level_is_one_leaf() -> None:
    z = np.stack([UP] * 5 + [DOWN] * 5)
    assert parts(create_tree(z, 2, 1).leaf) == [list(range(10))]


def test_levels_are_not_nested_and_the_highest_agreeing_one_is_taken() -> None:
    z = np.array([[-0.1, 1.0, -0.9], [0.1, 1.0, -1.1]])
    codes = [words(letters(z, level)).tolist() for level in range(2, 6)]
    assert [a[0] + b[0] for a, b in codes] == ["ab", "bb", "bc", "cc"]
    part = np.zeros(2, dtype=np.int64)
    assert agreeing(z, part, 5).tolist() == [[True, False, True, False, True]]
    assert [choose_levels(z, part, m, "level")[0] for m in range(1, 6)] == [1, 1, 3, 3, 5]


def test_recycled_series_carry_their_own_word() -> None:
    """They agree at level 3 but not at level 2: a leaf lowered as a whole would be wrong."""
    z = np.array([[-1.0, -0.1, 1.0], [-1.0, 0.1, 1.0], [-1.0, 0.1, 1.0]])
    assert words(letters(z, 2)).tolist() == ["aab", "abb", "abb"]
    assert words(letters(z, 3)).tolist() == ["abc", "abc", "abc"]
    pool = Leaves(np.array([0, 1, 2]), np.array([3, 3, 2]))
    assert recycle(z, 2, pool).tolist() == [0, 0, -1]
    # At level 3 two are too few, at level 2 as well, at level 1 all three agree.
    assert parts(recycle(z, 3, pool)) == [[0, 1, 2]]


def test_numbers_follow_the_places_of_members() -> None:
    label = np.array([7, 3, -1, 7, 9])
    assert numbered(label, np.array([4, 3, 0, 2, 1])).tolist() == [1, 2, -1, 1, 0]


@pytest.mark.parametrize("seed", range(60))
def test_leaves_are_those_of_the_recursive_way(seed: int) -> None:
    found: Case = case(np.random.default_rng(seed), most=70, longest=20)
    data, everybody = found.series.tolist(), list(range(len(found.series)))
    good, bad = oracle.create_tree(data, oracle.Node(1, everybody), found.P, found.max_level)
    leaves = create_tree(normalised(found.series), found.P, found.max_level)
    assert parts(leaves.leaf, leaves.bad_level == 0) == sorted(sorted(g.members) for g in good)
    assert parts(leaves.leaf, leaves.bad_level > 0) == sorted(sorted(b.members) for b in bad)
    for leaf in bad:
        assert (leaves.bad_level[leaf.members] == leaf.level).all()
    more, suppressed = oracle.recycle(data, bad, found.P)
    recycled = recycle(normalised(found.series), found.P, leaves)
    assert np.flatnonzero(recycled < 0).tolist() == suppressed
    assert parts(recycled, leaves.bad_level > 0) == sorted(sorted(m) for m in more)


def test_the_paper_s_tree_of_table_1() -> None:
    """By Table 1, not by Figure 3, which contradicts it."""
    leaves = create_tree(normalised(TABLE_1), 2, 3)
    assert parts(leaves.leaf, leaves.bad_level == 0) == [[0, 1, 3], [2, 4, 6]]
    assert parts(leaves.leaf, leaves.bad_level > 0) == [[5], [7]]
