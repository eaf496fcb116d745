"""What every method is given of the past, and what it hands over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Generic, Protocol, TypeVar

import pyarrow as pa

from anachron.engines.base import Resources
from anachron.published.ways import Way
from anachron.schema import Schema
from anachron.streamed import Streamed

__all__ = ["Explanation", "Outcome", "Past", "Record"]


class Past(Protocol):
    """What a method may ask of the ledger while it plans a release."""

    number: int
    """The number that the release will have."""

    @property
    def pseudonyms(self) -> Callable[[pa.Array], pa.Array]:
        """Give the keyed digest of each subject, by a function that can be sent to workers."""
        ...

    def marks(self, values: pa.Array) -> pa.Array:
        """Give the keyed digest of each sensitive value."""
        ...

    def secret(self, purpose: str) -> bytes:
        """Give a key for drawing lots, which nobody without the ledger knows."""
        ...

    def aside(self, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Streamed:
        """Keep the state of the release to come: it is read once, and given as often as asked."""
        ...

    def state(self) -> Streamed | None:
        """What the release before remembered, if there was one."""
        ...

    def unlike(self, schema: Schema, first: int, until: int) -> int | None:
        """Name an earlier release that shows people at a time, told apart in another way."""
        ...

    def overlapping(self, wanted: Streamed) -> dict[int, int]:
        """Count the subjects that each earlier release shows at an overlapping time.

        They are given by their keyed digests, in ascending order, each from ``first`` to ``until``.
        """
        ...


@dataclass(frozen=True)
class Record:
    """What a method states: figures and words under names, which are those of its fields."""

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain values, as ledgers and descriptions hold it.

        What a field ``figures`` holds is told among the others.
        """
        plain = {one.name: _plain(getattr(self, one.name)) for one in fields(self)}
        figures = plain.pop("figures", {})
        return {**plain, **figures}


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if is_dataclass(value):
        return {one.name: getattr(value, one.name) for one in fields(value)}
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True)
class Explanation(Record):
    """For the owner: how a release came about."""

    method: str
    notes: Sequence[str]
    """What was out of the ordinary."""


Told = TypeVar("Told", bound=Explanation, covariant=True)


@dataclass(frozen=True, eq=False)
class Outcome(Generic[Told]):
    """What a method hands over to be written, checked and remembered."""

    resources: Resources
    columns: Mapping[str, Way]
    """How each column of the schema was published."""
    facts: Record
    """What a recipient must know beside."""
    state: Streamed
    """What the ledger remembers of the people in the release, ascending by its keyed digests."""
    explanation: Told
