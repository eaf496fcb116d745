"""What does not fit into memory is refused before it is read; so are charts without room."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron import memory
from anachron.database import connected
from anachron.errors import TableError

SCHEMA = an.Schema("who", "day")
PROMISE = an.TimeGranularity(k=2, granularities=["year"])


def events(rows: int) -> pa.Table:
    return pa.table({"who": np.arange(rows), "day": ["2024-01-01"] * rows})


def limit(memory_: str | None = None) -> int:
    with connected(memory_) as con:
        [[said]] = con.execute("SELECT current_setting('memory_limit')").fetchall()
    return memory.bytes_of(said) or 0


def test_a_table_that_does_not_fit_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(memory.ENVIRONMENT, "60MB")
    monkeypatch.setenv("ANACHRON_SPILL", "never")  # or it would lie on a disk
    places = {"ledger": tmp_path / "ledger", "to": tmp_path / "releases"}
    with pytest.raises(TableError, match=r"200,000 rows need about 52MB .* to 78MB or more"):
        an.publish(events(200_000), SCHEMA, PROMISE, **places)
    assert [*tmp_path.iterdir()] == []
    assert an.publish(events(20_000), SCHEMA, PROMISE, **places).number == 1


def test_without_a_word_it_is_what_the_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(memory.ENVIRONMENT, raising=False)
    monkeypatch.setattr(memory, "available", lambda: 10_000_000)
    with pytest.raises(TableError, match="about 9MB can be had"), memory.held(1000, 9_000, "t"):
        pass


def test_databases_share_what_the_rows_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.ENVIRONMENT, "2GB")
    assert limit() == pytest.approx(1e9, rel=0.01)
    assert limit("100MB") == pytest.approx(1e8, rel=0.01)
    with memory.held(1_000_000, 1_000, "t"):
        assert limit() == pytest.approx(5e8, rel=0.01)
        assert limit("1GB") == pytest.approx(5e8, rel=0.01)
        with pytest.raises(TableError), memory.held(1_000_000, 1_000, "u"):
            pass
    assert limit() == pytest.approx(1e9, rel=0.01)


@pytest.mark.parametrize(
    ("said", "size"),
    [("2GB", 2e9), ("1.5 GiB", 1.5 * 2**30), ("600mb", 6e8), ("512", 512), ("60%", None)],
)
def test_sizes_are_read_as_duckdb_reads_them(said: str, size: float | None) -> None:
    assert memory.bytes_of(said) == size


def test_a_container_counts(tmp_path: Path) -> None:
    found = memory.available()
    assert found is not None
    assert found > 0


DRAW = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
from anachron.errors import AnachronError
from anachron.reporting.charts import Chart
try:
    Chart("group_sizes", "", ({"size": "1", "groups": 1},), (), (), ()).svg()
except AnachronError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of addresses are Linux's")
def test_charts_are_not_drawn_where_drawing_would_end_the_process() -> None:
    done = subprocess.run([sys.executable, "-c", DRAW], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "cannot be drawn" in done.stdout
    assert "ulimit -v" in done.stdout
