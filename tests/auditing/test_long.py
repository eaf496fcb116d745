"""Columns that are read some rows at a time are as those that are read as a whole."""

from __future__ import annotations

import random
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anachron.auditing.reading import columns
from anachron.auditing.reading.long import long_column, long_ranked

KINDS = {
    "numbers": (pa.int64(), lambda draw: draw.choice([0, 1, 7, 2**31 - 1])),
    "large numbers": (pa.int64(), lambda draw: draw.choice([0, 2**31, 2**62])),
    "below zero": (pa.int64(), lambda draw: draw.choice([3, -1])),
    "fractions": (pa.float64(), lambda draw: draw.choice([1.5, 0.0, -2.0])),
    "texts": (pa.string(), lambda draw: draw.choice(["b", "a", "é", ""])),
    "days": (pa.date32(), lambda draw: date(2024, 1, 1) + timedelta(draw.randrange(4))),
    "amounts": (pa.decimal128(9, 2), lambda draw: Decimal(draw.randrange(300)) / 100),
}


@pytest.fixture(params=KINDS)
def files(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, ...]:
    """A table in two files, of which three rows are read at a time; some cells are missing."""
    monkeypatch.setattr(columns, "_BATCH", 3)
    kind, draw = KINDS[request.param]
    lots = random.Random(request.param)
    found = []
    for number, rows in enumerate((17, 0, 8)):
        cells = [None if lots.random() < 0.1 else draw(lots) for _ in range(rows)]
        path = tmp_path / f"{number}.parquet"
        pq.write_table(pa.table({"a": pa.array(cells, kind)}), path, row_group_size=5)
        found.append(path)
    return tuple(found)


def test_values_have_the_same_places(files: tuple[Path, ...]) -> None:
    place, values = columns.ranked(columns.read(files, ["a"], coded=True)["a"])
    found, domain = long_ranked(files, "a")
    assert domain.equals(values)
    assert found.tolist() == place.tolist()
    assert found.dtype == np.int32


def test_numbers_are_the_same_and_as_wide_as_they_must_be(files: tuple[Path, ...]) -> None:
    column = columns.read(files, ["a"])["a"]
    if not columns.is_number(column.type) or pa.types.is_decimal(column.type):
        pytest.skip("numbers alone")
    made = columns.floats if pa.types.is_floating(column.type) else _numbers
    found, whole = long_column(files, "a", made), made(column)
    assert np.array_equal(found, whole, equal_nan=whole.dtype == np.float64)
    small = whole.dtype == np.int64 and whole.min() >= 0 and whole.max() < 2**31
    assert found.dtype == (np.int32 if small else whole.dtype)


def _numbers(column: pa.ChunkedArray) -> np.ndarray:
    return columns.whole(column, 0)


def test_of_no_rows_come_none(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": pa.array([], pa.string())}), tmp_path / "0.parquet")
    found, domain = long_ranked((tmp_path / "0.parquet",), "a")
    assert (len(found), domain.type, len(domain)) == (0, pa.string(), 0)
