"""Publishing from Spark as people do; the long comparison is ``tests.engines.spark.parity``."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
import anachron.behind.large
from anachron.errors import AnachronError, TableError
from tests.engines.spark.parity import different, spread
from tests.engines.spark.tables import METHODS

SCHEMA = an.Schema(subject="who", time="day", quasi="ward", sensitive="ill")
PROMISE = an.TimeGranularity(k=2, granularities=["day", "week", "month"])
VISITS = pa.table({
    "who": ["u1", "u2", "u1", "u4", "u5", "u6"],
    "ward": ["q1", "q1", "q1", "q1", "q2", "q2"],
    "day": ["2006-01-03", "2006-01-03", "2006-01-11", "2006-01-12", "2006-02-07", "2006-02-10"],
    "ill": ["asthma", "flu", "flu", "asthma", "anaemia", "flu"],
})  # fmt: skip


def publish(table: Any, folder: Path, **more: Any) -> an.Release:
    return an.publish(
        table, SCHEMA, PROMISE, ledger=folder / "ledger", to=folder / "releases", **more
    )


def files(release: an.Release) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in release.path.iterdir()}


def test_a_frame_is_published_as_any_table_and_the_session_stays_as_it_was(
    spark: Any, tmp_path: Path
) -> None:
    spark.range(1).count()  # Spark settles some things for itself when it is first used
    settings = dict(spark.sparkContext.getConf().getAll())
    zone = spark.conf.get("spark.sql.session.timeZone")
    frame = spread(spark, VISITS, random.Random(1))
    found = publish(frame, tmp_path / "there")
    assert files(found) == files(publish(VISITS, tmp_path / "here"))
    assert spark.conf.get("spark.sql.session.timeZone") == zone
    assert dict(spark.sparkContext.getConf().getAll()) == settings
    assert not spark.sparkContext._jsc.getPersistentRDDs().size()  # nothing is kept


def test_bad_input_is_refused_in_the_same_words_and_nothing_is_kept(
    spark: Any, tmp_path: Path
) -> None:
    wrong = VISITS.set_column(
        2, "day", [["2006-01-03", "2006-13-45", None, "x", "2006", "2006-02"]]
    )
    wrong = wrong.set_column(0, "who", [["u1", "U1 ", None, "", "u5", "u6"]])
    told = []
    for table in (spread(spark, wrong, random.Random(2)), wrong):
        with pytest.raises(TableError) as refused:
            publish(table, tmp_path)
        told.append([(p.what, p.file, p.column, p.remedy) for p in refused.value.problems])
    assert sorted(told[0]) == sorted(told[1])  # rows of a DataFrame have no order
    assert len(told[0]) > 3
    assert not spark.sparkContext._jsc.getPersistentRDDs().size()


def test_a_column_that_is_not_there_is_named(spark: Any, tmp_path: Path) -> None:
    for table in (spread(spark, VISITS.drop(["ward"]), random.Random(3)), VISITS.drop(["ward"])):
        with pytest.raises(TableError, match="column 'ward': is not in the table"):
            publish(table, tmp_path)


def test_a_frame_that_lies_aside_is_judged_in_pieces_and_leaves_nothing(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anachron.behind.spark.AT_ONCE", 2)
    monkeypatch.setattr("anachron.behind.opened.AT_ONCE", 2)
    seen = []
    real = anachron.behind.large.Large.passing
    monkeypatch.setattr(
        anachron.behind.large.Large, "passing", lambda *asked: seen.append(1) or real(*asked)
    )
    frame = spread(spark, VISITS, random.Random(4))
    found = publish(frame, tmp_path / "there")
    assert seen
    assert files(found) == files(publish(VISITS, tmp_path / "here"))
    there = an.audit(found, table=frame, ledger=tmp_path / "there" / "ledger")
    here = an.audit(found, table=VISITS, ledger=tmp_path / "there" / "ledger")
    assert there.holds
    assert there.to_dict() == here.to_dict()
    others = an.audit(found, table=spread(spark, VISITS.slice(1), random.Random(5)), schema=SCHEMA)
    assert others.to_dict() == an.audit(found, table=VISITS.slice(1), schema=SCHEMA).to_dict()
    assert not others.holds
    assert not [path for path in tmp_path.rglob("*") if "aside" in path.name]


def test_rows_that_may_not_lie_aside_are_refused_where_they_do_not_fit(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANACHRON_SPILL", "never")
    frame = spread(spark, VISITS, random.Random(4))
    found = publish(frame, tmp_path)
    monkeypatch.setattr("anachron.memory.fits", lambda *_: False)
    with pytest.raises(TableError, match="rows need about"):
        an.audit(found, table=frame, schema=SCHEMA)


@pytest.mark.campaign
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_random_tables_give_the_same_release(spark: Any, method: str, seed: int) -> None:
    assert different(spark, method, seed) == []


@pytest.mark.campaign
def test_a_plan_can_ask_for_spark(spark: Any, tmp_path: Path) -> None:
    del spark
    pq.write_table(VISITS, tmp_path / "visits.parquet")
    found = publish(tmp_path / "visits.parquet", tmp_path / "there", engine="spark:local[2]")
    here = publish(tmp_path / "visits.parquet", tmp_path / "here")
    assert files(found) == files(here)
    pq.write_table(
        VISITS.append_column("n", pa.array([1] * 6, pa.uint64())), tmp_path / "n.parquet"
    )
    with pytest.raises(AnachronError, match="reads as another one"):
        an.publish(tmp_path / "n.parquet", an.Schema(subject="who", time="day", quasi="n"), PROMISE,
                   engine="spark", ledger=tmp_path / "l", to=tmp_path / "r")  # fmt: skip


def test_series_that_the_driver_cannot_hold_are_refused_before_they_are_gathered(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [f"t{at}" for at in range(4)]
    table = pa.table({"who": list(range(300)), **{name: list(range(300)) for name in times}})
    monkeypatch.setenv("ANACHRON_MEMORY", "150KB")
    with pytest.raises(TableError, match="its 300 rows need about 1MB of memory"):
        an.publish(
            spread(spark, table, random.Random(4)),
            an.Schema(subject="who", series=times),
            an.KPAnonymity(k=3, P=2),
            ledger=tmp_path / "ledger",
            to=tmp_path / "releases",
        )
    assert not list(tmp_path.glob("releases/*"))
