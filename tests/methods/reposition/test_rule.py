"""What a rule accepts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from anachron.methods.reposition.rule import Rule, linear, quadratic

ONE = Fraction(1)


def rule(**changes: Any) -> Rule:
    given = {"l": Fraction(2), "window": 3, "mu": linear(3), "beta": ONE} | changes
    return Rule(**given)


@pytest.mark.parametrize(
    "changes",
    [
        {"l": ONE},
        {"window": 0, "mu": ()},
        {"mu": linear(2)},
        {"mu": (ONE, Fraction(2), Fraction(3))},
        {"mu": (Fraction(0), ONE, ONE)},
        {"mu": (Fraction(0), Fraction(2), Fraction(3))},
        {"beta": Fraction(0)},
        {"betas": {1: Fraction(-1)}},
        {"solver": "best"},
        {"first": "warm"},
    ],
)
def test_what_cannot_be_planned_with_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        rule(**changes)


def test_costs_are_whole_in_a_common_unit() -> None:
    found = rule(mu=(Fraction(0), Fraction(1, 3), Fraction(3, 4)), betas={2: Fraction(7, 5)})
    assert found.scale == 60
    assert found.moving == (0, 20, 45)
    assert [found.hiding(value) for value in (0, 2)] == [60, 84]


def test_the_usual_costs() -> None:
    assert linear(4) == (0, 1, 2, 3)
    assert quadratic(4) == (0, 1, 4, 9)
