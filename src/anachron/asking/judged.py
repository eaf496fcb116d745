"""What a leaf says of each distinct published cell of its column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Bytes, Flags, Floats
from anachron.kernels.cells import MAY, MAY_ON_TIME, MUST, MUST_ON_TIME

__all__ = ["Judged", "Shares", "certain"]

Shares = tuple[Flags, Flags, Floats]
"""Of each cell: whether all its values meet a leaf, whether any does, and which share."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Flags and shares, for each cell."""

    flags: Bytes
    share: Floats
    doubt: Floats
    """The variance of the share, where it is open; NaN if nobody knows."""


def certain(must: Flags, may: Flags, share: Floats, doubt: Floats) -> Judged:
    """Make flags of what is known, for columns that no delay touches."""
    flags = np.where(may, MAY | MAY_ON_TIME, 0) | np.where(must, MUST | MUST_ON_TIME, 0)
    return Judged(flags.astype(np.uint8), share, doubt)
