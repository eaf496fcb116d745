"""The recycle phase: make good leaves of the series in bad ones, at the highest level possible.

Notes
-----
Section 5.3.2 of Shou et al. merges bad leaves with the same level and word. After such a merge
the members may differ one level lower, since levels are not nested, and the merged leaf would be
published with a word that some of them do not have. So leaves are dissolved, and series are
grouped by their own words: from the highest level of a bad leaf downwards, those whose bad leaf
was at that level or above. At level 1 all words are equal, so fewer than P series remain.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.alike import alike
from anachron.kernels.sax import letters
from anachron.methods.patterns.tree import Leaves

__all__ = ["recycle"]


def recycle(z: Floats, P: int, leaves: Leaves) -> Array:  # noqa: N803
    """Give each series the number of its good leaf, new ones included; −1 if suppressed."""
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
