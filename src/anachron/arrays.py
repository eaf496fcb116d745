"""The kinds of arrays that Anachron works with, each under one name."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Bytes", "Codes", "Flags", "Floats", "Numbers", "Words"]

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
