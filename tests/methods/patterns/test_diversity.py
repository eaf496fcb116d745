"""Sensitive values: breach probabilities, and the two kinds of l-diversity."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from anachron.errors import GuaranteeError
from anachron.kernels.envelopes import envelopes
from anachron.methods.patterns.breach import breach
from anachron.methods.patterns.diversity import Diversity, Lots
from anachron.methods.patterns.perturb import perturb
from anachron.methods.patterns.planned import Planned
from tests.methods.patterns.test_plans import PLANS, in_segments, judged
from tests.methods.patterns.test_tree import parts
from tests.oracle.patterns import word
from tests.oracle.patterns_cases import TABLE_1, case


def possible(data: list[list[float]], plan: Planned, q: int) -> list[int]:
    """PS(Q): the published series whose envelope contains Q's values and whose word is Q's."""
    low, high = envelopes(np.array(data), plan.group)
    shown = data if plan.task.lengths is None else in_segments(data)
    found = []
    for i in np.flatnonzero(plan.group >= 0).tolist():
        g, level = plan.group[i], int(plan.level[i])
        covers = all(a <= x <= b for a, x, b in zip(low[g], data[q], high[g], strict=True))
        if covers and word(shown[i], level) == word(shown[q], level):
            found.append(i)
    return found


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("seed", range(15))
def test_breach_is_that_of_a_count_over_all_published_series(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    found = case(rng, most=25, longest=6)
    plan = PLANS[name](found.series, found.k, found.P, found.max_level, "level", found.place)
    sensitive = rng.integers(0, 4, len(found.series))
    measured = breach(plan, envelopes(found.series, plan.group), sensitive)
    data = found.series.tolist()
    for q in range(len(data)):
        members = possible(data, plan, q)
        b = sum(sensitive[i] == sensitive[q] for i in members)
        e = len({int(plan.group[i]) for i in members})
        assert measured.by_count[q] == pytest.approx(b / max(len(members), 1))
        assert measured.by_equation[q] == pytest.approx(b / max(found.P * e, 1))


@pytest.mark.parametrize("name", PLANS)
def test_breach_is_at_most_one_in_p_where_sensitive_values_differ(name: str) -> None:
    rng = np.random.default_rng(8)
    series = np.round(rng.normal(size=(300, 5)).cumsum(axis=1), 1)
    plan = PLANS[name](series, 10, 4, 6, "level", rng.permutation(300))
    envelope = envelopes(series, plan.group)
    rows = np.flatnonzero(plan.group >= 0)[::7]
    measured = breach(plan, envelope, np.arange(300), rows)
    assert len(measured.by_count) == len(rows)
    assert (measured.by_count > 0).all()
    assert (measured.by_count <= measured.by_equation).all()
    assert (measured.by_equation <= 1 / 4).all()


def crowded(values: np.ndarray, l: int, distance: float) -> bool:  # noqa: E741
    return any(l * sum(abs(values - x) <= distance) > len(values) for x in values)


def by_lot(seed: int) -> Lots:
    rng = np.random.default_rng(seed)
    return lambda purpose, rows: rng.permutation(len(rows))


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("seed", range(20))
def test_every_subgroup_is_diverse(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    found = case(rng, most=80, longest=10)
    values = rng.integers(0, 12, len(found.series)).astype(np.float64)
    l, distance = int(rng.integers(2, 4)), float(rng.integers(0, 3))  # noqa: E741
    wanted = Diversity(values, l, by_lot(seed), distance)
    arguments = (found.series, found.k, found.P, found.max_level, "level", found.place, wanted)
    # Any number may be crowded, not only somebody's value.
    if wanted.crowd(np.arange(len(values))) * l > len(values):
        with pytest.raises(GuaranteeError):
            PLANS[name](*arguments)
        return
    plan = PLANS[name](*arguments)
    assert not judged(found, plan)
    assert (plan.group >= 0).all()
    for members in parts(plan.subgroup):
        assert not crowded(values[members], wanted.l, wanted.distance)


def test_a_value_of_too_many_is_refused() -> None:
    values = np.array([1.0] * 5 + [2.0, 3.0, 4.0])
    with pytest.raises(GuaranteeError, match=r"More than 1/2 of all series"):
        PLANS["kapra"](TABLE_1, 4, 2, 10, "level", np.arange(8), Diversity(values, 2, by_lot(0)))


@pytest.mark.parametrize("seed", range(20))
def test_perturbed_values_are_diverse_in_every_possible_set(seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = case(rng, most=40, longest=6)
    plan = PLANS["kapra"](found.series, found.k, found.P, found.max_level, "level", found.place)
    values = rng.integers(0, 3, len(found.series)).astype(np.float64)
    l = int(rng.integers(1, found.P + 1))  # noqa: E741
    envelope = envelopes(found.series, plan.group)
    new = perturb(plan, envelope, values, l, 0.25)
    changed = np.flatnonzero(new != values)
    assert (abs(new - values) <= 0.25).all()
    assert len({*new[changed].tolist()} | {0.0, 1.0, 2.0}) == len(changed) + 3
    data = found.series.tolist()
    for q in range(len(data)):
        members = possible(data, plan, q)
        if members:
            assert l * max(Counter(new[members].tolist()).values()) <= len(members)


def test_as_many_values_are_changed_as_needed() -> None:
    """3 of 7 may keep a value for l = 2; with the ceiling 4 would."""
    series = np.tile([[1.0, 2.0]], (7, 1))
    plan = PLANS["kapra"](series, 7, 7, 4, "level", np.arange(7)[::-1].copy())
    envelope = envelopes(series, plan.group)
    new = perturb(plan, envelope, np.full(7, 5.0), 2, 0.5)
    assert (new != 5.0).tolist() == [False] * 3 + [True] * 4
    whole = perturb(plan, envelope, np.full(7, 5.0), 2, 2, whole=True)
    assert sorted(whole.tolist()) == [3.0, 4.0, 5.0, 5.0, 5.0, 6.0, 7.0]


def test_perturbing_is_refused_where_it_cannot_work() -> None:
    series = np.tile([[1.0, 2.0]], (7, 1))
    plan = PLANS["kapra"](series, 7, 7, 4, "level", np.arange(7))
    envelope = envelopes(series, plan.group)
    same = np.full(7, 5.0)
    with pytest.raises(GuaranteeError, match="fewer than 8 series"):
        perturb(plan, envelope, same, 8, 0.5)
    with pytest.raises(GuaranteeError, match="not enough unused values"):
        perturb(plan, envelope, same, 2, 1, whole=True)
