"""Where an engine of many machines goes wrong without a word: a test for each trap.

What needs Spark takes the session of all tests; what is a matter of source or of pure functions
does not.
"""

from __future__ import annotations

import gc
import json
import math
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.database import connected
from anachron.engines.base import COUNT, Batch
from anachron.engines.spark import driver as drivers
from anachron.engines.spark import rows as held
from anachron.engines.spark import sorting
from anachron.engines.spark.columns import kind_of, packed, unpacked
from anachron.engines.spark.driver import Driver
from anachron.engines.spark.rows import SparkRows, placed
from anachron.engines.spark.selecting import selected
from anachron.engines.spark.session import _same
from anachron.engines.spark.task import _spare_archives, in_order
from anachron.engines.spark.versions import Versions, refuse_others, versions
from anachron.errors import InternalError, PlanError
from anachron.streamed import Streamed
from tests.engines.spark.parity import spread
from tests.engines.spark.sessions import ROOT

ALL = pa.table({
    "n": pa.array([2, None, 2, 1, 2, 2, 2], pa.int64()),
    "x": pa.array([0.0, 1.0, math.nan, 1.0, None, math.inf, -math.inf], pa.float64()),
    "t": ["\U0001f600", "a", "\ufffc", None, "é", "", "z"],
    "d": pa.array([Decimal("9" * 28 + ".5")] * 6 + [None], pa.decimal128(38, 10)),
    "when": pa.array([datetime(1500, 1, 1, tzinfo=UTC)] * 7, pa.timestamp("us", "UTC")),
    "day": pa.array([date(1500, 1, 1)] * 6 + [None], pa.date32()),
})  # fmt: skip
"""What machines order in more than one way."""


def rows_of(spark: Any, columns: dict[str, Any], parts: int = 3) -> SparkRows:
    one = Driver(spark.range(1), "the table")
    one.parts = parts
    return SparkRows(one, *one.spread(columns))


def columns_of(table: pa.Table) -> dict[str, Any]:
    return {name: table.column(name).combine_chunks() for name in table.column_names}


def test_trap_1_rows_out_of_order_are_not_written() -> None:
    parts = [pa.table({"g": [1, 2]}), pa.table({"g": [2, 9]}), pa.table({"g": [3, None]})]
    assert len(list(sorting._checked(iter(parts[:2])))) == 2
    with pytest.raises(InternalError, match="another order"):
        list(sorting._checked(iter(parts)))


@pytest.mark.parametrize("keeps", [True, False])
def test_trap_1_servers_that_lose_order_give_the_same_rows(
    spark: Any, monkeypatch: pytest.MonkeyPatch, keeps: bool
) -> None:
    rows = rows_of(spark, columns_of(ALL))
    assert sorting.keeps_order(rows.driver)
    monkeypatch.setitem(sorting._KEEPS, rows.driver.session, keeps)
    schema, found = rows.ordered(ALL.column_names)
    told = pa.Table.from_batches(list(found), schema)
    assert repr(told.to_pylist()) == repr(in_order(ALL).to_pylist())


def test_trap_2_rows_that_arrive_otherwise_are_dealt_alike(spark: Any) -> None:
    rng = np.random.default_rng(2)
    cell, lot = rng.integers(0, 3, 300), rng.integers(0, 2**63, 300).astype(np.uint64)
    number = np.arange(300)
    parts = {"cell": np.array([0, 0, 1]), "count": np.array([20, 30, 7]), "to": np.arange(3)}
    told = []
    for parts_ in (1, 5, 17):
        order = rng.permutation(300)
        rows = rows_of(spark, {"cell": cell[order], "lot": lot[order], "n": number[order]}, parts_)
        dealt = rows.dealt("cell", "lot", parts, "to").collect("n", "to")
        told.append(sorted(zip(dealt["n"].tolist(), dealt["to"].tolist(), strict=True)))
    assert told[0] == told[1] == told[2]
    assert [sum(to == one for _, to in told[0]) for one in range(3)] == [20, 30, 7]


