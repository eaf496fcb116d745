"""Parquet and Arrow whose parts do not fit together, whose types are odd, or that are bombs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.fire.good import ROWS, arrow, csv_text
from tests.fire.made import Class, Made, put
from tests.fire.running import CANARY

__all__ = ["COLUMNAR"]

MANY = len(ROWS)


def _with(luck: Random, column: Any, name: str | None = None) -> pa.Table:
    """The good table with another column, or one of another kind."""
    table = arrow()
    place = luck.randrange(4) if name is None else table.column_names.index(name)
    return table.set_column(place, table.column_names[place], column)


def _ipc(folder: Path, table: pa.Table, compression: str | None = None) -> Made:
    with (
        pa.OSFile(str(folder / "t.arrow"), "wb") as out,
        pa.ipc.new_file(
            out,
            table.schema,
            options=pa.ipc.IpcWriteOptions(compression=compression, use_threads=False),
        ) as writer,
    ):
        writer.write_table(table)
    return Made("t.arrow")


def _parquet(folder: Path, table: pa.Table, **options: Any) -> Made:
    pq.write_table(table, folder / "t.parquet", **options)
    return Made("t.parquet")


def _held(table: pa.Table) -> Made:
    return Made("", given=lambda: table)


def _stored(luck: Random, folder: Path, table: pa.Table) -> Made:
    try:
        return luck.choice([lambda: _ipc(folder, table), lambda: _held(table)])()
    except pa.ArrowException:
        return _held(table)


def _texts(offsets: Any, content: bytes, large: bool = False) -> pa.Array:
    kind, number = (pa.large_string(), np.int64) if large else (pa.string(), np.int32)
    return pa.Array.from_buffers(
        kind, MANY, [None, pa.py_buffer(np.array(offsets, number)), pa.py_buffer(content)]
    )


def _offsets(luck: Random, folder: Path) -> Made:
    large = luck.random() < 0.5
    offsets = list(range(MANY + 1))
    for _ in range(1 + luck.randrange(3)):
        offsets[luck.randrange(1, MANY)] = luck.choice([-1, 2**30, -(2**31), 10**6, 2**31 - 1])
    return _stored(luck, folder, _with(luck, _texts(offsets, b"x" * MANY, large)))


def _codes(luck: Random, folder: Path) -> Made:
    kind = luck.choice([pa.int8(), pa.int16(), pa.int32(), pa.int64()])
    codes = [0] * MANY
    codes[luck.randrange(MANY)] = luck.choice([-1, 2, 100, -128, 127])
    column = pa.DictionaryArray.from_arrays(pa.array(codes, kind), ["a", CANARY], safe=False)
    return _stored(luck, folder, _with(luck, column))


def _utf8(luck: Random, folder: Path) -> Made:
    content = bytearray(b"x" * MANY)
    content[luck.randrange(MANY)] = luck.choice([0xFF, 0xC0, 0xED])
    return _stored(luck, folder, _with(luck, _texts(range(MANY + 1), bytes(content))))


def _kinds(luck: Random) -> pa.Array:
    whole = list(range(MANY))
    makers = [
        lambda: pa.array([[i] for i in whole]),
        lambda: pa.array([{"a": i} for i in whole]),
        lambda: pa.array([[("k", i)] for i in whole], pa.map_(pa.string(), pa.int32())),
        lambda: pa.nulls(MANY),
        lambda: pa.array(
            [b"\xff\0"] * MANY, luck.choice([pa.binary(), pa.binary(2), pa.large_binary()])
        ),
        lambda: pa.array(whole, pa.int32()).cast(pa.time32("s")),
        lambda: pa.array(whole, pa.duration("us")),
        lambda: pa.array([float(i) for i in whole], pa.float32()).cast(pa.float16()),
        lambda: pa.array([CANARY] * MANY, luck.choice([pa.string_view(), pa.large_string()])),
        lambda: pa.RunEndEncodedArray.from_arrays(pa.array([MANY], pa.int32()), pa.array([CANARY])),
        lambda: pa.array([10**40] * MANY, pa.decimal256(50)),
        lambda: pa.array([(1, 2, 3)] * MANY, pa.month_day_nano_interval()),
        lambda: pa.UnionArray.from_sparse(pa.array([0] * MANY, pa.int8()), [pa.array(whole)]),
        lambda: pa.ExtensionArray.from_storage(
            pa.uuid(), pa.array([bytes(16)] * MANY, pa.binary(16))
        ),
        lambda: pa.array(["{"] * MANY, pa.string()),
        lambda: pa.array([float("nan"), float("inf"), -0.0, 5e-324] * (MANY // 4)),
        lambda: pa.array([True, False] * (MANY // 2)),
    ]
    return luck.choice(makers)()


def _moments(luck: Random) -> pa.Array:
    unit = luck.choice(["s", "ms", "us", "ns"])
    extreme = luck.choice([2**63 - 1, -(2**63) + 1, 2**62, -(2**62), 10**17])
    numbers = [extreme if luck.random() < 0.3 else i * 10**9 for i in range(MANY)]
    zone = luck.choice([None, "UTC", "Europe/Rome", "Mars/Olympus", "+99:99"])
    return pa.array(numbers, pa.int64()).cast(pa.timestamp(unit, zone))


def _days(luck: Random) -> pa.Array:
    extreme = luck.choice([2**31 - 1, -(2**31) + 1, 10**7, -(10**7)])
    return pa.array([extreme if i % 5 == 0 else 19_000 + i for i in range(MANY)], pa.int32()).cast(
        pa.date32()
    )


def _typed(luck: Random, folder: Path) -> Made:
    table = _with(luck, _kinds(luck))
    try:
        return luck.choice([_ipc, _parquet])(folder, table)
    except (pa.ArrowException, TypeError):
        return _held(table)


def _equal(luck: Random, folder: Path) -> Made:
    """A few kB that declare tens of millions of rows."""
    many = 5_000_000
    zeros = np.zeros(many, np.int8)
    note = luck.choice(["x", "y" * 100])
    table = pa.table(
        {
            "who": pa.DictionaryArray.from_arrays(zeros, [f"zq{CANARY}"]),
            "day": pa.array(zeros, pa.int8()).cast(pa.int64()).cast(pa.timestamp("us")),
            "age": zeros,
            "note": pa.DictionaryArray.from_arrays(zeros, [note]),
        }
    )
    with pq.ParquetWriter(folder / "t.parquet", table.schema, compression="zstd") as writer:
        for _ in range(luck.choice([3, 6])):
            writer.write_table(table, row_group_size=many)
    return Made("t.parquet")


def _large_texts(luck: Random, folder: Path) -> Made:
    """One text of a MB, in every row."""
    rows = luck.choice([5_000, 50_000])
    column = pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), ["y" * (1 << 20)])
    table = pa.table(
        {
            "who": [f"zq{i}" for i in range(rows)],
            "day": ["2024-05-01"] * rows,
            "age": [30] * rows,
            "note": column,
        }
    )
    try:
        return luck.choice([_parquet, _ipc])(folder, table)
    except pa.ArrowInvalid:  # Parquet has no room for some moments
        return _ipc(folder, table)


def _runs(luck: Random, folder: Path) -> Made:
    """Run ends that say a billion of rows."""
    rows = luck.choice([10**9, 2 * 10**9])

    def run(value: Any) -> pa.Array:
        return pa.RunEndEncodedArray.from_arrays(pa.array([rows], pa.int64()), pa.array([value]))

    return _stored(
        luck,
        folder,
        pa.table({"who": run("zq"), "day": run("2024-05-01"), "age": run(30), "note": run("x")}),
    )


def _packed_text(luck: Random, folder: Path) -> Made:
    """A text of more than a GB, packed; made by another process, which leaves no memory behind."""
    size, packed = luck.choice([1_100_000_000, 1_500_000_000]), luck.choice(["zstd", "lz4"])
    child = os.fork()
    if child == 0:
        note = pa.array([b"x" * size], pa.large_binary()).view(pa.large_string())
        who, day = [f"zq{CANARY}"], ["2024-05-01"]
        _ipc(folder, pa.table({"who": who, "day": day, "age": [30], "note": note}), packed)
        os._exit(0)
    os.waitpid(child, 0)
    return Made("t.arrow")


def _packed(luck: Random, folder: Path) -> Made:
    """Buffers of zeros, packed."""
    rows = luck.choice([10**6, 3 * 10**7])
    zeros = pa.array(np.zeros(rows, np.int64))
    table = pa.table(
        {"who": zeros, "day": zeros.cast(pa.timestamp("s")), "age": zeros, "note": zeros}
    )
    return _ipc(folder, table, luck.choice(["zstd", "lz4"]))


def _repeated(luck: Random, folder: Path) -> Made:
    table = arrow()
    name = luck.choice(["who", "WHO", "note", "Day"])
    table = table.append_column(name, table.column(0))
    return luck.choice([_ipc, _parquet])(folder, table)


def _deep(root: Path) -> None:
    deep = root.joinpath(*["a=1"] * 60)
    deep.mkdir(parents=True)
    pq.write_table(arrow(), deep / "t.parquet")


def _inner(last: Path) -> None:
    (last / "month=05").mkdir()
    pq.write_table(arrow(), last / "month=05" / "t.parquet")


def _logged(root: Path) -> None:
    (root / "_delta_log").mkdir()
    (root / "_delta_log" / "0.json").write_text("{}")


def _emptied(root: Path) -> None:
    shutil.rmtree(root)
    root.mkdir()


def _hive(luck: Random, folder: Path) -> Made:
    """Folders that are almost one table."""
    root = folder / "many"
    for year in ("2023", "2024"):
        (root / f"year={year}").mkdir(parents=True)
        pq.write_table(arrow(), root / f"year={year}" / "t.parquet")
    last = root / "year=2024"
    texts = _with(luck, pa.array([str(i) for i in range(MANY)]), "age")
    odd: Callable[[], object] = luck.choice(
        [
            lambda: (last / "t.csv").write_text(csv_text()),
            lambda: (last / "loop").symlink_to(root),
            lambda: os.mkfifo(last / "u.parquet"),
            lambda: (last / "u.parquet").symlink_to("nowhere"),
            lambda: pq.write_table(arrow().drop_columns(["age"]), last / "t.parquet"),
            lambda: pq.write_table(texts, last / "t.parquet"),
            lambda: (last / "t.parquet").write_bytes(b"PAR1"),
            lambda: _logged(root),
            lambda: last.rename(root / "2024"),
            lambda: last.rename(root / f"age={CANARY}"),
            lambda: last.rename(root / "year=%00%ff"),
            lambda: _emptied(root),
            lambda: _inner(last),
            lambda: _deep(root),
        ]
    )
    odd()
    return Made(luck.choice(["many", "many/*/*.parquet"]))


def _any(luck: Random, folder: Path, table: pa.Table) -> Made:
    try:
        return luck.choice([_parquet, _ipc])(folder, table)
    except pa.ArrowInvalid:  # Parquet has no room for some moments
        return _ipc(folder, table)


COLUMNAR: dict[str, Class] = {
    "arrow: offsets": _offsets,
    "arrow: codes beyond the dictionary": _codes,
    "arrow: no utf-8": _utf8,
    "arrow: runs": _runs,
    "arrow: packed zeros": _packed,
    "arrow: a packed text": _packed_text,
    "columns of other types": _typed,
    "parquet: moments": lambda luck, f: _any(luck, f, _with(luck, _moments(luck), "day")),
    "parquet: days": lambda luck, f: _any(luck, f, _with(luck, _days(luck), "day")),
    "parquet: equal rows": _equal,
    "large texts": _large_texts,
    "columns twice": _repeated,
    "columns missing": lambda luck, f: luck.choice([_parquet, _ipc])(
        f, arrow().drop_columns([luck.choice(arrow().column_names)])
    ),
    "no rows": lambda luck, f: luck.choice([_parquet, _ipc])(f, arrow().slice(0, 0)),
    "nulls": lambda luck, f: luck.choice([_parquet, _ipc])(
        f, _with(luck, pa.array([None] * (MANY - 2) + ["x", None], pa.string()))
    ),
    "parquet: false footers": lambda luck, f: put(
        f,
        "t.parquet",
        luck.choice(
            [
                b"PAR1" + n.to_bytes(4, "little", signed=True) + b"PAR1"
                for n in (0, 1, -1, 2**31 - 1, 4)
            ]
            + [b"PARE" * 9, b"PAR1"]
        ),
    ),
    "folders": _hive,
}
