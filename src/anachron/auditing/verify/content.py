"""Are the published sensitive values those of the rows they stand for?

In each group the published values must be, value for value and as often, those of the rows of
the microdata that belong to it. Both sides are turned into numbers by one dictionary, sorted,
and compared: exact, whatever the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from anachron.arrays import Array, Numbers
from anachron.auditing.verify.shape import Shape
from anachron.engines.local.load import Loaded

__all__ = ["combined", "differing_groups"]


_BATCH = 1 << 17
_LARGEST = 2**62


def differing_groups(shape: Shape, loaded: Loaded, group_of_row: Numbers) -> list[int]:
    """The groups whose published sensitive values are not those of the microdata."""
    if not shape.sensitive:
        return []
    rows = int((group_of_row > 0).sum())
    key, _ = combined(_both_sides(shape, loaded, group_of_row))
    ours, theirs = key[:rows], key[rows:]
    ours.sort()
    theirs.sort()
    if np.array_equal(ours, theirs):
        return []
    # Rare, and worth the time: look again, to see where the two sides differ.
    key, _ = combined(_both_sides(shape, loaded, group_of_row))
    group, _ = next(_both_sides(shape, loaded, group_of_row))
    keys, first, number = np.unique(key, return_index=True, return_inverse=True)
    ours, theirs = (
        np.bincount(side, minlength=len(keys)) for side in (number[:rows], number[rows:])
    )
    return [int(n) for n in np.unique(group[first[ours != theirs]])]


def combined(parts: Iterable[tuple[Numbers, int]]) -> tuple[Array, int]:
    """One number for each combination of codes, and a bound of these numbers.

    Parts are taken one by one and let go: each may be as long as the table.
    """
    key, size = None, 1
    for codes, count in parts:
        if key is None:
            key, size = codes.astype(np.int64), count
            continue
        if size * count > _LARGEST:
            found, key = np.unique(key, return_inverse=True)
            size = len(found)
        key *= count
        key += codes
        size *= count
    return (np.zeros(0, dtype=np.int64) if key is None else key), size


def _both_sides(
    shape: Shape, loaded: Loaded, group_of_row: Numbers
) -> Iterator[tuple[Numbers, int]]:
    """Group and sensitive columns as codes: first rows of the microdata, then published ones."""
    kept = group_of_row > 0
    group = pq.read_table(shape.file, columns=["group"]).column(0).fill_null(0).to_numpy()
    if len(group) and group.min() >= 0 and group.max() < 2**31:
        group = group.astype(np.int32)
    size = int(max(group.max(initial=0), group_of_row.max(initial=0))) + 1
    yield np.concatenate([group_of_row[kept], group]), size
    del group
    for name, behind in zip(shape.sensitive, _encoded(loaded), strict=True):
        table = pq.read_table(shape.file, columns=[name], read_dictionary=[name])
        codes, size = _joint(behind, table.column(0).chunks)
        del table
        yield np.concatenate([codes[: loaded.rows][kept], codes[loaded.rows :]]), size


def _encoded(loaded: Loaded) -> list[list[pa.DictionaryArray]]:
    """Each sensitive column of the microdata as chunks with a dictionary each."""
    columns: list[list[pa.DictionaryArray]] = [[] for _ in loaded.sensitive_schema]
    for batch in loaded.sensitive(_BATCH):
        for chunks, column in zip(columns, batch.columns, strict=True):
            chunks.append(_dictionary(column, column.type))
    return columns


def _joint(behind: list[pa.DictionaryArray], published: list[pa.Array]) -> tuple[Numbers, int]:
    """Codes of both sides by one dictionary; a missing value is a value of its own."""
    kind = behind[0].type.value_type
    chunks = [*behind, *(_dictionary(chunk, kind) for chunk in published)]
    joint = pa.chunked_array(chunks).unify_dictionaries().chunks
    size = max((len(chunk.dictionary) for chunk in joint), default=0)
    parts = [chunk.indices.fill_null(size).to_numpy(zero_copy_only=False) for chunk in joint]
    return np.concatenate(parts), size + 1


def _dictionary(column: pa.Array, kind: pa.DataType) -> pa.DictionaryArray:
    if not pa.types.is_dictionary(column.type):
        return column.cast(kind).dictionary_encode()
    if column.type.value_type == kind and column.type.index_type == pa.int32():
        return column
    return column.cast(pa.dictionary(pa.int32(), kind))
