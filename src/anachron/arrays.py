"""The kinds of arrays that Anachron works with, each under one name, and their distinct numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Bytes", "Codes", "Flags", "Floats", "Numbers", "Words", "distinct"]

Array = npt.NDArray[np.int64]
"""Whole numbers: counts, places, codes, microseconds."""
Codes = npt.NDArray[np.int32]
"""Small whole numbers, where there are many of them."""
Floats = npt.NDArray[np.float64]
"""Numbers with fractions."""
Flags = npt.NDArray[np.bool_]
"""Whether something is so."""
Bytes = npt.NDArray[np.uint8]
"""Letters of words, and digests."""
Words = npt.NDArray[np.uint64]
"""Keys and lots of 64 bits."""
Numbers = npt.NDArray[Any]
"""Numbers of some kind."""


def distinct(numbers: Array) -> Array:
    """Give each number once, in ascending order.

    numpy's ``unique`` looks numbers up in a table of hashes, which takes thirty times as long as
    sorting where most of a million are different.

    Examples
    --------
    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ranked = np.sort(numbers)
    new = np.ones(len(ranked), dtype=bool)
    np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
    return ranked[new]
