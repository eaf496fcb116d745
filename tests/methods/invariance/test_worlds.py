"""What an adversary who knows the algorithm can learn, by enumerating every world."""

from __future__ import annotations

from fractions import Fraction

import pytest

from anachron.methods.invariance.rule import Rule
from tests.oracle.invariance_worlds import Adversary, worst_posterior

HISTORIES = [
    [[1, 2], [1, 3, 4, 5]],
    [[1, 2, 3], [1, 2, 4, 5]],
    [[1, 2], [1, 3, 4], [1, 2, 3]],
    [[1, 2], [3, 4], [1, 3]],
]


@pytest.mark.parametrize("mode", ["transparent", "sticky"])
@pytest.mark.parametrize("snapshots", HISTORIES, ids=str)
def test_nobody_is_more_certain_than_promised(mode: str, snapshots: list[list[int]]) -> None:
    adversary = Adversary(snapshots, Rule(2, 3, mode=mode))
    assert worst_posterior(adversary, adversary.constant_worlds()) == Fraction(1, 2)


@pytest.mark.parametrize("mode", ["transparent", "sticky"])
@pytest.mark.parametrize("snapshots", [[[1, 2], [1, 2]], [[1, 2], [2], [1, 2]]], ids=str)
def test_nor_when_values_change(mode: str, snapshots: list[list[int]]) -> None:
    adversary = Adversary(snapshots, Rule(2, 4, mode=mode))
    worlds = adversary.changing_worlds() if len(snapshots) == 2 else adversary.changing_worlds(1)
    assert worst_posterior(adversary, worlds) == Fraction(1, 2)


@pytest.mark.parametrize("balance", ["exact", "paper"])
def test_the_papers_mode_can_be_broken(balance: str) -> None:
    """Bob and Alice {a, b}, then Bob with N1, N2, N3: Bob's group {a, b} with a counterfeit
    beside {a, c, d} tells that he has a, or the new a would have filled his group."""
    snapshots = [[1, 2], [1, 3, 4, 5]]
    adversary = Adversary(snapshots, Rule(2, 4, balance=balance))
    assert worst_posterior(adversary, adversary.constant_worlds()) == 1
