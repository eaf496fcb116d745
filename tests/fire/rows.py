"""Ways to alter the rows of a release: cells that no method writes, and files written otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.fire.mutations import CANARY, Luck, mutation
from tests.release.forging import reseal, restate, write_parquet

_WRITTEN = {
    "version": "2.6",
    "data_page_version": "1.0",
    "compression": "zstd",
    "store_schema": False,
}


def rewrite(file: Path, table: pa.Table, rows: int = 1 << 17, **settings: Any) -> None:
    """Write a table in the place of another, as releases do but for some settings."""
    with pq.ParquetWriter(file, table.schema, **{**_WRITTEN, **settings}) as writer:
        writer.write_table(table, row_group_size=rows)


def without_csv(folder: Path) -> None:
    """Leave out the CSV files, which would have to be altered, too."""
    for file in folder.glob("*.csv"):
        file.unlink()
    restate(
        folder,
        lambda said: said.update(
            resources=[one for one in said["resources"] if one["format"] == "parquet"]
        ),
    )


def odd_cells(kind: pa.DataType, luck: Luck) -> list[Any]:
    """Cells at the ends of what a type can hold."""
    if pa.types.is_integer(kind):
        most = 2 ** (kind.bit_width - 1) - 1
        return [most, -most - 1, 0, -1, 1, most // 2, None, luck.randrange(most)]
    if pa.types.is_floating(kind):
        return [float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 5e-324, -0.0, None]
    if pa.types.is_timestamp(kind):
        return [2**63 - 1, -(2**63), 0, 253402300800 * 10**6, -62135596801 * 10**6, 1, None]
    if pa.types.is_date(kind):
        return [2**31 - 1, -(2**31), 0, None]
    if pa.types.is_string(kind):
        odd = ["", "\x00", "a" * 100_000, "0001-01-01", "9999-W53", "\u202e", "a|b", "zz", None]
        return [*odd, "-1", "{}", "<script>"]
    return [None]


def _cells(table: pa.Table, luck: Luck) -> pa.Table:
    """Put odd cells into some rows, one, or all, of one column."""
    at = luck.randrange(table.num_columns)
    kind = table.schema.field(at).type
    cells = table.column(at).combine_chunks()
    whole = cells.cast(pa.int64()) if pa.types.is_timestamp(kind) else cells
    if pa.types.is_date(kind):
        whole = cells.cast(pa.int32())
    values = whole.to_pylist()
    odd = odd_cells(kind, luck)
    for row in range(len(values)):
        if luck.random() < (share := luck.choice([0.01, 0.1, 1.0])) or (share < 1 and row == 0):
            values[row] = luck.choice(odd)
    made = pa.array(values, whole.type).cast(kind)
    return table.set_column(at, table.schema.field(at), made)


def _all_alike(table: pa.Table, luck: Luck) -> pa.Table:
    at = luck.randrange(table.num_columns)
    field = table.schema.field(at)
    odd = luck.choice(odd_cells(field.type, luck))
    stored = pa.int64() if pa.types.is_timestamp(field.type) else field.type
    stored = pa.int32() if pa.types.is_date(field.type) else stored
    return table.set_column(at, field, pa.array([odd] * len(table), stored).cast(field.type))


def _shuffled(table: pa.Table, luck: Luck) -> pa.Table:
    order = list(range(len(table)))
    luck.shuffle(order)
    many = luck.choice([len(order), len(order) // 2, 1, 0])
    return table.take(pa.array(order[:many], pa.int64()))


def _many(table: pa.Table, luck: Luck) -> pa.Table:
    return pa.concat_tables([table] * luck.choice([2, 3, 50])).combine_chunks()


def _other_type(table: pa.Table, luck: Luck) -> pa.Table:
    at = luck.randrange(table.num_columns)
    name = table.column_names[at]
    kinds = [pa.int8(), pa.uint64(), pa.float32(), pa.string(), pa.binary(), pa.bool_(),
             pa.date32(), pa.timestamp("ms"), pa.timestamp("us", "Asia/Tokyo"), pa.time64("us"),
             pa.decimal128(20, 4), pa.list_(pa.int64()), pa.struct([("a", pa.int64())]),
             pa.null(), pa.binary(5)]  # fmt: skip
    kind = luck.choice(kinds)
    try:
        column = table.column(at).cast(kind)
    except (pa.ArrowException, NotImplementedError):
        column = pa.nulls(len(table), kind)
    return table.set_column(at, name, column)


def _columns(table: pa.Table, luck: Luck) -> pa.Table:
    names = list(table.column_names)
    luck.shuffle(names)
    return table.select(names[: luck.choice([len(names), len(names) - 1])])


_CHANGES: tuple[Callable[[pa.Table, Luck], pa.Table], ...] = (
    _cells, _cells, _cells, _all_alike, _all_alike, _shuffled, _many, _other_type, _columns,
)  # fmt: skip


@mutation(12)
def cells(folder: Path, luck: Luck) -> bool:
    """Change rows of a table, and put the description right."""
    without_csv(folder)
    file = luck.choice(sorted(folder.glob("*.parquet")))
    table = pq.read_table(file)
    if table.num_rows:
        rewrite(file, luck.choice(_CHANGES)(table, luck))
    reseal(folder)
    return False


@mutation(6)
def built_otherwise(folder: Path, luck: Luck) -> bool:
    """Write the same rows with other settings, which are nobody's, or with more than the rows."""
    without_csv(folder)
    file = luck.choice(sorted(folder.glob("*.parquet")))
    table = pq.read_table(file)
    settings: list[dict[str, Any]] = [
        {"compression": "gzip"}, {"compression": "none"}, {"data_page_version": "2.0"},
        {"use_dictionary": False}, {"write_statistics": False}, {"write_page_index": True},
        {"store_schema": True}, {"version": "1.0"}, {"data_page_size": 64}, {"rows": 7},
        {"sorting_columns": [pq.SortingColumn(0)]}, {"dictionary_pagesize_limit": 8},
        {"write_page_checksum": True},
    ]  # fmt: skip
    chosen = luck.randrange(len(settings) + 2)
    if chosen == len(settings):
        write_parquet(file, table, CANARY)
    elif chosen > len(settings):
        rewrite(file, table.append_column("raw", pa.array([CANARY] * len(table))))
    else:
        rewrite(file, table, **settings[chosen])
    reseal(folder)
    return chosen >= len(settings)


@mutation(1)
def bombs(folder: Path, luck: Luck) -> bool:
    """Many rows, or long texts, in few bytes."""
    without_csv(folder)
    file = luck.choice(sorted(folder.glob("*.parquet")))
    table = pq.read_table(file)
    if not table.num_rows:
        return False
    many = luck.choice([1 << 17, 1 << 20])
    bomb = table.take(pa.array([luck.randrange(len(table))] * many))
    texts = [n for n, kind in zip(table.column_names, table.schema.types, strict=True)
             if pa.types.is_string(kind)]  # fmt: skip
    if texts and luck.random() < 0.6:
        long = "x" * luck.choice([100, 10_000, 900_000])
        name = luck.choice(texts)
        held = pa.DictionaryArray.from_arrays(pa.array([0] * many, pa.int32()), [long])
        bomb = bomb.set_column(table.column_names.index(name), name, held)
    rewrite(file, bomb)
    reseal(folder)
    return False
