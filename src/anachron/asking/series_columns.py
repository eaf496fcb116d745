"""The columns of a release of series that hold one value for each row, and leaves on them.

A leaf is judged on the different values of a column, not on rows. It has three answers for each:
whether the true value must fulfil it, whether it may, and what the published value says.

Notes
-----
With the paper's diversity some numbers were changed, by ``noise`` at most. A changed number is
none that anybody had, and no two are the same: one that stands in several rows is the true one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow.compute as pc

from anachron.arrays import Flags, Numbers
from anachron.asking.catalogue import Catalogue
from anachron.asking.keys import Key, key_of
from anachron.asking.leaves import judged
from anachron.asking.question import Begins, Leaf
from anachron.asking.shares import counted, measured, pointwise, spans_of
from anachron.kernels.cells import MAY, MUST
from anachron.published.coded import CodedColumn

__all__ = ["Listed", "noise_of"]

Answers = tuple[Flags, Flags, Flags]
"""Whether each value must fulfil a leaf, may fulfil it, and does so as published."""

_ROUNDING = 4 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Listed:
    """A column of a release of series."""

    coded: CodedColumn
    catalogue: Catalogue
    noise: Decimal = Decimal(0)
    """By how much a published number may differ from the true one."""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.coded.way.column

    @cached_property
    def between(self) -> tuple[Numbers, Numbers]:
        """Between which numbers the true value of each published one lies."""
        numbers = self.coded.low
        if not self.noise:
            return numbers, numbers
        alone = np.bincount(self.coded.codes, minlength=len(numbers)) == 1
        if numbers.dtype.kind == "i":
            off = np.where(alone, int(self.noise), 0)
            return numbers - off, numbers + off
        numbers = numbers.astype(np.float64)
        far = float(self.noise) * (1 + _ROUNDING) + _ROUNDING * np.abs(numbers)
        far = np.where(alone, far, 0.0)
        return numbers - far, numbers + far

    def judge(self, leaf: Leaf) -> Answers:
        """Judge a leaf on every value."""
        if not self.noise or isinstance(leaf, Begins):
            found = judged(leaf, self.coded, self.catalogue)
            must, may = (found.flags & MUST) > 0, (found.flags & MAY) > 0
            return must, may, found.share > 0
        spans, (low, high) = spans_of(leaf), self.between
        if low.dtype.kind == "i":
            must, may, _ = counted(low, high, spans)
        else:
            must, may, _ = measured(low, high, spans, half_open=False)
        guess = pointwise(self.coded.low, spans)[0]
        missing = self.coded.missing
        must, may, guess = (np.where(missing, leaf.nulls, part) for part in (must, may, guess))
        return must, may, guess

    def keys(self) -> list[Key]:
        """List the values in order, and the leaf that each fulfils; null is the last."""
        # Arrow sorts any type, and puts null last.
        order = pc.sort_indices(self.coded.cells[0]).to_pylist()
        return [key_of(self.coded, at) for at in order]


def noise_of(guarantee: Mapping[str, Any]) -> Decimal:
    """By how much the release may have changed a sensitive number."""
    if guarantee.get("l") is None or guarantee.get("diversity") != "paper":
        return Decimal(0)
    return Decimal(str(guarantee["noise"]))
