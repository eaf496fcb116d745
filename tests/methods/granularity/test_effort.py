"""Searches that would never end are refused before they begin, with an estimate and a way out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

import anachron as an
from anachron.cli.main import anachron
from anachron.engines.local.load import load
from anachron.errors import PlanError
from anachron.methods.granularity import effort
from anachron.methods.granularity.choose import plan
from anachron.methods.granularity.lattice import Lattice
from anachron.methods.granularity.offer import offer


def events(columns: int, rows: int, seed: int = 1, values: int = 2) -> tuple[pa.Table, an.Schema]:
    rng = np.random.default_rng(seed)
    quasi = {f"q{i}": rng.integers(0, values, rows) for i in range(columns)}
    days = (np.datetime64("2020-01-01") + rng.integers(0, 700, rows)).astype("datetime64[D]")
    table = pa.table({"who": rng.integers(0, rows // 3 + 1, rows), "day": pa.array(days), **quasi})
    return table, an.Schema(subject="who", time="day", quasi=list(quasi))


def promised(ladders: int, **parts: object) -> an.TimeGranularity:
    all_left_out = {f"q{i}": an.Ladder.drop() for i in range(ladders)}
    return an.TimeGranularity(k=5, ladders=all_left_out, **parts)  # type: ignore[arg-type]


def test_ladders_on_fifteen_columns_are_refused_before_the_search() -> None:
    """The search was killed after three minutes, and would have taken far longer."""
    table, schema = events(15, 100_000)
    told: list[int] = []
    with pytest.raises(PlanError) as why:
        plan(load(table, schema), promised(15), lambda n, _about: told.append(n))
    assert not told
    assert "294,912 views" in str(why.value)
    assert "minutes" in str(why.value)
    assert "fewer columns a ladder" in str(why.value)
    assert "max_views=294912" in str(why.value)


def test_fewer_ladders_are_a_way_out() -> None:
    table, schema = events(7, 2_000)
    assert plan(load(table, schema), promised(5, granularities=["year", "decade"])).answers


def test_who_insists_may_search(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table, schema = events(4, 400)
    monkeypatch.setattr(effort, "LONGEST", 0)
    given = {"ledger": tmp_path / "ledger", "to": tmp_path / "releases"}
    with pytest.raises(PlanError, match="max_views=144") as why:
        an.publish(table, schema, promised(4), **given)  # type: ignore[arg-type]
    assert not list((tmp_path / "releases").glob("0*"))
    with pytest.raises(PlanError, match="max_views=144"):
        an.publish(table, schema, promised(4), max_views=143, **given)  # type: ignore[arg-type]
    assert "144 views" in str(why.value)
    release = an.publish(table, schema, promised(4), max_views=144, **given)  # type: ignore[arg-type]
    assert release.number == 1


def test_on_the_command_line_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table, schema = events(4, 400)
    pa.parquet.write_table(table, tmp_path / "events.parquet")
    places = {"ledger": tmp_path / "ledger", "releases": tmp_path / "releases"}
    an.Plan(tmp_path / "events.parquet", schema, promised(4), **places).write(tmp_path / "p.toml")
    monkeypatch.setattr(effort, "LONGEST", 0)
    refused = CliRunner().invoke(anachron, ["publish", str(tmp_path / "p.toml")])
    assert refused.exit_code != 0
    done = CliRunner().invoke(anachron, ["publish", str(tmp_path / "p.toml"), "--max-views", "144"])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("suppressed", ["0", "0.02"])
@pytest.mark.parametrize("columns", [3, 5, 7])
def test_the_estimate_is_near_what_is_tested(columns: int, suppressed: str) -> None:
    table, schema = events(columns, 3_000, seed=columns, values=3)
    asked = promised(columns, max_suppressed=suppressed)
    tests: list[tuple[int, int]] = []
    plan(load(table, schema), asked, lambda n, about: tests.append((n, about)))
    done, about = tests[-1]
    assert about / 4 < done < 1.5 * about


def test_all_views_are_tested_where_nothing_follows() -> None:
    table, schema = events(3, 60)
    lattice = offer(load(table, schema), promised(3)).lattice
    assert effort.effort(lattice, 60, monotone=False).tests == len(lattice)


def finer(lattice: Lattice, a: int, b: int) -> bool:
    """By the definition: in time, and on each ladder."""
    steps = bool((lattice.steps[a] <= lattice.steps[b]).all())
    return steps and bool(lattice.order.finer[lattice.time[a], lattice.time[b]])


def test_masks_are_what_the_order_says() -> None:
    table, schema = events(4, 60, values=9)
    ladders = {"q0": an.Ladder.bins(2, 4), "q2": an.Ladder.drop(), "q3": an.Ladder.bins(3)}
    asked = an.TimeGranularity(k=2, granularities=["week", "month", "year"], ladders=ladders)
    lattice = offer(load(table, schema), asked).lattice
    nodes = range(len(lattice))
    assert len(nodes) == 3 * 4 * 2 * 3
    for node in nodes:
        assert lattice.coarser(node).tolist() == [finer(lattice, node, other) for other in nodes]
        assert lattice.finer(node).tolist() == [finer(lattice, other, node) for other in nodes]
    assert lattice.widest() == int(np.bincount(lattice.rank).max())
