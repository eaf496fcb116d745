"""KAPRA: P-subgroups from patterns first, then k-groups from P-subgroups.

Section 5.3 of Shou et al.: create the tree of all series, recycle its bad leaves, split
P-subgroups of 2P series or more by their values, and form k-groups greedily.

Notes
-----
Fewer than P series are suppressed. If fewer than k would be left, which takes fewer than k + P
series, all of them become one P-subgroup instead and nothing is suppressed. With l nobody is.

Every tie is broken by ``place``, a different number for each series drawn with a keyed hash:
the order of the input has no influence.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.envelopes import envelopes
from anachron.kernels.formation import form
from anachron.kernels.sax import normalised
from anachron.kernels.topdown import split
from anachron.methods.patterns.diversity import Diversity, cut, lined_up
from anachron.methods.patterns.finest import Objective, choose_levels
from anachron.methods.patterns.planned import Groups
from anachron.methods.patterns.recycle import recycle
from anachron.methods.patterns.tree import create_tree, numbered, word_ranks

__all__ = ["checked", "kapra"]


def kapra(
    series: Floats,
    k: int,
    P: int,  # noqa: N803
    max_level: int,
    objective: Objective,
    place: Array,
    diversity: Diversity | None = None,
    shapes: Floats | None = None,
) -> Groups:
    """Plan the groups of all series.

    Parameters
    ----------
    series
        One row for each series, all values finite.
    k, P
        Fewest series with one envelope, and with one envelope and word; P ≤ k.
    max_level
        Highest level of a word.
    objective
        What decides the level of a P-subgroup: ``"level"`` or ``"loss"``.
    place
        A different number for each series, which decides ties.
    diversity
        What each P-subgroup must hold of the sensitive values, if anything.
    shapes
        The series whose patterns are published, if they are not the ones whose values are.
    """
    checked(series, k, P)
    z = normalised(series if shapes is None else shapes)
    leaves = create_tree(z, P, max_level)
    leaf = numbered(recycle(z, P, leaves), place)
    if np.count_nonzero(leaf >= 0) < k:
        leaf = np.zeros(len(z), dtype=np.int64)
    if diversity is not None:
        # Who is not published would be known to have one of the values that are missing.
        leaf[leaf < 0] = leaf.max() + 1 + np.arange(np.count_nonzero(leaf < 0))
    kept = np.flatnonzero(leaf >= 0)
    part = numbered(split(series[kept], P, place[kept], leaf[kept]), place[kept])
    if diversity is not None:
        line = lined_up(word_ranks(z, max_level), leaf, part)
        part = numbered(cut(line, part, P, diversity).part, place)
    low, high = envelopes(series[kept], part)
    formed = form(low, high, np.bincount(part), k)
    group, subgroup, level = (np.full(len(z), fill, dtype=np.int64) for fill in (-1, -1, 0))
    group[kept], subgroup[kept] = formed[part], part
    level[kept] = choose_levels(z[kept], part, max_level, objective)[part]
    return Groups(group, subgroup, level, int(np.count_nonzero(leaves.bad_level)))


def checked(series: Floats, k: int, P: int) -> None:  # noqa: N803
    """Make sure that there are enough series and that P and k fit each other."""
    if not 1 <= P <= k:
        raise ValueError("P is from 1 to k")
    if len(series) < k:
        raise ValueError("there are fewer than k series")
