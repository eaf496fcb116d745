"""Tables of events that do not fit into memory: the same bytes, from pieces on a disk."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron import scratch
from anachron.engines.aside import pieces
from anachron.engines.aside.load import load
from anachron.engines.aside.pieces import Held, Store
from anachron.engines.aside.rows import AsideRows
from anachron.engines.local.rows import LocalRows
from anachron.engines.spark.columns import kind_of
from anachron.errors import PlanError, TableError
from tests.daily import daily
from tests.engines.aside.parity import different, in_pieces
from tests.golden.stories import STORIES
from tests.golden.test_golden import compare

EVENTS = [name for name, story in STORIES.items() if isinstance(story.promise, an.TimeGranularity)]
DAILY = (0, 5, 8, 13)


@pytest.mark.parametrize("seed", daily([*range(200)], *DAILY))
def test_a_random_table_is_published_alike(seed: int) -> None:
    assert different(seed) == []


@pytest.mark.parametrize("name", daily(EVENTS, "visits"))
@pytest.mark.usefixtures("one_key")
def test_a_history_is_the_same_from_a_disk(name: str, tmp_path: Path) -> None:
    story = STORIES[name]
    with in_pieces(400):
        for step in range(1, story.steps + 2):
            story.step(tmp_path, step)
    compare(name, tmp_path / "releases", tmp_path / "ledger")


def _visits(rows: int) -> pa.Table:
    rng = np.random.default_rng(3)
    return pa.table({
        "who": [f"P{n}" for n in rng.integers(0, rows // 4, rows)],
        "day": pa.array(rng.integers(18_000, 18_020, rows).astype(np.int32), pa.date32()),
        "ward": [f"W{n}" for n in rng.integers(0, 2, rows)],
        "ill": [f"D{n}" for n in rng.integers(0, 3, rows)],
    })  # fmt: skip


SCHEMA = an.Schema(subject="who", time="day", quasi="ward", sensitive="ill")
PROMISE = an.TimeGranularity(k=2, granularities=["day", "week"])


def _publish(folder: Path, table: Any) -> an.Release:
    return an.publish(table, SCHEMA, PROMISE, ledger=folder / "ledger", to=folder / "releases")


def _left(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if "aside" in path.name or path.suffix == ".parquet"]


def test_it_is_chosen_where_memory_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a patch: by what is allowed; and a register is still refused."""
    monkeypatch.setenv("ANACHRON_MEMORY", "40MB")
    asked: list[int] = []
    real = load

    def counted(scan: Any, schema: an.Schema, table: object) -> Any:
        asked.append(scan.at_once)
        return real(scan, schema, table)

    monkeypatch.setattr("anachron.engines.aside.load.load", counted)
    table = _visits(120_000)
    _publish(tmp_path / "large", table)
    assert asked
    assert asked[0] < 120_000
    _publish(tmp_path / "small", table.slice(0, 5_000))
    assert len(asked) == 1
    people = table.group_by("who").aggregate([("ward", "min"), ("ill", "min")])
    people = pa.concat_tables([people] * 6).rename_columns(["who", "ward", "ill"])
    monkeypatch.setenv("ANACHRON_MEMORY", "30MB")
    with pytest.raises(TableError, match="rows need about"):
        an.publish(people, an.Schema("who", quasi="ward", sensitive="ill"), an.MInvariance(m=2),
                   ledger=tmp_path / "other", to=tmp_path / "others")  # fmt: skip


