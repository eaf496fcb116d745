"""The columns of a series as they are read, and as the digest knows them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from anachron.engines.local.load import load
from anachron.errors import TableError
from anachron.schema import Schema

SCHEMA = Schema("who", series=["x", "y", "z"])
TABLE = pa.table({"who": ["a", "b", "c"], "x": [1, 2, 3], "y": [0.25, None, -1e9], "z": [7, 8, 9]})


def digest(table: object, schema: Schema = SCHEMA) -> str:
    return load(table, schema).digest()


def as_csv(table: pa.Table, folder: Path) -> Path:
    pc.write_csv(table, folder / "t.csv")
    return folder / "t.csv"


def as_parquet(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


@pytest.mark.parametrize("kept", [as_csv, as_parquet])
def test_files_are_read_as_frames_are(
    tmp_path: Path, kept: Callable[[pa.Table, Path], Path]
) -> None:
    loaded = load(kept(TABLE, tmp_path), SCHEMA)
    np.testing.assert_array_equal(loaded.matrix, [[1, 0.25, 7], [2, np.nan, 8], [3, -1e9, 9]])
    assert loaded.digest() == digest(TABLE)


def test_many_rows_and_many_columns() -> None:
    values = np.random.default_rng(3).normal(size=(5_000, 700))
    names = [f"t{i}" for i in range(700)]
    table = pa.table({"who": np.arange(5_000)} | {n: values[:, i] for i, n in enumerate(names)})
    assert np.array_equal(load(table, Schema("who", series=names)).matrix, values)


def test_series_that_were_let_go_of_are_read_again() -> None:
    loaded = load(TABLE, SCHEMA)
    before = loaded.series()
    loaded.forget()
    assert loaded.matrix.size == 0
    np.testing.assert_array_equal(loaded.series(), before)


def test_a_schema_without_series_has_none() -> None:
    assert load(TABLE, Schema("who")).matrix.shape == (3, 0)


WHOLE: dict[str, tuple[pa.Array, bool]] = {
    "whole": (pa.array([1, 2, 3], pa.uint16()), True),
    "decimals": (pa.array([1, 2, 3], pa.decimal128(20, 0)), True),
    "nothing": (pa.array([None, None, None], pa.string()), True),
    "cents": (pa.array([1, 2, 3], pa.decimal128(9, 2)), False),
    "fractions": (pa.array([1.0, 2.0, 3.0]), False),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_the_type_says_what_is_whole(kind: str) -> None:
    column, whole = WHOLE[kind]
    loaded = load(TABLE.set_column(2, "y", column), SCHEMA)
    assert loaded.whole_series is whole


EQUAL: dict[str, Callable[[pa.Table], pa.Table]] = {
    "other rows first": lambda t: t.take([2, 0, 1]),
    "other columns first": lambda t: t.select(["z", "y", "x", "who"]),
    "another type": lambda t: t.set_column(1, "x", t["x"].cast(pa.float32())),
    "decimals": lambda t: t.set_column(
        2, "y", pa.array([Decimal("0.25"), None, Decimal(-(10**9))], pa.decimal128(38, 18))
    ),
}
OTHER: dict[str, Callable[[pa.Table], pa.Table]] = {
    "a value": lambda t: t.set_column(3, "z", [[7, 8, 10]]),
    "the last bit": lambda t: t.set_column(2, "y", [[np.nextafter(0.25, 1), None, -1e9]]),
    "a gap filled": lambda t: t.set_column(2, "y", [[0.25, 0.0, -1e9]]),
    "values of two times swapped": lambda t: t.rename_columns(["who", "z", "y", "x"]),
    "values of two people swapped": lambda t: t.set_column(3, "z", [[8, 7, 9]]),
}


@pytest.mark.parametrize("change", EQUAL)
def test_the_same_series_in_another_form_are_the_same(change: str) -> None:
    assert digest(EQUAL[change](TABLE)) == digest(TABLE)


@pytest.mark.parametrize("change", OTHER)
def test_other_series_are_others(change: str) -> None:
    assert digest(OTHER[change](TABLE)) != digest(TABLE)


def test_zeros_of_both_signs_are_one_value() -> None:
    zeros = [TABLE.set_column(2, "y", [[zero, None, 1.0]]) for zero in (0.0, -0.0)]
    assert digest(zeros[0]) == digest(zeros[1])


def test_the_order_of_times_matters() -> None:
    assert digest(TABLE, Schema("who", series=["y", "x", "z"])) != digest(TABLE)


def test_it_is_the_same_in_every_version() -> None:
    """Ledgers remember it: a change here locks owners out of their history."""
    assert digest(TABLE) == "760fd0a1379e874c71c9a4f18aad6e1ccc54a4a9606ff9453fddb4a3ad35c45a"


def test_problems_of_all_columns_are_told_at_once() -> None:
    table = TABLE.set_column(1, "x", [["1", "secret", "3"]]).set_column(
        3, "z", [[1.0, float("inf"), float("nan")]]
    )
    with pytest.raises(TableError) as caught:
        load(table, SCHEMA)
    assert [(p.column, p.row) for p in caught.value.problems] == [("x", 2), ("z", 2)]
    assert "secret" not in str(caught.value)
