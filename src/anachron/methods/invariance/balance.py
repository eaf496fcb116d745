"""Balancing (Section 4.1): fill what buckets lack with tuples of S− or with counterfeits.

=========  ================================================================================
``D_v``    what all buckets lack of value v
``n_v``    tuples of S− with value v, N of them in all
``y_v``    tuples of S− with value v that fill a shortage; the rest of D_v are counterfeits
``c_v``    the most that y_v can be: min(D_v, n_v)
``L``      largest number of tuples with one value that S− has left
=========  ================================================================================

What is left of S− must be m-eligible, or it could not be assigned: max(n − y) ≤ (N − Σy)/m.

Notes
-----
The paper moves one tuple at a time and asks after each whether S− is still m-eligible. That
uses more counterfeits than necessary: with m = 2, one bucket {a, c, e} that holds one e, and
S− = {a, c}, neither a nor c can be moved alone, but both together can. ``exact`` decides for
all buckets at once. For any allowed y, L = max(n − y) ≥ max(n − c) =: L0 and
Σy ≤ N − m·L ≤ N − m·L0; and min(Σc, N − m·L0) is reached by moving the n − L0 that exceed L0,
then any others. So the fewest counterfeits possible for the release have a closed form.
Fewest for one release is not always fewest for a whole history.

In which order the paper visits buckets and values, it does not say, and the number of
counterfeits depends on it. Both rules go through the slots in canonical order.

Filling with real tuples tells an adversary who knows the algorithm which value was missing.
``counterfeits_only`` is the balancing of the modes that do not tell.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array
from anachron.methods.invariance.assign import eligible

__all__ = ["counterfeits_only", "exact", "paper"]


def exact(shortage: Array, value: Array, new: Array, m: int) -> Array:
    """Say how many tuples of S− fill each slot so that the fewest counterfeits are needed.

    Parameters
    ----------
    shortage, value
        What each slot lacks, and of which value.
    new
        Tuples of S− with each value. Balancing can make S− m-eligible, but not always.
    """
    lacking = np.bincount(value, weights=shortage, minlength=len(new)).astype(np.int64)
    most = np.minimum(lacking, new)
    top = int((new - most).max(initial=0))
    room = int(new.sum()) - m * top
    must = np.maximum(new - top, 0)
    if must.sum() > room:
        raise ValueError("no balancing leaves S− m-eligible")
    forced = _first(must, shortage, value)
    able = _first(most - must, shortage - forced, value)
    before = np.cumsum(able) - able
    filled: Array = forced + np.clip(room - int(must.sum()) - before, 0, able)
    return filled


def paper(shortage: Array, value: Array, new: Array, m: int) -> Array:
    """Say how many tuples of S− fill each slot when one moves at a time."""
    if not eligible(new, m):
        raise ValueError("S− is not m-eligible")
    left = new.copy()
    filled = np.zeros_like(shortage)
    for slot in np.flatnonzero(shortage).tolist():
        v = value[slot]
        for _ in range(int(shortage[slot])):
            if left[v] == 0:
                break
            left[v] -= 1
            if not eligible(left, m):
                left[v] += 1
                break
            filled[slot] += 1
    return filled


def counterfeits_only(shortage: Array) -> Array:
    """Fill no slot with tuples of S−: every shortage becomes a counterfeit."""
    return np.zeros_like(shortage)


def _first(total: Array, shortage: Array, value: Array) -> Array:
    """Spread each value's total over its slots, the first slots first."""
    order = np.argsort(value, kind="stable")
    want, of = shortage[order], value[order]
    before = np.cumsum(want) - want
    heads = np.flatnonzero(np.diff(of, prepend=-1))
    before -= np.repeat(before[heads], np.diff(np.append(heads, len(of))))
    given = np.empty_like(shortage)
    given[order] = np.clip(total[of] - before, 0, want)
    return given
