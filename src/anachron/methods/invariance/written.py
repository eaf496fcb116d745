"""What the ways to write out a planned release of a register have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array
from anachron.engines.base import Resources
from anachron.methods.invariance.memory import StandingGroups
from anachron.methods.invariance.plan import Plan
from anachron.methods.vocabulary import Vocabulary
from anachron.published.margins import Margin
from anachron.published.ways import Way

__all__ = [
    "GROUP",
    "WrittenRegister",
    "batches",
    "counterfeits",
    "of_groups",
    "signature_places",
    "values_of",
]

GROUP = "group"
_GROUPS = 1 << 14
"""The rows of so many groups are made at a time."""


@dataclass(frozen=True, eq=False)
class WrittenRegister:
    """The published tables, and what follows from how they are written."""

    resources: Resources
    columns: Mapping[str, Way]
    """How the quasi columns are published."""
    number: Array
    """The place of each planned group in the release."""
    standing: StandingGroups | None
    """What is remembered of groups that stand: of quasi values, no more than is published."""
    margins: Mapping[str, Margin] | None = None


def signature_places(planned: Plan, values: Vocabulary) -> Array:
    """The place of each signature among all, by its values as they are published."""
    signatures, rank = planned.signatures, _ranks(values)
    by_rank = [tuple(sorted(int(rank[v]) for v in signature)) for signature in signatures]
    place = np.empty(len(signatures), dtype=np.int64)
    place[sorted(range(len(signatures)), key=by_rank.__getitem__)] = np.arange(len(signatures))
    return place


def values_of(planned: Plan, values: Vocabulary, order: Array) -> tuple[Array, pa.Array]:
    """The values of all groups in an order: the place of the group of each, and the value."""
    rank = _ranks(values)
    in_signature = [
        np.array(sorted(signature, key=rank.__getitem__), dtype=np.int64)
        for signature in planned.signatures
    ]
    signature = planned.groups.signature[order]
    sizes = np.array([len(s) for s in in_signature], dtype=np.int64)[signature]
    codes = np.concatenate([in_signature[s] for s in signature] or [order[:0]])
    return np.repeat(np.arange(len(order)), sizes), values.values.take(pa.array(codes))


def counterfeits(planned: Plan, order: Array) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """The table of how many there are in each group that has any; which they are, nothing tells."""
    fake = planned.groups.counterfeits[order]
    return batches(
        {
            GROUP: pa.array(np.flatnonzero(fake) + 1),
            "counterfeits": pa.array(fake[fake > 0]),
        }
    )


def batches(columns: Mapping[str, pa.Array]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Give a table as it is written."""
    table = pa.table(dict(columns))
    return table.schema, iter(table.to_batches(max_chunksize=1 << 17))


def of_groups(
    rows: Callable[[int, int], Mapping[str, pa.Array]], groups: int
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Give a table of rows by groups, some groups at a time; ``rows`` gives those from one on."""
    schema = pa.table(dict(rows(0, 0))).schema

    def made() -> Iterator[pa.RecordBatch]:
        for begin in range(0, groups, _GROUPS):
            columns = rows(begin, min(begin + _GROUPS, groups))
            yield pa.RecordBatch.from_arrays(list(columns.values()), schema=schema)

    return schema, made()


def _ranks(values: Vocabulary) -> Array:
    """The place of each value among all as they are published, in ascending order."""
    rank = np.empty(len(values.values), dtype=np.int64)
    rank[pc.sort_indices(values.values).to_numpy()] = np.arange(len(rank))
    return rank
