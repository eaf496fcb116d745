"""Subjects, quasi columns and the connection."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.engines.local.load import load
from anachron.errors import PlanError, TableError
from anachron.schema import Schema

SCHEMA = Schema("who", "seen", ["of"])


def table(who: object, of: object) -> pa.Table:
    who = who if isinstance(who, pa.Array) else pa.array(who)
    return pa.table({"who": who, "seen": [date(2025, 1, 1)] * len(who), "of": of})


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        (["a", "B", "a"], ["a", "B"]),
        (pa.array([7, 3, 7], pa.uint8()), [7, 3]),
        (pa.array([2**64 - 1, 1, 1], pa.uint64()), [str(2**64 - 1), "1"]),
        (pa.array([5, 5, 6], pa.decimal128(30, 0)), ["5", "6"]),
        (pa.array([1, 2, 1], pa.date32()), ["1970-01-02", "1970-01-03"]),
        (pa.array([b"\1" * 16, b"\2" * 16, b"\1" * 16], pa.binary(16)).cast(pa.uuid()),
         [str(UUID(bytes=b"\1" * 16)), str(UUID(bytes=b"\2" * 16))]),
        (pa.array(["x", "y", "x"]).dictionary_encode(), ["x", "y"]),
    ],
)  # fmt: skip
def test_subjects_are_text_or_whole_numbers(who: object, expected: list[object]) -> None:
    loaded = load(table(who, [1, 2, 3]), SCHEMA)
    assert loaded.subject_values.to_pylist() == expected
    assert pa.types.is_string(loaded.subject_values.type) or loaded.subject_values.type == "int64"
    assert loaded.subject.dtype == np.int32


@pytest.mark.parametrize(
    ("of", "codes", "values"),
    [
        (["b", None, "a", "b"], [1, 2, 0, 1], ["a", "b", None]),
        ([10, 9, -1, 9], [2, 1, 0, 1], [-1, 9, 10]),
        ([0.0, -0.0, 1.5, None], [0, 0, 1, 2], [0.0, 1.5, None]),
        ([True, False, None, True], [1, 0, 2, 1], [False, True, None]),
        ([None] * 4, [0] * 4, [None]),
        (pa.array(["b", "a", "b", None]).dictionary_encode(), [1, 0, 1, 2], ["a", "b", None]),
        (pa.array([2, 1, 2, 3], pa.decimal128(9, 2)), [1, 0, 1, 2], [1, 2, 3]),
        ([date(2025, 1, 2), date(2025, 1, 1), None, None], [1, 0, 2, 2],
         [date(2025, 1, 1), date(2025, 1, 2), None]),
    ],
)  # fmt: skip
def test_values_ascend_and_missing_is_last(of: object, codes: list[int], values: object) -> None:
    coded = load(table(list("abcd"), of), SCHEMA).quasi["of"]
    assert coded.codes.tolist() == codes
    assert coded.values.to_pylist() == values
    assert coded.codes.dtype == np.int32


def test_codes_of_many_chunks_agree(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    who = rng.integers(0, 5_000, 400_000)
    names = pa.array([f"p{i}" for i in who])
    pq.write_table(table(names, who % 7), tmp_path / "t.parquet", row_group_size=30_000)
    loaded = load(tmp_path / "t.parquet", SCHEMA)
    assert loaded.subject_values.take(pa.array(loaded.subject)).equals(names)
    assert np.array_equal(loaded.quasi["of"].codes, who % 7)


def spelled(spelling: str) -> Schema:
    return Schema.from_dict({**SCHEMA.to_dict(), "spelling": spelling})


def test_capitals_and_width_are_refused_merged_or_noted_as_the_schema_says() -> None:
    twins = table(["Ann", "ann", "Ａnn", "Bob"], [1] * 4)
    with pytest.raises(TableError, match=r"row 2: differs from another subject.* in 2 rows"):
        load(twins, SCHEMA)
    loaded = load(twins, spelled("exact"))
    assert len(loaded.subject_values) == 4
    assert len(loaded.notes) == 1
    assert loaded.notes[0].startswith("2 of 4 subjects in column 'who' differ")
    assert "Ann" not in loaded.notes[0]
    loaded = load(twins, spelled("merge"))
    assert loaded.subject_values.to_pylist() == ["Ann", "Bob"]
    assert loaded.subject.tolist() == [0, 0, 0, 1]
    assert loaded.notes[0].startswith("2 of 4 subjects in column 'who' are another one")


@pytest.mark.parametrize("spelling", ["refuse", "merge", "exact"])
def test_a_subject_of_nothing_that_can_be_seen_is_empty(spelling: str) -> None:
    with pytest.raises(TableError, match="row 2: is an empty text in 1 row"):
        load(table(["a", "\u200b \ufeff", "b"], [1] * 3), spelled(spelling))


def test_blanks_that_make_no_twins_are_no_problem() -> None:
    assert len(load(table(["a ", "b "], [1, 2]), SCHEMA).subject_values) == 2


def test_sensitive_columns_may_be_of_any_simple_type() -> None:
    given = pa.table(
        {
            "who": ["a", "b"],
            "seen": [date(2025, 1, 1)] * 2,
            "raw": [b"\0", None],
            "nan": [float("nan"), 1.0],
            "kind": pa.array(["x", "y"]).dictionary_encode(),
            "nothing": pa.nulls(2),
        }
    )
    loaded = load(given, Schema("who", "seen", sensitive=["raw", "nan", "kind", "nothing"]))
    schema = next(loaded.sensitive(1)).schema
    kinds = [str(field.type) for field in schema]
    assert kinds == ["binary", "double", "string", "string"]
    assert all(batch.schema.equals(schema) for batch in loaded.sensitive(1))


def test_no_sensitive_columns() -> None:
    loaded = load(table(["a"], [1]), SCHEMA)
    assert list(loaded.sensitive(10)) == []


def test_a_file_that_changes_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    pq.write_table(table(["a", "b"], [1, 2]), file)
    schema = Schema("who", "seen", sensitive="of")
    loaded = load(file, schema)
    pq.write_table(table(["a"], [1]), file)
    with pytest.raises(TableError, match=r"changed while it was being read|cannot be read"):
        list(loaded.sensitive(10))


def test_what_was_spilled_is_private_and_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANACHRON_TMP", str(tmp_path))
    loaded = load(table(["a"], [1]), SCHEMA)
    folders = [path for path in tmp_path.rglob("*") if path.is_dir()]
    assert folders
    assert not any(path.stat().st_mode & 0o077 for path in folders)
    loaded.close()
    assert list(tmp_path.iterdir()) == []


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANACHRON_MEMORY", "1GB")
    with load(table(["a"], [1]), SCHEMA).scan.cursor() as cursor:
        limit = cursor.sql("SELECT current_setting('memory_limit')").fetchall()[0][0]
        assert limit == "476.8 MiB"  # the audit reads beside it, and has the other half
        assert cursor.sql("SELECT current_setting('TimeZone')").fetchall()[0][0] == "UTC"


def test_a_limit_that_is_no_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANACHRON_MEMORY", "plenty")
    with pytest.raises(PlanError, match="ANACHRON_MEMORY"):
        load(table(["a"], [1]), SCHEMA)


def test_what_breaks_while_rows_are_sorted_leaves_as_what_it_is() -> None:
    loaded = load(pa.table({"who": ["a"], "day": ["2024-01-01"]}), an.Schema("who", "day"))
    schema = pa.schema({"x": pa.int64()})

    def broken() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"x": [1]}, schema)
        raise TableError("the disk does not work.", "t.parquet")

    with pytest.raises(TableError, match=r"t\.parquet: the disk does not work"):
        list(loaded.sort(schema, broken()))
