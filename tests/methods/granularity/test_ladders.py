"""Quasi columns that may give way, and what is preferred when they do."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest

from anachron.engines.local.load import load
from anachron.engines.local.table import LocalTable
from anachron.errors import GuaranteeError, PlanError
from anachron.guarantees import TimeGranularity
from anachron.ladders import Ladder
from anachron.methods.granularity.choose import Search, plan
from anachron.methods.granularity.recode import rungs
from anachron.schema import Schema

SCHEMA = Schema("uid", "at", quasi=["age", "zip"])


def table(**columns: list[object]) -> LocalTable:
    n = len(next(iter(columns.values())))
    given = {"uid": [f"u{i}" for i in range(n)], "at": ["2006-01-03"] * n}
    given |= {"age": [30] * n, "zip": ["38100"] * n} | columns
    return load(pa.table(given), SCHEMA)


def shown(found: Search, answer: int = 0) -> tuple[str, tuple[int, ...]]:
    lattice, node = found.offer.lattice, found.answers[answer].node
    return lattice.order.names[lattice.time[node]], tuple(lattice.steps[node].tolist())


def test_bins_lie_on_the_grid_also_below_the_origin() -> None:
    rung = rungs(table(age=[-7, -5, -1, 0, 4, 5]), "age", Ladder.bins(5))[1]
    assert rung.recoding.published.to_pydict() == {
        "age_low": [-10, -5, 0, 5],
        "age_high": [-6, -1, 4, 9],
    }
    assert rung.recoding.codes.tolist() == [0, 1, 1, 2, 2, 3]
    decimal = rungs(table(age=[0.1, 0.2, 0.3, 0.7]), "age", Ladder.bins("0.1", origin="0.05"))[1]
    assert decimal.recoding.published.column("age_low").to_pylist() == [0.05, 0.15, 0.25, 0.65]


def test_prefixes_are_marked_and_missing_values_stay_missing() -> None:
    rung = rungs(table(zip=["38100", "38122", None, "3"]), "zip", Ladder.prefix(3))[1]
    assert rung.recoding.published.to_pydict() == {"zip": ["3*", "381*", None]}


def test_the_loss_is_the_share_of_other_values_hidden() -> None:
    found = rungs(table(age=[1, 1, 1, 6, 12]), "age", Ladder.bins(10))
    # Of two other values, one is hidden from four rows of five, none from the fifth.
    assert [rung.loss for rung in found] == [0, Fraction(4, 10), 1]


@pytest.mark.parametrize(
    ("column", "ladder", "reason"),
    [
        ("zip", Ladder.bins(5), "does not hold numbers"),
        ("age", Ladder.bins("0.5"), "whole widths"),
        ("age", Ladder.prefix(1), "does not hold text"),
        ("zip", Ladder.hierarchy([["10000", "a"]]), "1 of its 1 different values"),
        ("uid", Ladder.drop(), "not a quasi column"),
    ],
)
def test_ladders_that_do_not_fit_are_refused(column: str, ladder: Ladder, reason: str) -> None:
    with pytest.raises(PlanError, match=reason) as refusal:
        plan(table(age=[1, 2, 3]), TimeGranularity(k=2, ladders={column: ladder}))
    assert column in str(refusal.value)
    assert "38100" not in str(refusal.value)


def test_what_to_keep_decides_between_time_and_quasi() -> None:
    rows = table(age=[30, 31, 30, 31], at=["2006-01-03", "2006-01-03", "2006-01-18", "2006-01-18"])
    ladder = {"age": Ladder.bins(10, drop=False)}
    offered = {"k": 2, "granularities": ["day", "month"], "ladders": ladder}
    kept = {
        keep: shown(plan(rows, TimeGranularity(**offered, keep=keep)))
        for keep in ("time", "quasi", "neither")
    }
    assert kept == {"time": ("day", (1, 0)), "quasi": ("month", (0, 0)), "neither": ("day", (1, 0))}
    assert len(plan(rows, TimeGranularity(**offered)).answers) == 2


def test_another_promise_on_the_same_table_starts_afresh() -> None:
    rows = table(age=[30, 31, 32, 33])
    for _ in range(20):
        fine = TimeGranularity(k=2, granularities=["day"], ladders={"age": Ladder.bins(2)})
        coarse = TimeGranularity(k=2, granularities=["day"], ladders={"age": Ladder.bins(20)})
        assert plan(rows, fine).answers[0].gen_c == (2, 4)
        assert plan(rows, coarse).answers[0].gen_c == (4, 4)


def test_a_column_without_a_ladder_never_gives_way() -> None:
    rows = table(age=[30, 31], zip=["38100", "38122"])
    with pytest.raises(GuaranteeError):
        plan(rows, TimeGranularity(k=2, ladders={"age": Ladder.bins(10)}))
