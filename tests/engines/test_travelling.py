"""Columns are the same after they travelled, and Spark compares them as they compare."""

from __future__ import annotations

import pickle
from datetime import UTC, date, datetime, time
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from anachron.engines.base import ABSENT, Batch
from anachron.engines.local.marked import Marked, gathered, problem_at
from anachron.engines.spark import task
from anachron.engines.spark.columns import Field, kind_of, packed, unpacked
from anachron.engines.spark.steps import Chosen, Mapped, needed, shown
from anachron.engines.spark.task import Errand, Kept
from anachron.engines.spark.versions import Versions, refuse_others, versions
from anachron.errors import PlanError, Problem
from anachron.ledger.pseudonyms import Pseudonyms

COLUMNS = {
    "whole": np.array([3, -(2**62), 7]),
    "small": np.array([1, 2, 3], dtype=np.int32),
    "flags": np.array([True, False, True]),
    "words": np.array([0, 2**64 - 1, 2**33 + 5], dtype=np.uint64),
    "lots": np.array([[1, 2], [2**64 - 1, 0], [2**63, 9]], dtype=np.uint64),
    "digests": np.arange(96, dtype=np.uint8).reshape(3, 32),
    "boxes": np.array([[0.1, -2.0], [1e300, 0.0], [5.0, 6.0]]),
    "text": pa.array(["ü", None, "\U0001f600"]),
    "coded": pa.array(["a", "b", "a"]).dictionary_encode(),
    "bytes": pa.array([b"\x00\xff", None, b""]),
    "huge": pa.array([2**64 - 1, None, 0], pa.uint64()),
    "narrow": pa.array([-1, None, 3], pa.int8()),
    "single": pa.array([0.5, None, float("nan")], pa.float32()),
    "money": pa.array([Decimal("1.10"), None, Decimal("-9.99")], pa.decimal128(9, 2)),
    "day": pa.array([date(1500, 1, 1), None, date(2024, 2, 29)]),
    "moment": pa.array([datetime(2024, 3, 31, 1, 30, tzinfo=UTC), None, None],
                       pa.timestamp("us", "UTC")),
    "wall": pa.array([datetime(1700, 1, 1), None, None], pa.timestamp("ns")),
    "clock": pa.array([time(23, 59, 59), None, None], pa.time64("us")),
    "nothing": pa.nulls(3),
}  # fmt: skip


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_comes_back_as_it_went(name: str) -> None:
    column = COLUMNS[name]
    fields = {name: Field.at(kind_of(column), 0)}
    [found] = unpacked(pa.table(packed({name: column}, fields)), fields).values()
    if isinstance(column, np.ndarray):
        assert found.dtype == column.dtype
        assert np.array_equal(found, column)
    else:
        assert str(found.to_pylist()) == str(column.to_pylist())
        assert pa.types.is_dictionary(found.type) == (name == "coded")
    empty = fields[name].kind.empty()
    assert kind_of(empty) == kind_of(column)


@pytest.mark.parametrize("name", ["lots", "huge", "day", "wall", "words"])
def test_what_travels_is_in_the_order_of_what_it_stands_for(name: str) -> None:
    column = COLUMNS[name]
    fields = {name: Field.at(kind_of(column), 0)}
    plain = column.tolist() if isinstance(column, np.ndarray) else column.to_pylist()
    gone = list(zip(*(part.to_pylist() for part in packed({name: column}, fields)), strict=True))
    there = [row for row in range(3) if plain[row] is not None]
    assert sorted(there, key=lambda row: plain[row]) == sorted(there, key=lambda row: gone[row])


def test_what_a_join_did_not_find_is_absent_false_and_zero() -> None:
    some = {name: COLUMNS[name] for name in ("whole", "flags", "digests")}
    fields = {name: Field.at(kind_of(c), n) for n, (name, c) in enumerate(some.items())}
    batch = packed(some, fields)
    none = pa.table([pa.nulls(2, one.type) for one in batch.columns], names=batch.schema.names)
    found = unpacked(none, fields)
    assert found["whole"].tolist() == [ABSENT, ABSENT]
    assert found["flags"].tolist() == [False, False]
    assert not found["digests"].any()


