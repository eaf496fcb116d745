"""Find the envelopes that contain a series, among those listed for its word."""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.compiled import compiled

__all__ = ["covering"]


@compiled
def covering(
    series: Floats,
    rows: Array,
    word: Array,
    start: Array,
    subgroup: Array,
    group: Array,
    low: Floats,
    high: Floats,
) -> tuple[Array, Array]:
    """Pair row i of ``rows`` with every subgroup of its word whose group's envelope contains it.

    ``start[w]`` … ``start[w + 1]`` − 1 are the places of word w in ``subgroup`` and ``group``.
    """
    who = np.empty(1024, dtype=np.int64)
    what = np.empty(1024, dtype=np.int64)
    found = 0
    for i in range(len(rows)):
        for at in range(start[word[i]], start[word[i] + 1]):
            g = group[at]
            inside = True
            for t in range(series.shape[1]):
                value = series[rows[i], t]
                if value < low[g, t] or value > high[g, t]:
                    inside = False
                    break
            if inside:
                if found == len(who):
                    who = np.concatenate((who, np.empty_like(who)))
                    what = np.concatenate((what, np.empty_like(what)))
                who[found], what[found] = i, subgroup[at]
                found += 1
    return who[:found], what[:found]
