"""What is published of a plan: envelopes of groups, and level, pattern and value of people.

Rows are sorted by what they show, groups numbered by their envelopes. Between equal envelopes
the drawn lots decide, which nobody can repeat without the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Floats
from anachron.kernels.sax import letters, words
from anachron.methods.patterns.planned import Groups
from anachron.published.ways import bounds
from anachron.schema import check_published

__all__ = ["Released", "check_names", "released"]

GROUP, LEVEL, PATTERN = "group", "level", "pattern"

Resources = dict[str, tuple[pa.Schema, Iterator[pa.RecordBatch]]]


@dataclass(frozen=True, eq=False)
class Released:
    """The tables of a release."""

    resources: Resources
    group: Array
    """The published number of each series' group; 0 if it is not published."""
    subgroups: int
    """Different patterns in groups. Subgroups of one pattern in one group are one to the reader."""


def check_names(times: Sequence[str], sensitive: Sequence[str]) -> None:
    """Refuse columns that would be published under the same name, or be described as one."""
    named = [name for time in times for name in bounds(time)]
    for names in ([GROUP, LEVEL, PATTERN, *sensitive], [GROUP, *named], [*times, *sensitive]):
        check_published(names, f"{LEVEL!r}, {PATTERN!r}, _low and _high")


def released(
    groups: Groups,
    z: Floats,
    envelope: tuple[Floats, Floats],
    times: Sequence[str],
    sensitive: Mapping[str, pa.Array],
    whole: bool,
) -> Released:
    """Lay out the tables of a release.

    ``envelope`` are the bounds of each group as they are published, at ``times``; ``z`` the
    normalised series of the patterns. Of a series of whole numbers bounds have the type of whole
    numbers, so that a reader knows.
    """
    low, high = envelope
    ends = np.stack([low, high], axis=2).reshape(len(low), -1)
    order = np.lexsort(ends.T[::-1])
    number = np.empty(len(order) + 1, dtype=np.int64)
    number[order] = np.arange(1, len(order) + 1)
    # Group −1, of those who are not published, finds the last place.
    number[-1] = 0
    group = number[groups.group]
    names = [name for time in times for name in bounds(time)]
    envelopes = {GROUP: pa.array(np.arange(1, len(order) + 1))}
    kind = pa.int64() if whole else pa.float64()
    envelopes |= {name: pa.array(ends[order, i]).cast(kind) for i, name in enumerate(names)}
    seen = _seen(groups, group, z)
    data = _data(groups, group, seen, sensitive)
    subgroups = int(seen.rank.max(initial=0))
    return Released({"data": _batches(data), "envelopes": _batches(envelopes)}, group, subgroups)


@dataclass(frozen=True, eq=False)
class _Seen:
    """Of each subgroup the word of its people, and its place among the different ones."""

    word: npt.NDArray[np.str_]
    rank: Array
    """From 1. Subgroups with the same word in the same group are one to the reader."""


def _seen(groups: Groups, group: Array, z: Floats) -> _Seen:
    kept = np.flatnonzero(groups.subgroup >= 0)
    subgroup = groups.subgroup[kept]
    one = np.empty(int(subgroup.max()) + 1, dtype=np.int64)
    one[subgroup] = kept
    level, word = groups.level[one], _words(z, groups.level, one)
    order = np.lexsort((word, level, group[one]))
    same = np.ones(len(order), dtype=np.bool_)
    same[0] = False
    for part in (group[one][order], level[order], word[order]):
        same[1:] &= part[1:] == part[:-1]
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(~same)
    return _Seen(word, rank)


def _data(
    groups: Groups, group: Array, seen: _Seen, sensitive: Mapping[str, pa.Array]
) -> dict[str, pa.Array]:
    """One row for each published series, sorted by all columns."""
    kept = np.flatnonzero(groups.subgroup >= 0)
    keys = {"0": pa.array(seen.rank[groups.subgroup[kept]])}
    for i, values in enumerate(sensitive.values()):
        keys[str(i + 1)] = values.take(pa.array(kept))
    by = pc.sort_indices(pa.table(keys), sort_keys=[(key, "ascending") for key in keys])
    row = kept[by.to_numpy()]
    found = {
        GROUP: pa.array(group[row]),
        LEVEL: pa.array(groups.level[row]),
        PATTERN: pa.array(seen.word, pa.string()).take(pa.array(groups.subgroup[row])),
    }
    return found | {name: values.take(pa.array(row)) for name, values in sensitive.items()}


def _words(z: Floats, level: Array, rows: Array) -> npt.NDArray[np.str_]:
    """The word of each of some series at its own level."""
    found = np.empty(len(rows), dtype=f"U{z.shape[1]}")
    for one in np.unique(level[rows]).tolist():
        here = np.flatnonzero(level[rows] == one)
        found[here] = words(letters(z, one, rows[here]))
    return found


def _batches(columns: Mapping[str, pa.Array]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    table = pa.table(dict(columns))
    return table.schema, iter(table.to_batches(max_chunksize=1 << 17))