@pytest.mark.parametrize("way", ["never", "encrypted"])
def test_who_wants_no_rows_on_a_disk_is_refused_as_before(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANACHRON_MEMORY", "40MB")
    monkeypatch.setenv(scratch.HOW, way)
    with pytest.raises(an.errors.AnachronError) as refused:
        _publish(tmp_path, _visits(120_000))
    assert way == "encrypted" or "rows need about" in str(refused.value)
    assert not (tmp_path / "releases").exists()


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Count what is put aside, and fail at the number in the list."""
    real, count = pieces._append, [0, -1]

    def append(file: Path, batches: Any) -> None:
        count[0] += 1
        if count[0] == count[1]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(file, batches)

    monkeypatch.setattr(pieces, "_append", append)
    return count


def test_a_full_disk_is_told_and_nothing_is_left(tmp_path: Path, writes: list[int]) -> None:
    table = _visits(300)
    with in_pieces(70):
        _publish(tmp_path / "well", table)
    every = writes[0]
    assert every > 10
    for failing in (1, every // 2, every):
        folder = tmp_path / f"{failing}"
        writes[:] = [0, failing]
        with in_pieces(70), pytest.raises(PlanError, match="put aside: No space left on device"):
            _publish(folder, table)
        assert _left(folder) == []
    writes[:] = [0, -1]
    with in_pieces(70):
        _publish(folder, table)


def test_a_full_disk_beneath_the_audit_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("anachron.behind.dealt._added", full)
    with in_pieces(70), pytest.raises(PlanError, match="put aside: No space left on device"):
        _publish(tmp_path, _visits(300))
    assert _left(tmp_path) == []


def test_a_folder_that_vanishes_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = AsideRows.ordered

    def gone(rows: AsideRows, keys: Any) -> Any:
        shutil.rmtree(rows.store._folder, ignore_errors=True)
        return real(rows, keys)

    monkeypatch.setattr(AsideRows, "ordered", gone)
    with in_pieces(70), pytest.raises(PlanError, match="put aside: No such file or directory"):
        _publish(tmp_path, _visits(300))
    assert _left(tmp_path) == []


@pytest.mark.parametrize("size", [2, 30, 10**6])
def test_verbs_mean_the_same(size: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    columns = {
        "row": np.arange(400),
        "cell": rng.integers(-1, 5, 400),
        "far": rng.integers(0, 3, 400) * 2**40,
        "text": pa.array(rng.choice(["a", "b", "ü", None], 400).tolist(), pa.string()),
        "word": rng.integers(0, 2**63, 400).astype(np.uint64),
        "flag": rng.random(400) < 0.5,
    }
    kinds = {name: kind_of(column) for name, column in columns.items()}
    con = duckdb.connect()
    aside = AsideRows(Store(tmp_path, size, con), lambda _, rows: rows, Held(kinds, columns))
    told = []
    for rows in (LocalRows.of(columns), aside):
        summary = {"n": ("sum", "row"), "low": ("least", "far"), "high": ("most", "row"),
                   "words": ("sum", "word")}  # fmt: skip
        groups = rows.counts(("cell", "far", "text"), summary)
        some = rows.where("flag").counts(("cell",)).numbered(("cell",), "number")
        pairs = rows.counts(("cell", "far"), {"n": ("sum", "row")})
        joined = rows.join(some, ("cell",)).join(pairs, ("cell", "far"))
        placed = joined.map(_place, together="cell").by("cell", _place_alone)
        told.append([
            _rows(groups, "cell", "far", "text", "count", *summary),
            _rows(joined, "row", "number", "n"),
            _rows(placed, "row", "place"),
            _rows(rows.counts(()), "count"),
            len(groups), len(rows.where("flag")), len(placed.counts(("cell",))),
        ])  # fmt: skip
    assert told[0] == told[1]


def _place(batch: Any) -> Any:
    cell, row = batch["cell"], batch["row"]
    return {"place": ((cell[:, None] == cell) & (row[:, None] > row)).sum(axis=1)}


def _place_alone(batch: Any) -> Any:
    return {name: batch[name] for name in ("cell", "row", "place")}


def _rows(held: Any, *names: str) -> list[tuple[object, ...]]:
    told = held.collect(*names)
    columns = [told[name].tolist() if isinstance(told[name], np.ndarray) else
               told[name].to_pylist() for name in names]  # fmt: skip
    return sorted(map(tuple, zip(*columns, strict=True)), key=repr)
