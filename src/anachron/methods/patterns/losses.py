"""What publication costs: value loss and pattern loss, Sections 4.2.2 and 4.2.3 of Shou et al.

The value loss of a series is the root of the mean squared width of its group's envelope. Its
pattern loss is the cosine distance between the vector of all pairwise differences of its values
and that of the series reconstructed from its word: at every time, the letters of segments repeated.

Notes
-----
The T(T − 1)/2 differences are never formed: the inner product of two difference vectors is
T·Σab − Σa·Σb, so their cosine is the correlation of the two series, in O(T).

A cosine with a zero vector is undefined. If both series are constant the loss is 0, if one is
it is 1. A word of equal letters reconstructs to a constant series, always so at level 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.envelopes import envelopes
from anachron.kernels.sax import letters, normalised

__all__ = [
    "Costs",
    "Whole",
    "costs",
    "distances",
    "pattern_losses",
    "reconstructed",
    "repeated",
    "value_loss",
    "value_losses",
]

BLOCK = 1 << 16


@dataclass(frozen=True)
class Costs:
    """What is lost by a publication."""

    value_loss: float
    pattern_loss: float
    """Both summed over the published series."""
    suppressed: int
    groups: int
    subgroups: int


def costs(series: Floats, group: Array, subgroups: int, lost: Floats) -> Costs:
    """Measure what is lost, given the group of each series and the pattern loss of those in one."""
    low, high = envelopes(series, group)
    size = np.bincount(group[group >= 0], minlength=len(low))
    suppressed = int(np.count_nonzero(group < 0))
    return Costs(value_loss(low, high, size), float(lost.sum()), suppressed, len(low), subgroups)


def value_losses(low: Floats, high: Floats) -> Floats:
    """Give the value loss of one series of each group (Equation 2)."""
    width = high - low
    loss: Floats = np.sqrt(np.einsum("ij,ij->i", width, width) / low.shape[1])
    return loss


def value_loss(low: Floats, high: Floats, size: Array) -> float:
    """Give the value loss of all series: that of each group as often as it has members."""
    return float(value_losses(low, high) @ size)


@dataclass(frozen=True, eq=False)
class Whole:
    """Series at every time, where letters are those of segments."""

    series: Floats
    lengths: Array
    """How many times each segment has."""

    def z(self, rows: Array | slice = slice(None)) -> Floats:
        """Normalise some of them, with a column for each time: they are not held so."""
        return normalised(self.series[rows])


def repeated(words: Floats, whole: Whole | None) -> Floats:
    """Give the number of each segment at every time of it."""
    return words if whole is None else np.repeat(words, whole.lengths, axis=1)


def pattern_losses(z: Floats, level: Array, whole: Whole | None = None) -> Floats:
    """Give the pattern loss of each series, published with its own word at its level.

    What is not published has level 0, and loses nothing.
    """
    loss = np.zeros(len(z))
    for one in np.unique(level[level > 0]).tolist():
        rows = np.flatnonzero(level == one)
        centres = reconstructed(one)
        for at in range(0, len(rows), BLOCK):
            some = rows[at : at + BLOCK]
            word = repeated(centres[letters(z, one, some)], whole)
            loss[some] = distances(z[some] if whole is None else whole.z(some), word)
    return loss


def reconstructed(level: int) -> Floats:
    """Give the value that each letter of a level stands for: the middle of its probability."""
    normal = NormalDist()
    return np.array([normal.inv_cdf((2 * j + 1) / (2 * level)) for j in range(level)])


def distances(a: Floats, b: Floats) -> Floats:
    """Give the cosine distance of the pairwise differences of each row of a and of b."""
    flat = np.stack([np.ptp(a, axis=1) == 0, np.ptp(b, axis=1) == 0])
    a = a - a.mean(axis=1, keepdims=True)
    b = b - b.mean(axis=1, keepdims=True)
    norm = np.sqrt(np.einsum("ij,ij->i", a, a) * np.einsum("ij,ij->i", b, b))
    cosine = np.einsum("ij,ij->i", a, b) / np.where(flat.any(axis=0), 1.0, norm)
    distance: Floats = np.where(
        flat.any(axis=0), (~flat.all(axis=0)).astype(np.float64), 1.0 - np.minimum(cosine, 1.0)
    )
    return distance