def test_only_steps_are_taken_that_somebody_needs() -> None:
    kinds = {"a": kind_of(np.zeros(1, dtype=np.int64)), "b": kind_of(np.zeros(1, dtype=np.int64))}

    def kernel(batch: Batch) -> Batch:
        return {"c": batch["a"] * 2.0}

    reads, made = shown(kernel, kinds)
    assert (reads, made["c"].dtype) == ({"a"}, "float64")
    steps = (Mapped(kernel, reads, frozenset(made)), Chosen("flag"))
    assert needed(steps, frozenset({"b"})) == (steps[1:], {"b", "flag"})
    assert needed(steps, frozenset({"c"})) == (steps, {"a", "flag"})


def test_what_breaks_in_a_worker_says_where_and_no_word_of_a_cell() -> None:
    def breaks(batch: Batch) -> Batch:
        raise ValueError(f"cannot read {batch['who'].to_pylist()}")

    who = {"who": pa.array(["Ada Lovelace"])}
    fields = {"who": Field.at(kind_of(who["who"]), 0)}
    step = Mapped(breaks, frozenset({"who"}), frozenset({"who"}))
    task = Errand(versions(), fields, (step,), Kept(fields))
    with pytest.raises(RuntimeError, match="ValueError at") as told:
        list(task.run(iter([packed(who, fields)])))
    assert "Ada" not in str(told.value)
    assert told.value.__cause__ is None
    assert told.value.__context__ is None


def test_workers_of_other_versions_are_refused() -> None:
    own = versions()
    refuse_others([own, own])
    other = Versions(**{**vars(own), "duckdb": "0.1", "tzdata": "1999a"})
    with pytest.raises(PlanError, match=r"duckdb 0\.1") as told:
        refuse_others([own, other])
    assert len(told.value.problems) == 2
    with pytest.raises(RuntimeError):
        other.check()


def test_problems_of_pieces_are_those_of_the_table() -> None:
    def piece(*wrong: bool) -> Problem:
        return problem_at(np.array(wrong), "is odd in {n}.", "Correct it.", "c", "f")

    whole = Problem("is all of one day.", "f", "c")
    found = gathered([[piece(False, True), whole], [piece(True, True), whole]])
    assert found[0] == piece(True, True, True)
    assert isinstance(found[0], Marked)
    assert found[1:] == [whole]
    assert gathered([[whole], []]) == []


def test_a_function_that_is_sent_takes_the_key_along_and_nobody_else() -> None:
    digest = Pseudonyms(b"k" * 32)
    found = digest(pa.array(["Ada Lovelace"]))
    sent = pickle.dumps(digest)
    assert b"Ada" not in sent
    assert pickle.loads(sent)(pa.array(["Ada Lovelace"])) == found


@pytest.mark.parametrize("seed", range(20))
def test_what_belongs_together_comes_in_one_batch_and_no_more(seed: int) -> None:
    """Whatever the batches are that Spark makes of a sorted partition; missing keys, too."""
    rng = np.random.default_rng(seed)
    first = np.sort(rng.integers(0, 9, 200))
    second = pa.array([None if one < 3 else str(one) for one in first.tolist()])
    rows = pa.table({"a": first // 2, "b": second, "n": np.arange(200)})
    ends = np.sort(rng.integers(0, 201, rng.integers(0, 30)))
    cut = [
        rows.slice(begin, end - begin).combine_chunks()
        for begin, end in zip([0, *ends], [*ends, 200], strict=True)
    ]
    empty = pa.RecordBatch.from_pylist([], rows.schema)
    batches = [one for part in cut for one in (part.to_batches() or [empty])]
    for columns, runs in ((("a",), 5), (("a", "b"), 8), ((), 200)):
        found = list(task._gathered(iter(batches), 11, columns))
        assert pa.concat_tables(found).equals(rows)
        keys = [set(zip(*(t[c].to_pylist() for c in columns), strict=True)) for t in found]
        if columns:
            assert sum(map(len, keys)) == len(set.union(*keys)) <= runs
        # A batch is given as soon as it has enough rows and somebody else begins.
        most = 11 + int(max(np.unique(first // 2, return_counts=True)[1])) + max(map(len, batches))
        assert all(len(table) <= most for table in found)
    [whole] = task._gathered(iter(batches), None, ())
    assert whole.equals(rows)