@pytest.mark.parametrize("keeps", [True, False])
def test_rows_that_belong_together_are_together(
    spark: Any, monkeypatch: pytest.MonkeyPatch, keeps: bool
) -> None:
    """Whether workers get a partition at once, or what belongs together one after the other."""
    rng = np.random.default_rng(3)
    cell, number = rng.integers(0, 40, 3000), np.arange(3000)
    rows = rows_of(spark, {"cell": cell, "n": number}, 3)
    monkeypatch.setitem(sorting._KEEPS, rows.driver.session, keeps)
    found = rows.map(_first, together="cell").collect("cell", "first")
    least = [int(number[cell == one].min()) for one in range(40)]
    assert found["first"].tolist() == [least[one] for one in found["cell"].tolist()]
    assert len(found["cell"]) == 3000


def test_what_nobody_holds_is_recalled_some_rows_at_a_time(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In batches that Spark is given in several turns, some of them empty."""
    monkeypatch.setattr(drivers, "_CHUNK", 7)
    monkeypatch.setattr(drivers, "_AT_ONCE", 2)
    monkeypatch.setattr(held, "FEW", 10)
    table = pa.table({"n": np.arange(0, 300, 3), "half": np.arange(100) / 2})
    some = Streamed(table.schema, 100, lambda: iter(table.to_batches(23) + table[:0].to_batches()))
    number = np.random.default_rng(5).permutation(300)
    found = rows_of(spark, {"n": number}, 3).recall(some, _read, ("n",)).collect("n", "known", "x")
    by = np.argsort(found["n"])
    assert found["n"][by].tolist() == list(range(300))
    assert found["known"][by].tolist() == [0 if n % 3 == 0 else -1 for n in range(300)]
    assert found["x"][by].tolist() == [n / 6 if n % 3 == 0 else 0.0 for n in range(300)]


def _read(batch: Batch) -> Batch:
    number = batch["n"].to_numpy()
    return {"n": number, "known": np.zeros_like(number), "x": batch["half"].to_numpy()}


def _first(batch: Batch) -> Batch:
    """The first number of each cell."""
    cell = np.append(batch["cell"], 0)
    least = np.full(int(cell.max()) + 1, 2**62)
    np.minimum.at(least, batch["cell"], batch["n"])
    return {"first": least[batch["cell"]]}


@pytest.mark.campaign
def test_trap_3_fractions_travel_as_their_bits(spark: Any) -> None:
    values = np.array([0.1, 1e23, 5e-324, -0.0, math.nan, math.inf, 1 / 3])
    found = rows_of(spark, {"x": values}).collect("x")["x"]
    assert sorted(found.view(np.int64).tolist()) == sorted(values.view(np.int64).tolist())
    told = selected({"x": pa.array(values[:2])}, {"t": "format('{:.17e}', x)"})
    assert told["t"].to_pylist() == ["1.00000000000000006e-01", "9.99999999999999916e+22"]


@pytest.mark.campaign
def test_trap_4_names_and_missing_texts_mean_what_they_mean_in_duckdb(
    spark: Any, tmp_path: Path
) -> None:
    """Columns of which the names are words of SQL."""
    table = pa.table(
        {"at": list("abcdefgh"), "order by": [None, "x"] * 4, "select `": ["2024-01-01"] * 8}
    )
    schema = an.Schema(subject="at", time="select `", quasi="order by")
    told = []
    for place, one in (("here", table), ("there", spread(spark, table, random.Random(4)))):
        release = an.publish(one, schema, an.TimeGranularity(k=2, granularities=["day"]),
                             ledger=tmp_path / place / "l", to=tmp_path / place / "r")  # fmt: skip
        told.append([file.read_bytes() for file in sorted(release.path.iterdir())])
    assert told[0] == told[1]
    assert selected({"a": pa.array([None], pa.string())}, {"x": "concat('a', a)"})[
        "x"
    ].to_pylist() == ["a"]


def test_trap_5_missing_values_are_last_and_texts_in_the_order_of_their_bytes(spark: Any) -> None:
    for name in ALL.column_names:
        schema, found = rows_of(spark, columns_of(ALL.select([name]))).ordered([name])
        told = pa.Table.from_batches(list(found), schema).column(name).to_pylist()
        here = in_order(ALL.select([name])).column(name).to_pylist()
        assert repr(told) == repr(here), name


@pytest.mark.campaign
def test_trap_5_zeros_of_both_signs_are_one(spark: Any) -> None:
    rows = rows_of(spark, {"x": pa.array([0.0, -0.0, 1.0, -0.0])})
    found = rows.counts(("x",)).collect("x", COUNT)
    assert sorted(zip(found["x"].to_pylist(), found[COUNT].tolist(), strict=True)) == [
        (0.0, 3), (1.0, 1)]  # fmt: skip


@pytest.mark.parametrize("name", ["python", "anachron", "numpy", "pyarrow", "duckdb", "tzdata"])
def test_trap_6_other_versions_are_refused(name: str) -> None:
    own = versions()
    other = Versions(**{**vars(own), name: "0.0.1"})
    with pytest.raises(PlanError, match=rf"workers of Spark have {name} 0\.0\.1"):
        refuse_others([own, other])
    with pytest.raises(RuntimeError, match="other versions"):
        other.check()


def test_trap_7_workers_run_the_python_of_the_driver() -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    code = "import os; from anachron.engines.spark.session import _session\n" \
           "from anachron.errors import PlanError\n" \
           "try: _session('nowhere://')\n" \
           "except PlanError: print(os.environ['PYSPARK_PYTHON'])"  # fmt: skip
    environment = {k: v for k, v in os.environ.items() if k != "PYSPARK_PYTHON"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment,
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout.strip() == sys.executable


def test_trap_7_what_travels_to_workers_is_importable_there() -> None:
    """A function of a module travels by its name: rows that a kernel holds would not."""
    with pytest.raises(TypeError, match="a kernel holds rows"):
        SparkRows.__reduce__(object.__new__(SparkRows))


@pytest.mark.campaign
@pytest.mark.parametrize("zone", ["UTC", "America/St_Johns", "Pacific/Apia"])
def test_trap_9_no_zone_and_no_calendar_of_spark_is_asked(spark: Any, zone: str) -> None:
    before = spark.conf.get("spark.sql.session.timeZone")
    try:
        spark.conf.set("spark.sql.session.timeZone", zone)
        rows = rows_of(spark, columns_of(ALL.select(["when", "day"])))
        assert sorted(map(str, rows.collect("when")["when"].to_pylist())) == sorted(
            map(str, ALL["when"].to_pylist())
        )
        assert sorted(map(str, rows.collect("day")["day"].to_pylist())) == sorted(
            map(str, ALL["day"].to_pylist())
        )
        assert spark.conf.get("spark.sql.session.timeZone") == zone
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def test_trap_9_files_that_spark_reads_otherwise_are_refused() -> None:
    assert not _same(pa.timestamp("ns"), pa.timestamp("us"))
    assert not _same(pa.uint64(), pa.decimal128(20, 0))
    assert _same(pa.timestamp("ms"), pa.timestamp("us"))


@pytest.mark.campaign
def test_trap_10_wide_decimals_are_not_lost_and_fractions_are_never_added_up(spark: Any) -> None:
    found = rows_of(spark, columns_of(ALL)).collect("d")["d"].to_pylist()
    assert sorted(found, key=str) == sorted(ALL["d"].to_pylist(), key=str)
    rows = rows_of(spark, {"x": np.array([0.1, 0.2]), "n": np.array([2**62, 2**61])})
    with pytest.raises(TypeError, match="only whole numbers are added up"):
        rows.counts((), {"x": ("sum", "x")})
    assert rows.counts((), {"n": ("sum", "n")}).collect("n")["n"].tolist() == [2**62 + 2**61]


def test_trap_11_duckdb_in_a_worker_takes_one_thread_and_no_zone() -> None:
    with connected(threads=1) as con:
        assert con.execute("SELECT current_setting('threads')").fetchall() == [(1,)]
        assert con.execute("SELECT current_setting('TimeZone')").fetchall() == [("UTC",)]


@pytest.mark.campaign
def test_trap_12_what_is_kept_is_let_go_of_be_it_in_an_error(spark: Any) -> None:
    before = spark.sparkContext._jsc.getPersistentRDDs().size()
    rows = rows_of(spark, {"n": np.arange(9)})
    kept = rows.counts(("n",))
    assert len(kept) == 9
    assert spark.sparkContext._jsc.getPersistentRDDs().size() > before
    rows.driver.close()
    assert spark.sparkContext._jsc.getPersistentRDDs().size() <= before


def test_trap_12_nothing_is_asked_of_spark_while_python_collects_garbage() -> None:
    """Seen on Spark 3.5: a call within a call took the other's answer, and broke."""
    pytest.importorskip("pyspark")
    asked: list[str] = []

    class Frame:
        sparkSession: Any = object  # noqa: N815

        def persist(self) -> Frame:
            return self

        def unpersist(self) -> None:
            asked.append("unpersist")

    class Owner:
        pass

    drivers._GREETED.add(object)
    driver, owner = Driver(Frame(), "the table"), Owner()
    driver.keep(Frame(), owner)
    del owner
    gc.collect()
    assert not asked
    driver.keep(Frame(), Owner())
    assert asked == ["unpersist"]
    driver.close()
    assert asked == ["unpersist"] * 2


@pytest.mark.campaign
@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("parts", [1, 2, 17])
def test_trap_13_rows_of_a_key_stay_together(spark: Any, adaptive: str, parts: int) -> None:
    before = spark.conf.get("spark.sql.adaptive.enabled")
    try:
        spark.conf.set("spark.sql.adaptive.enabled", adaptive)
        key = np.random.default_rng(parts).integers(0, 40, 500)
        rows = rows_of(spark, {"key": key}, parts)
        # All rows of a key are seen at once, and again by what follows.
        first = rows.by("key", _alone).by("key", _alone).collect("key", COUNT)
        assert sorted(first["key"].tolist()) == sorted(set(key.tolist()))
    finally:
        spark.conf.set("spark.sql.adaptive.enabled", before)


def _alone(batch: Any) -> Any:
    values, many = np.unique(batch["key"], return_counts=True)
    return {"key": values, COUNT: many}


@pytest.mark.campaign
def test_trap_14_no_archive_of_spark_is_read_before_every_task(spark: Any) -> None:
    rows_of(spark, {"n": np.arange(4)}).collect("n")
    told = spark.range(1).mapInArrow(_path, "told string").collect()
    path, cache = json.loads(told[0][0])
    assert not [one for one in path if one.endswith(".jar")]
    assert not [one for one in cache if ".jar" in one or "pyspark.zip" in one]


def _path(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    _spare_archives()
    for batch in batches:
        told = json.dumps([sys.path, list(sys.path_importer_cache)])
        yield pa.RecordBatch.from_arrays([pa.array([told] * batch.num_rows)], names=["told"])


def test_trap_14_modules_of_spared_archives_are_found_nevertheless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name, module in (("pyspark.zip", "told_spark"), ("ours.zip", "told_ours")):
        with ZipFile(tmp_path / name, "w") as archive:
            archive.writestr(f"{module}.py", "")
        sys.path.append(str(tmp_path / name))
    sys.path.append(str(tmp_path / "spark.jar"))
    assert find_spec("told_ours")
    assert find_spec("told_spark")
    _spare_archives()
    left = [Path(one).name for one in sys.path_importer_cache if str(tmp_path) in one]
    assert left == ["ours.zip"]
    assert "spark.jar" not in map(os.path.basename, sys.path)
    assert find_spec("told_spark")


def test_what_travels_comes_back() -> None:
    columns = columns_of(ALL)
    fields = placed({name: kind_of(one) for name, one in columns.items()})
    back = unpacked(pa.Table.from_batches([packed(columns, fields)]), fields)
    assert repr(pa.table(back).to_pylist()) == repr(ALL.to_pylist())
