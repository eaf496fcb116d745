"""Whatever happens to the table, every history stays m-invariant."""

from __future__ import annotations

import pytest

from anachron.methods.invariance.rule import Rule
from tests.oracle.invariance_histories import run

RULES = {
    "exact": Rule(2, 9, when_ineligible="hold"),
    "greedy": Rule(2, 9, balance="paper", when_ineligible="hold"),
    "transparent": Rule(3, 9, mode="transparent", when_ineligible="hold"),
    "pooled": Rule(3, 9, mode="transparent", balance="pooled", when_ineligible="hold"),
    "sticky": Rule(3, 9, mode="sticky", when_ineligible="hold"),
    "transitions": Rule(
        2, 9, when_ineligible="hold",
        transitions={a: {(a + step) % 9 for step in range(6)} for a in range(9)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", range(6))
def test_histories_stay_invariant(name: str, seed: int) -> None:
    history = run(seed, RULES[name], releases=12)
    assert history.rows > 100


def test_modes_cost_counterfeits() -> None:
    shares = {}
    for mode in ("paper", "transparent", "sticky"):
        history = run(7, Rule(2, 9, mode=mode, when_ineligible="hold"), releases=15, people=200)
        shares[mode] = history.counterfeits / history.rows
        assert history.inside > 5
    assert 0 < shares["paper"] < shares["transparent"] < shares["sticky"] < 0.6
