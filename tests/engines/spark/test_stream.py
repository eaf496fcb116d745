"""Structured Streaming into a feed; the long run is ``tests.engines.spark.streaming``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import anachron as an
from anachron.errors import TableError
from tests.engines.spark.streaming import (
    PROMISES,
    copied,
    feed,
    files,
    pushed,
    snapshots,
    stream,
    told,
)

pytestmark = [
    # Spark leaves sockets to be closed by whoever finds them.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def test_a_stream_that_fails_and_goes_on_publishes_what_pushes_do(
    spark: Any, tmp_path: Path
) -> None:
    promise, days = PROMISES["anatomy"], snapshots(7, seed=3)
    many = files(days, tmp_path / "source", seed=3)
    here, there = copied(tmp_path, ["here", "there"])
    pushed(here, promise, days)
    feed(here, promise).flush()
    taken: list[int] = []

    def fails_then_goes_on(frame: Any, number: int) -> None:
        feed(there, promise).batch(frame, number)
        taken.append(number)
        if taken.count(number) == 1 and number in (1, 2):  # the feed is done, and Spark is not
            raise InterruptedError

    for _ in range(2):
        with pytest.raises(Exception, match="InterruptedError"):
            stream(spark, there, tmp_path / "source", fails_then_goes_on, 2)
    stream(spark, there, tmp_path / "source", fails_then_goes_on, 2)
    feed(there, promise).flush()
    assert taken == [0, 1, 1, 2, 2, *range(3, -(-many // 2))]
    assert told(here) == told(there)


def test_a_batch_of_wrong_rows_stops_the_stream_and_changes_nothing(
    spark: Any, tmp_path: Path
) -> None:
    own = feed(tmp_path, PROMISES["anatomy"])
    frame = spark.createDataFrame(
        [("a", None, 1, "x")], "who string, at timestamp, age int, ill string"
    )
    with pytest.raises(TableError, match="'at'") as refused:
        own.batch(frame, 0)
    assert refused.value.problems[0].row is None
    with pytest.raises(TableError, match="'ill'"):
        own.batch(frame.drop("ill"), 0)
    assert own.batch(frame.limit(0), 0) == []
    assert not an.Ledger.open(tmp_path / "ledger").entries()
