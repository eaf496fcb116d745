"""Pooling: before Assign opens further signatures, new people join those that others have.

=========  ================================================================================
``n_v``    tuples of S− with value v, γ of them in all
``s``      number of values of a signature that known people of the release have
``α``      tuples of each of its values that join it
=========  ================================================================================

Signatures take turns, the one with most people first; each takes as many tuples of each of its
values as leave S− m-eligible. Assign places the rest.

Notes
-----
Not in the paper. In a mode in which every shortage becomes a counterfeit, a bucket needs more of
them the more people leave it, by chance unevenly: about as many as the root of its size. So many
small buckets need more than a few large ones, and Assign, which looks at the new people only,
opens further ones at every release. Largest first is the order in which the sum of roots grows
least.

**Nothing is learned from it.** For any two values, exchange them for everybody whose signature has
both (``plan``). Whatever is looked at here stays as it was: which signatures there are, and how
many people have each, because nobody's signature changes; and n_v, because new people are placed
in units of one tuple for each value of a signature, by pooling and by Assign alike, so that as
many with the one value as with the other are exchanged. Those who are held back are in no
signature, and are not exchanged. Ties go by the numbers that values were given when they were
first declared or seen; there are the same values in both worlds, and so the same numbers. So α is
the same, too, and who goes is drawn from the n_v people with a value, which is equally likely in
both. What a bucket lacks of which value is not looked at: that would not stay as it was.
``tests.oracle.pooled_worlds`` goes through all worlds of short histories.

**One turn is enough.** A turn ends for one of three reasons: no tuple is left of a value; or one
more of each would leave another value with too many, γ − m·n_v < s for a v outside; or one of its
own, γ − m·n_v < s − m. Later turns take α′ tuples of s′ ≥ m values: γ falls by s′·α′ ≥ m·α′ and n_v
by α′ at most, so that γ − m·n_v does not grow.

An integer program can choose all α at once. The one that leaves the fewest to Assign has more
counterfeits later than these turns, because it does not care how large buckets are; weighed by
size it has as many. Turns are whole numbers, and the same on every machine.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array
from anachron.methods.invariance.assign import eligible
from anachron.methods.invariance.buckets import Buckets

__all__ = ["pool"]


def pool(buckets: Buckets, people: Array, new: Array, m: int) -> Array:
    """Say how many tuples of each of its values join each bucket.

    Parameters
    ----------
    buckets, people
        Those of known people, and how many of them are in each.
    new
        Tuples of S− with each value.

    >>> pool(Buckets(((0, 1), (1, 2))), np.array([2, 5]), np.array([3, 4, 2]), 2)
    array([2, 1])
    """
    if not eligible(new, m):
        raise ValueError("S− is not m-eligible")
    alpha = np.zeros(len(buckets.signatures), dtype=np.int64)
    left = new.copy()
    for bucket in _in_turn(buckets, people, new):
        values = buckets.value[buckets.start[bucket] : buckets.start[bucket + 1]]
        alpha[bucket] = _most(left, values, m)
        left[values] -= alpha[bucket]
    return alpha


def _in_turn(buckets: Buckets, people: Array, new: Array) -> list[int]:
    """The buckets for whose values there are tuples, those with most people first."""
    if not buckets.signatures:
        return []
    able = np.minimum.reduceat(new[buckets.value], buckets.start[:-1]) > 0
    order = np.argsort(-people, kind="stable")
    return [int(bucket) for bucket in order[able[order]]]


def _most(left: Array, values: Array, m: int) -> int:
    """The largest α that leaves S− m-eligible, of these values."""
    own = left[values]
    least, size = int(own.min()), len(values)
    if not least:
        return 0
    others = left.copy()
    others[values] = 0
    gamma = int(left.sum())
    alpha = min(least, (gamma - m * int(others.max())) // size)
    if size > m:
        alpha = min(alpha, (gamma - m * int(own.max())) // (size - m))
    return alpha
