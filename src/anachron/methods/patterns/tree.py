"""The create-tree phase: split series by their patterns, one level of letters after the other.

==============  ==========================================================================
``P``           fewest series that may share a pattern
``z``           normalised series, see ``kernels.sax``
node            series that carry the same word at the node's level
good leaf       a node of P series or more that is not split further
bad leaf        a node of fewer than P series
==============  ==========================================================================

Section 5.2 of Shou et al. with Algorithm 1. A node of 2P series or more is split by the words of
the next level, unless every part would be smaller than P. Parts smaller than P are merged if
there are P series in them, and are bad leaves otherwise.

Notes
-----
Where the paper is silent or wrong:

* Algorithm 1 labels a bad leaf of the highest level as good, since its cases do not exclude each
  other. Here they do, as in the text.
* A node whose series all agree one level finer takes that level and goes on. The text would
  freeze it: 200 upward trends would be published as "aaaaaa".
* The level of a good leaf does not influence who is in it, and levels are not nested, so the
  level that is published is chosen at the end, for all series that share a pattern: see
  ``finest``. Two leaves may carry the same word at the same level.
* A merged node splits into parts smaller than P again, so it is a good leaf at once.

All nodes that are split in a round have the same level, so that the whole data is treated level
by level and there is no loop over nodes or series.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.kernels.sax import alike, letters

__all__ = ["Leaves", "create_tree", "numbered", "word_ranks"]


@dataclass(frozen=True)
class Leaves:
    """The leaf of each series."""

    leaf: Array
    """Number of its leaf."""
    bad_level: Array
    """Level of its leaf if that is a bad one; 0 in a good one."""


@dataclass(frozen=True)
class _Split:
    """What becomes of the parts of all nodes of a level."""

    leaf: Array
    """Number of the leaf that a part becomes or joins; −1 where it is split again."""
    is_bad: Flags


def create_tree(z: Floats, P: int, max_level: int, start: Array | None = None) -> Leaves:  # noqa: N803
    """Split all series, or each set of series that ``start`` numbers 0, 1, 2, …, into leaves."""
    bad_level = np.zeros(len(z), dtype=np.int64)
    node = np.zeros(len(z), dtype=np.int64) if start is None else start
    size = np.bincount(node)[node]
    bad_level[size < P] = 1
    leaf = node.copy()
    rows = np.flatnonzero(size >= 2 * P)
    node = node[rows]
    leaves = int(leaf.max(initial=-1)) + 1
    for level in range(2, max_level + 1):
        if not len(rows):
            break
        child = alike(letters(z, level, rows), node)
        split = _split(node, child, P, last=level == max_level)
        ends = split.leaf[child] >= 0
        leaf[rows[ends]] = leaves + split.leaf[child[ends]]
        bad_level[rows[split.is_bad[child]]] = level
        leaves += int(split.leaf.max()) + 1
        rows, node = rows[~ends], child[~ends]
    return Leaves(leaf, bad_level)


def _split(node: Array, child: Array, P: int, *, last: bool) -> _Split:  # noqa: N803
    """Judge the tentative parts of each node by their sizes, and number the leaves 0, 1, 2, …"""
    size = np.bincount(child)
    parent = np.empty(len(size), dtype=np.int64)
    parent[child] = node
    nodes = int(node.max()) + 1
    is_good = size >= P
    has_good = np.zeros(nodes, dtype=np.bool_)
    has_good[parent[is_good]] = True
    small = np.zeros(nodes, dtype=np.int64)
    np.add.at(small, parent[~is_good], size[~is_good])
    whole = ~has_good[parent]
    is_bad = ~is_good & ~whole & (small[parent] < P)
    # Small parts of a node that are merged, or not split off, are one leaf.
    leaf = np.where(is_good | is_bad, nodes + np.arange(len(size)), parent)
    ends = (size < 2 * P) | last
    leaf[ends] = np.unique(leaf[ends], return_inverse=True)[1]
    leaf[~ends] = -1
    return _Split(leaf, is_bad)


def word_ranks(z: Floats, max_level: int) -> Array:
    """Rank series by their words of all levels, the lowest first: those that agree are neighbours.

    Equal ones keep their order.
    """
    levels = [letters(z, level) + np.uint8(1) for level in range(1, max_level + 1)]
    text = np.ascontiguousarray(np.concatenate(levels, axis=1))
    order = np.argsort(text.view(f"S{text.shape[1]}").reshape(-1), kind="stable")
    rank = np.empty(len(z), dtype=np.int64)
    rank[order] = np.arange(len(z))
    return rank


def numbered(label: Array, place: Array) -> Array:
    """Number labels 0, 1, 2, … by the first place of a member; −1 stays −1."""
    known = label >= 0
    first = np.full(int(label.max(initial=-1)) + 1, -1, dtype=np.int64)
    # Places are taken from the end, so that the first one of a label is the largest.
    np.maximum.at(first, label[known], int(place.max(initial=0)) - place[known])
    found = np.flatnonzero(first >= 0)
    number = np.empty(len(first) + 1, dtype=np.int64)
    number[found[np.argsort(-first[found])]] = np.arange(len(found))
    number[-1] = -1
    numbers: Array = number[label]
    return numbers
