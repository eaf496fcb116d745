"""Order, numbers and files tell nothing, unless they are made to."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.attacking.finding import Finding
from anachron.attacking.order import attack, told_by_order
from tests.attacking.knowing import known_of, publish, tampered
from tests.flow import registers, series, tables
from tests.placing.test_members import FEED, feed


def found(root: Path, release: an.Release, table: pa.Table | None, schema: an.Schema) -> Finding:
    finding = attack(known_of(root, release, table, schema))
    assert finding is not None
    return finding


def made(root: Path, method: str) -> tuple[an.Release, pa.Table, an.Schema]:
    if method == "granularity":
        promise = an.TimeGranularity(k=2, granularities=["day", "week", "month"])
        made = publish(root, tables.PAPER, tables.PAPER_SCHEMA, promise)
        return made, tables.PAPER, tables.PAPER_SCHEMA
    if method == "invariance":
        table = registers.as_table(registers.clinic())
        return registers.released(table, root), table, registers.SCHEMA
    if method == "patterns":
        table = series.wide(series.walks(60))
        return series.released(table, root), table, series.WIDE
    return publish(root, feed(), FEED, an.Reposition(l=3, window=3)), feed(), FEED


METHODS = ["granularity", "invariance", "reposition", "patterns"]


@pytest.mark.parametrize("method", METHODS)
def test_a_release_tells_nothing_by_its_form(tmp_path: Path, method: str) -> None:
    release, table, schema = made(tmp_path, method)
    finding = found(tmp_path, release, table, schema)
    assert (finding.exposed, finding.holds) == (0, True)
    assert finding.figures["files_with_a_date"] == 0


@pytest.mark.parametrize("method", METHODS)
def test_rows_in_another_order_are_noticed(tmp_path: Path, method: str) -> None:
    release, table, schema = made(tmp_path, method)

    def turned(rows: pa.Table) -> pa.Table:
        return rows.take(list(range(len(rows)))[::-1])

    broken = tampered(release, tmp_path / "broken", turned)
    finding = found(tmp_path, broken, table, schema)
    assert finding.holds is False
    assert finding.exposed == release.rows


def test_notes_files_and_dates_are_noticed(tmp_path: Path) -> None:
    release, _, schema = made(tmp_path, "invariance")

    broken = tampered(release, tmp_path / "noted", lambda rows: rows, notes=True)
    finding = found(tmp_path, broken, None, schema)
    assert finding.holds is False
    assert finding.figures["files_with_a_date"] == 1
    (release.path / "notes.txt").write_text("beside")
    assert found(tmp_path, release, None, schema).holds is False
    (release.path / "notes.txt").unlink()
    os.utime(release.path / "data.parquet", (1, 1))
    finding = found(tmp_path, release, None, schema)
    assert finding.figures["files_with_a_date"] == 1
    assert finding.holds is True


def test_group_numbers_in_the_order_of_the_input_are_noticed(tmp_path: Path) -> None:
    table = feed(600, 2)
    # Everyone's row is known by the age, and nobody has to be moved.
    table = table.set_column(2, "age", pa.array(range(600)))
    table = table.set_column(4, "ill", pa.array([f"ill {i % 6}" for i in range(600)]))
    place = {(r["day"], r["age"], r["sex"]): i for i, r in enumerate(table.to_pylist())}
    release = publish(tmp_path, table, FEED, an.Reposition(l=3, window=3))
    assert found(tmp_path, release, table, FEED).holds is True
    # Within each day, number the groups by when their first record was entered.
    rows = release.table().to_pylist()
    first: dict[int, tuple[str, int]] = {}
    for row in rows:
        at = (row["day"], place.get((row["day"], row["age"], row["sex"]), 10**6))
        first[row["group"]] = min(first.get(row["group"], at), at)
    order = sorted(first, key=lambda group: first[group])
    number = {group: i + 1 for i, group in enumerate(order)}

    def renumbered(rows: pa.Table) -> pa.Table:
        new = pa.array([number[g] for g in rows["group"].to_pylist()])
        return rows.set_column(0, "group", new).sort_by(
            [(name, "ascending") for name in ("group", *rows.column_names[1:])]
        )

    broken = tampered(release, tmp_path / "broken", renumbered)
    broken = tampered(broken, tmp_path / "both", renumbered, "sensitive")
    finding = found(tmp_path, broken, table, FEED)
    assert finding.figures["checks_that_fail"] == 0
    assert finding.figures["input_order_sigmas"] > 4
    assert "the order of the input" in finding.measured
    assert finding.holds is False


def test_group_numbers_do_not_tell_who_was_moved(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    days, many = 24, 240
    # Every second day one illness is far too frequent, and half of its records must wait.
    often = rng.random((days, many)) < np.where(np.arange(days) % 2, 0.1, 0.55)[:, None]
    ill = np.where(often, 0, rng.integers(1, 6, (days, many))).ravel()
    table = pa.table(
        {
            "who": [f"p{i:05}" for i in range(days * many)],
            "day": [f"2024-05-{1 + i // many:02}" for i in range(days * many)],
            "age": rng.permutation(days * many),  # so that everyone's row is known
            "ill": [f"ill {i}" for i in ill.tolist()],
        }
    )
    schema = an.Schema(subject="who", time="day", quasi="age", sensitive="ill")
    release = publish(tmp_path, table, schema, an.Reposition(l=3, window=3))
    finding = found(tmp_path, release, table, schema)
    assert (release.explanation or {})["moved"] > 100
    assert finding.figures["delay_sigmas"] < 4
    assert finding.holds is True


def test_correlation_is_taken_inside_strata() -> None:
    snapshot, value = np.repeat([0, 1], 50), np.zeros(100, dtype=np.int64)
    place = np.concatenate([np.arange(50), 100 + np.arange(50)])
    rng = np.random.default_rng(0)
    # What differs between strata is published; inside them it must not go together.
    hidden = np.concatenate([rng.permutation(50), 100 + rng.permutation(50)])
    assert told_by_order(snapshot, value, place, hidden)[1] < 4
    assert told_by_order(snapshot, value, place, place)[0] == pytest.approx(1.0)
    assert told_by_order(*[np.arange(3)] * 4) == (0.0, 0.0)
