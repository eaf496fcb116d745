"""Choose the level at which the series that share a pattern are published.

They must carry the same word at that level. Letters ascend with values, so series agree at a
level if and only if, at each time, the smallest and the largest of their values have the same
letter: the envelope of the normalised series decides for all members together.

Notes
-----
``objective="level"`` takes the highest level at which all agree. Levels are not nested, so this
may be above one at which they differ: −0.1 and 0.1 are "a" and "b" at level 2, but both are "b"
at level 3.

The paper says that pattern loss falls when the level rises. It need not: between levels 9 and
10 it rises for a third of random walks. ``objective="loss"`` takes, of all levels at which the
members agree, the one with the smallest pattern loss of all of them, the highest if several do.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.kernels.envelopes import envelopes, sums
from anachron.kernels.sax import letters
from anachron.methods.patterns.losses import Whole, reconstructed, repeated

__all__ = ["Objective", "agreeing", "choose_levels"]

Objective = Literal["level", "loss"]


def agreeing(z: Floats, part: Array, max_level: int) -> Flags:
    """Tell for each part, and each level from 1 on, whether all its members carry one word."""
    low, high = envelopes(z, part)
    levels = range(1, max_level + 1)
    agree = [(letters(low, one) == letters(high, one)).all(axis=1) for one in levels]
    return np.stack(agree, axis=1)


def choose_levels(
    z: Floats, part: Array, max_level: int, objective: Objective, whole: Whole | None = None
) -> Array:
    """Choose the level of each part; ``whole`` are the series where z is that of segments."""
    agree = agreeing(z, part, max_level)
    if objective == "loss":
        loss = np.where(agree, _losses(z, part, max_level, whole), np.inf)
        best = loss <= loss.min(axis=1, keepdims=True) + 1e-12
        agree &= best
    level: Array = max_level - np.argmax(agree[:, ::-1], axis=1)
    return level


def _losses(z: Floats, part: Array, max_level: int, whole: Whole | None) -> Floats:
    """Give the pattern loss of each part at each level, as if all had the first member's word.

    The members' cosines with one reconstructed series add up to that of the sum of the members.
    """
    low, _ = envelopes(z, part)
    z = z if whole is None else whole.z()
    length = np.sqrt(np.einsum("ij,ij->i", z, z))
    shaped = length > 0
    total = sums(z, 1 / np.where(shaped, length, 1.0), part)
    size = np.bincount(part[shaped & (part >= 0)], minlength=len(low))
    loss = np.empty((len(low), max_level))
    for one in range(1, max_level + 1):
        word = repeated(reconstructed(one)[letters(low, one)], whole)
        flat = np.ptp(word, axis=1) == 0
        word -= word.mean(axis=1, keepdims=True)
        norm = np.sqrt(np.einsum("ij,ij->i", word, word))
        cosine = np.einsum("ij,ij->i", total, word) / np.where(flat, 1.0, norm)
        loss[:, one - 1] = np.where(flat, size, size - cosine)
    return loss
