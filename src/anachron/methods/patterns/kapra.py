"""KAPRA: P-subgroups from patterns first, then k-groups from P-subgroups.

Section 5.3 of Shou et al.: create the tree of all series, recycle its bad leaves, split
P-subgroups of 2P series or more by their values, and form k-groups greedily.

Notes
-----
Section 5.3.2 recycles by merging bad leaves with the same level and word. After such a merge the
members may differ one level lower, since levels are not nested, and the merged leaf would be
published with a word that some of them do not have. So leaves are dissolved, and series are
grouped by their own words: from the highest level of a bad leaf downwards, those whose bad leaf
was at that level or above. At level 1 all words are equal, so fewer than P series remain.

Fewer than P series are suppressed. If fewer than k would be left, which takes fewer than k + P
series, all of them become one P-subgroup instead and nothing is suppressed. With l nobody is.

Two dials go beyond the paper, which has ``tree_level = max_level`` and no cells. ``tree_level``
stops the tree earlier, so that the split by values
has larger leaves to work on; the published level is still the highest at which a P-subgroup agrees.
The tree of the paper splits to the last level whatever that does to values, and most of the value
loss comes from there. ``cells`` splits all series by their values first, into cells of so many or
more, and creates a tree in each: from k on, which is about what Naive does, to all of them, which
is KAPRA. Both look at nothing that the paper's steps do not see, and what is published is k series
or more of an envelope and P or more of a word, as without them.

Every tie is broken by ``place``, a different number for each series drawn with a keyed hash:
the order of the input has no influence.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.envelopes import envelopes
from anachron.kernels.formation import form
from anachron.kernels.sax import alike, letters
from anachron.kernels.topdown import split
from anachron.methods.patterns.diversity import cut, lined_up
from anachron.methods.patterns.finest import choose_levels
from anachron.methods.patterns.planned import Planned, Task
from anachron.methods.patterns.tree import Leaves, create_tree, numbered, word_ranks

__all__ = ["kapra", "recycle"]


def kapra(task: Task) -> Planned:
    """Plan the groups of all series."""
    series, z, place = task.series, task.z, task.place
    cell = None if task.cells is None else numbered(split(series, task.cells, place), place)
    leaves = create_tree(z, task.P, task.tree_level or task.max_level, cell)
    leaf = numbered(recycle(z, task.P, leaves), place)
    if np.count_nonzero(leaf >= 0) < task.k:
        leaf = np.zeros(len(z), dtype=np.int64)
    if task.diversity is not None:
        # Who is not published would be known to have one of the values that are missing.
        leaf[leaf < 0] = leaf.max() + 1 + np.arange(np.count_nonzero(leaf < 0))
    part = numbered(split(series, task.P, place, leaf), place)
    if task.diversity is not None:
        line = lined_up(word_ranks(z, task.max_level), leaf, part)
        part = numbered(cut(line, part, task.P, task.diversity).part, place)
    formed = form(*envelopes(series, part), np.bincount(part[part >= 0]), task.k)
    level = choose_levels(z, part, task.max_level, task.objective, task.whole)
    # Who is in no part finds the last place.
    group, level = np.append(formed, -1)[part], np.append(level, 0)[part]
    return Planned(task, group, part, level, int(np.count_nonzero(leaves.bad_level)))


def recycle(z: Floats, P: int, leaves: Leaves) -> Array:  # noqa: N803
    """Make good leaves of the series in bad ones, at the highest level possible.

    Gives each series the number of its good leaf, new ones included; −1 if suppressed.
    """
    leaf = np.where(leaves.bad_level > 0, -1, leaves.leaf)
    pool = np.flatnonzero(leaves.bad_level)
    level = int(leaves.bad_level.max(initial=0))
    free = int(leaf.max(initial=-1)) + 1
    while len(pool) >= P and level:
        ready = pool[leaves.bad_level[pool] >= level]
        word = alike(letters(z, level, ready), np.zeros(len(ready), dtype=np.int64))
        enough = (np.bincount(word) >= P)[word]
        leaf[ready[enough]] = free + word[enough]
        free += len(ready)
        pool = pool[leaf[pool] < 0]
        level -= 1
    return leaf
