"""Choices made from uniform numbers, so that they are the same with every version of numpy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anachron.arrays import Array, Floats

__all__ = ["cumulated", "pick", "shuffled"]


def pick(uniform: Floats, weights: npt.ArrayLike) -> Array:
    """Choose indices with the given weights."""
    edges = cumulated(np.asarray(weights, dtype=np.float64))
    return np.searchsorted(edges, uniform, side="right").astype(np.int64)


def cumulated(weights: Floats) -> Floats:
    """Where one choice ends and the next begins, from 0 to 1."""
    edges = np.cumsum(weights)
    return np.asarray(edges[:-1] / edges[-1], dtype=np.float64)


def shuffled(count: int, uniform: Floats) -> Array:
    """The first whole numbers, in any order."""
    return np.argsort(uniform[:count], kind="stable").astype(np.int64)
