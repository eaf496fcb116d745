"""Attributes with many values, cut into a few classes that can be learned from."""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array
from anachron.behind import Attribute

__all__ = ["classes"]

_CUT_INTO = 10


def classes(column: Attribute, most: int) -> tuple[Array, bool]:
    """Number the values of a column from 0; more than ``most`` are cut into classes.

    Classes are equally large parts of the values in their order. Also tells whether that was done.

    >>> import pyarrow as pa
    >>> few = Attribute("sex", np.array([1, 0, 1]), pa.array(["f", "m"]))
    >>> classes(few, 5)
    (array([1, 0, 1]), False)
    """
    if column.size - 1 <= most:
        return column.code, False
    edges = np.quantile(column.code, np.arange(1, _CUT_INTO) / _CUT_INTO)
    return np.searchsorted(np.unique(edges), column.code, side="right").astype(np.int64), True
