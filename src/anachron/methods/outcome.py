"""What every method is given of the past, and what it hands over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from anachron.arrays import Array
from anachron.engines.base import Resources
from anachron.published.ways import Way

__all__ = ["Outcome", "Past"]


class Past(Protocol):
    """What a method may ask of the ledger while it plans a release."""

    number: int
    """The number that the release will have."""

    def pseudonyms(self, values: pa.Array) -> pa.Array:
        """Give the keyed digest of each subject."""
        ...

    def marks(self, values: pa.Array) -> pa.Array:
        """Give the keyed digest of each sensitive value."""
        ...

    def secret(self, purpose: str) -> bytes:
        """Give a key for drawing lots, which nobody without the ledger knows."""
        ...

    def state(self) -> pa.Table | None:
        """What the release before remembered, if there was one."""
        ...

    def overlapping(
        self,
        pseudonyms: pa.Array,
        first: Array,
        until: Array,
    ) -> dict[int, int]:
        """Count the subjects that each earlier release shows at an overlapping time."""
        ...


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method hands over to be written, checked and remembered."""

    resources: Resources
    columns: Mapping[str, Way]
    """How each column of the schema was published."""
    facts: dict[str, Any]
    """What a recipient must know beside: numbers only."""
    state: pa.Table
    """What the ledger remembers of the people in the release."""
    explanation: dict[str, Any]
    """For the owner: how the release came about."""
