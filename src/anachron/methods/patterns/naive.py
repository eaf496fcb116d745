"""The Naive algorithm: k-groups from values first, then P-subgroups within each k-group.

Section 5.2 of Shou et al.: cluster all series top-down into k-groups, create a tree in each, and
merge each bad leaf, the smallest first, with the good leaf of its k-group whose word is most
similar; of equally similar ones with the smallest.

Notes
-----
The paper lets the merged series carry the word of the good leaf, which is not theirs. Here all
series of the merged leaf are published at the highest level where they agree: level 1 always is
one. Words of different levels are compared by the series reconstructed from them, and the words
of the good leaves are those before any merge, so that the order of merging decides ties only.

With l, k-groups and then P-subgroups are cut as ``diversity`` says; a k-group that was to be cut
further, and would not have been diverse, is one P-subgroup.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anachron.arrays import Array, Floats
from anachron.kernels.envelopes import envelopes
from anachron.kernels.sax import letters
from anachron.kernels.topdown import split
from anachron.methods.patterns.diversity import cut, lined_up
from anachron.methods.patterns.finest import choose_levels
from anachron.methods.patterns.losses import Whole, distances, reconstructed, repeated
from anachron.methods.patterns.planned import Planned, Task
from anachron.methods.patterns.tree import Leaves, create_tree, numbered, word_ranks

__all__ = ["naive"]


def naive(task: Task) -> Planned:
    """Plan the groups of all series. None is suppressed."""
    series, z, place = task.series, task.z, task.place
    group = numbered(split(series, task.k, place), place)
    start = None
    if task.diversity is not None:
        rank = np.argsort(np.argsort(series.mean(axis=1), kind="stable"))
        start = cut(lined_up(rank, group), group, task.k, task.diversity)
        group = numbered(start.part, place)
    leaves = create_tree(z, task.P, task.max_level, group)
    part = numbered(absorb(z, group, leaves, task.max_level, place, task.whole), place)
    if task.diversity is not None:
        line = lined_up(word_ranks(z, task.max_level), part)
        part = numbered(cut(line, part, task.P, task.diversity, start).part, place)
    level = choose_levels(z, part, task.max_level, task.objective, task.whole)[part]
    return Planned(task, group, part, level, int(np.count_nonzero(leaves.bad_level)))


def absorb(
    z: Floats,
    group: Array,
    leaves: Leaves,
    max_level: int,
    place: Array,
    whole: Whole | None = None,
) -> Array:
    """Give the series of each bad leaf the number of the good leaf they join."""
    good = numbered(np.where(leaves.bad_level > 0, -1, leaves.leaf), place)
    bad = numbered(np.where(leaves.bad_level > 0, leaves.leaf, -1), place)
    good_of, bad_of = np.flatnonzero(good >= 0), np.flatnonzero(bad >= 0)
    if not len(bad_of):
        return good
    leaf_word = repeated(_words(z, good, choose_levels(z, good, max_level, "level")), whole)
    lone_level = _of_parts(leaves.bad_level[bad_of], bad[bad_of])
    lone_word = repeated(_words(z, bad, lone_level), whole)
    leaf_group = _of_parts(group[good_of], good[good_of])
    lone_group = _of_parts(group[bad_of], bad[bad_of])
    leaf_size, lone_size = np.bincount(good[good_of]), np.bincount(bad[bad_of])
    joins = np.empty(len(lone_size), dtype=np.int64)
    order = np.lexsort((np.arange(len(lone_size)), lone_size, lone_group))
    turn = np.arange(len(order)) - np.searchsorted(lone_group[order], lone_group[order])
    # The first bad leaves of all k-groups choose at the same time, then the second ones, ….
    for now in range(int(turn.max()) + 1):
        choosing = order[turn == now]
        lone, leaf = _pairs(lone_group[choosing], leaf_group)
        distance = np.round(distances(lone_word[choosing][lone], leaf_word[leaf]), 12)
        best = np.lexsort((leaf, leaf_size[leaf], distance, lone))
        first = best[np.flatnonzero(np.diff(lone[best], prepend=-1))]
        joins[choosing] = leaf[first]
        np.add.at(leaf_size, leaf[first], lone_size[choosing])
    good[bad_of] = joins[bad[bad_of]]
    return good


def _of_parts(values: Array, part: Array) -> Array:
    """Give each part the value that all its members have."""
    out = np.empty(int(part.max()) + 1, dtype=np.int64)
    out[part] = values
    return out


def _words(z: Floats, part: Array, level: Array) -> Floats:
    """Give the series reconstructed from the word of each part at its level."""
    low, _ = envelopes(z, part)
    word = np.empty_like(low)
    for one in np.unique(level).tolist():
        rows = np.flatnonzero(level == one)
        word[rows] = reconstructed(one)[letters(low, one, rows)]
    return word


def _pairs(wanted: Array, owner: Array) -> tuple[npt.NDArray[np.intp], Array]:
    """Pair each wanted group, by its place in the list, with every leaf that the group owns."""
    by_owner = np.argsort(owner, kind="stable")
    first = np.searchsorted(owner[by_owner], wanted)
    count = np.searchsorted(owner[by_owner], wanted, side="right") - first
    which = np.repeat(np.arange(len(wanted)), count)
    step = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    return which, by_owner[first[which] + step]
