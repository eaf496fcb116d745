"""Margins in what is published and asked: what users see of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import AnachronError, PlanError, ReleaseError
from tests.release.forging import restate

SCHEMA = an.Schema(subject="who", quasi=["age", "town"], sensitive="ill")
TOWNS = ["Bari", "Milan", "Rome"]


def register(many: int = 400, seed: int = 1) -> pa.Table:
    """Most people are old, and from Bari."""
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "who": [f"p{n}" for n in range(many)],
            "age": np.where(rng.random(many) < 0.8, 60, rng.integers(20, 80, many)),
            "town": rng.choice(TOWNS, many, p=[0.7, 0.2, 0.1]),
            "ill": rng.choice(["flu", "gout", "cold", "acne"], many),
        }
    )


def published(folder: Path, table: pa.Table | None = None, **settings: object) -> an.Release:
    promise = an.MInvariance(m=3, orders={"town": TOWNS}, **settings)
    where = {"ledger": folder / "ledger", "to": folder / "releases"}
    return an.publish(register() if table is None else table, SCHEMA, promise, **where)


def said(release: an.Release) -> dict[str, dict[str, object]]:
    found = json.loads((release.path / "datapackage.json").read_text())["anachron"]
    return found["margins"]


def test_people_are_counted_by_classes_and_rounded_down(tmp_path: Path) -> None:
    table, release = register(), published(tmp_path)
    margins = said(release)
    assert set(margins) == {"age", "town"}
    for column, place in (("age", int), ("town", TOWNS.index)):
        width = int(str(margins[column]["width"]))
        counts: dict[int, int] = {}
        for value in table[column].to_pylist():
            counts[place(value) // width] = counts.get(place(value) // width, 0) + 1
        named = {k: n // 25 * 25 for k, n in sorted(counts.items()) if n >= 25}
        assert margins[column]["classes"] == list(named)
        assert margins[column]["people"] == list(named.values())
    # 400 people are 16 steps, and ages reach over 60 years: classes of 4.
    assert margins["age"]["width"] == "4"
    assert an.audit(release, table=table, ledger=tmp_path / "ledger").holds


def test_no_margins_and_nothing_else_is_different(tmp_path: Path) -> None:
    release = published(tmp_path, margins=None)
    assert "margins" not in (release.path / "datapackage.json").read_text()
    assert an.audit(release, ledger=tmp_path / "ledger").holds


def test_answers_are_nearer_and_bounds_the_same(tmp_path: Path) -> None:
    table = register()
    with_them, without = (
        published(tmp_path / name, margins=step) for name, step in (("a", 5), ("b", None))
    )
    off = {id(with_them): 0.0, id(without): 0.0}
    ages = np.array(table["age"].to_pylist())
    for low in range(20, 80, 6):
        truth = int(((ages >= low) & (ages < low + 6)).sum())
        for release in (with_them, without):
            told = release.ask(f"SELECT COUNT(*) WHERE age BETWEEN {low} AND {low + 5}")
            assert told.low <= truth <= told.high
            off[id(release)] += abs(told.estimate - truth)
    assert off[id(with_them)] < off[id(without)] / 2
    summed = with_them.ask("SELECT SUM(age)")
    assert summed.low <= ages.sum() <= summed.high


def test_bounds_do_not_move_with_margins(tmp_path: Path) -> None:
    release = published(tmp_path, margins=5)
    questions = [
        "SELECT COUNT(*) WHERE age BETWEEN 30 AND 59",
        "SELECT COUNT(*) WHERE town = 'Rome' AND ill = 'flu'",
        "SELECT SUM(age) WHERE town <> 'Bari'",
        "SELECT AVG(age) WHERE ill IN ('flu', 'gout')",
    ]
    before = [release.ask(question) for question in questions]

    def without(told: dict) -> None:
        del told["anachron"]["margins"]
        del told["anachron"]["guarantee"]["margins"]

    restate(release.path, without)
    plain = an.Release(release.path)
    for question, told in zip(questions, before, strict=True):
        other = plain.ask(question)
        assert (told.low, told.high) == pytest.approx((other.low, other.high))


def test_a_history_may_go_over_to_a_multiple_and_not_to_a_finer_step(tmp_path: Path) -> None:
    published(tmp_path, margins=10)
    fewer = register().slice(3)
    for finer in (5, 15):
        with pytest.raises(AnachronError, match="margins"):
            published(tmp_path, fewer, margins=finer)
    published(tmp_path, fewer, margins=20)


@pytest.mark.parametrize("step", [0, 4, -25, 2.5, True, "all", [25]])
def test_steps_that_are_none_are_refused(step: object) -> None:
    with pytest.raises(PlanError, match="margins"):
        an.MInvariance(m=2, margins=step)  # type: ignore[arg-type]


def test_a_reader_refuses_margins_that_were_tampered_with(tmp_path: Path) -> None:
    release = published(tmp_path)
    restate(release.path, lambda told: told["anachron"]["margins"]["age"].update(width="3"))
    with pytest.raises(ReleaseError):
        an.Release(release.path)


def test_counterfeits_are_not_counted(tmp_path: Path) -> None:
    """Whoever left is replaced by a counterfeit, and the margins have one person less."""
    table = register(60)
    published(tmp_path, table, margins=5)
    fewer = table.slice(20)
    release = published(tmp_path, fewer, margins=5)
    assert (release.explanation or {})["counterfeits"] > 0
    for margin in said(release).values():
        assert sum(margin["people"]) <= fewer.num_rows  # type: ignore[arg-type]
    assert an.audit(release, table=fewer, ledger=tmp_path / "ledger").holds
