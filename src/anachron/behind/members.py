"""Who stands behind which group of a release: what only the owner can tell.

An adversary guesses; the owner knows. How often a guess is right, and what answers speak of, is
told by laying the rows of the table against the published groups, once. ``placing`` does it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Floats, distinct

__all__ = ["Attribute", "Members"]


@dataclass(frozen=True, eq=False)
class Attribute:
    """A column of records: codes in the order of its values, missing last."""

    name: str
    code: Array
    domain: pa.Array

    @property
    def size(self) -> int:
        """How many codes there can be."""
        return len(self.domain) + 1

    @property
    def numbers(self) -> Floats | None:
        """The value of each record as a number, NaN if missing; None if they are not numbers."""
        kind = self.domain.type
        if not (
            pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        ):
            return None
        values = np.asarray(self.domain.cast(pa.float64(), safe=False), dtype=np.float64)
        return np.append(values, np.nan)[self.code]


def _none() -> Array:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Members:
    """The records that are published, one place for each, and their groups."""

    group: Array
    """From 0. For series, the people of one pattern in a group."""
    groups: int
    person: Array
    """The code of each record's subject."""
    quasi: tuple[Attribute, ...]
    """Exact values; for series, letters that describe their shape."""
    sensitive: tuple[Attribute, ...]
    spare: tuple[Array, Array] = field(default_factory=lambda: (_none(), _none()))
    """Group and value of each counterfeit."""
    snapshot: Array = field(default_factory=_none)
    """Of a feed: a number for the snapshot in which each record is published,"""
    delay: Array = field(default_factory=_none)
    """and how many snapshots later than it happened that is."""
    candidates: Array | None = None
    """Of a register whose groups show candidates: a value of the group for each record, another one
    for each of a group, whoever has it. The others are counterfeits."""

    @property
    def shown(self) -> Array:
        """The values that are published with the records of each group, in any order."""
        return self.sensitive[0].code if self.candidates is None else self.candidates

    @property
    def people(self) -> int:
        """How many different people are published."""
        return len(distinct(self.person))

    @property
    def rows(self) -> tuple[Array, Array]:
        """Group and value of every published row, counterfeits last."""
        group, value = self.spare
        return np.concatenate([self.group, group]), np.concatenate([self.shown, value])
