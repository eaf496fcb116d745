"""KAPRA and Naive: their promises, and the obvious way's plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from anachron.kernels.envelopes import envelopes
from anachron.kernels.sax import cut
from anachron.methods.patterns.kapra import kapra
from anachron.methods.patterns.naive import naive
from anachron.methods.patterns.planned import Planned, Task
from tests.methods.patterns.test_tree import parts
from tests.oracle import patterns as oracle
from tests.oracle.patterns_cases import TABLE_1, Case, case
from tests.oracle.patterns_judge import faults


def dials(people: int, k: int, max_level: int) -> tuple[int | None, int | None]:
    """A level of the tree and a size of cells, either or both, different from case to case."""
    tree_level = 2 + people % (max_level - 1) if people % 3 and max_level > 1 else None
    return tree_level, k + people % 7 * k // 2 if people % 4 or tree_level is None else None


def turned(*task: Any) -> Planned:
    """KAPRA with its dials turned."""
    given = Task(*task)
    tree_level, cells = dials(len(given.series), given.k, given.max_level)
    return kapra(replace(given, tree_level=tree_level, cells=cells))


def slowly_turned(data: list[list[float]], k: int, P: int, max_level: int, *rest: Any) -> Any:
    """The same in the obvious way."""
    return oracle.kapra(data, k, P, max_level, *rest, *dials(len(data), k, max_level))


def segments(times: int, people: int) -> int:
    """How many letters there are, from one to one for each time."""
    return 1 + people % times


def over_segments(*task: Any) -> Planned:
    """KAPRA with its dials turned, or Naive, with the letters of segments."""
    given = Task(*task)
    people, times = given.series.shape
    given = replace(given, lengths=cut(times, segments(times, people)))
    if people % 4 == 0:
        return naive(given)
    tree_level, cells = dials(people, given.k, given.max_level)
    return kapra(replace(given, tree_level=tree_level, cells=cells))


def slowly_over_segments(data: list[list[float]], *rest: Any) -> Any:
    """The same in the obvious way."""
    plan = oracle.naive if len(data) % 4 == 0 else slowly_turned
    return plan(in_segments(data), *rest)


def in_segments(data: list[list[float]]) -> list[Any]:
    many = segments(len(data[0]), len(data))
    return [oracle.Segmented(series, many) for series in data]


PLANS: dict[str, Callable[..., Planned]] = {
    "kapra": lambda *task: kapra(Task(*task)),
    "naive": lambda *task: naive(Task(*task)),
    "turned": turned,
    "segments": over_segments,
}
SLOWLY = {
    "kapra": oracle.kapra, "naive": oracle.naive, "turned": slowly_turned,
    "segments": slowly_over_segments,
}  # fmt: skip


def judged(found: Case, plan: Planned) -> list[str]:
    low, high = envelopes(found.series, plan.group)
    data = found.series.tolist()
    return faults(
        data if plan.task.lengths is None else in_segments(data),
        plan.group.tolist(),
        plan.subgroup.tolist(),
        plan.level.tolist(),
        (low.tolist(), high.tolist()),
        found.k,
        found.P,
        found.max_level,
    )


def compare(found: Case, name: str, objective: str) -> Planned:
    """Plan both ways: the same groups, subgroups and levels, and no promise broken.

    Where equal losses are common their rounding decides, and only the promises are looked at.
    """
    numbers = (found.k, found.P, found.max_level)
    plan = PLANS[name](found.series, *numbers, objective, found.place)
    assert not judged(found, plan)
    if found.ties:
        return plan
    expected = SLOWLY[name](found.series.tolist(), *numbers, found.place.tolist(), objective)
    assert parts(plan.subgroup) == parts(np.array(expected.subgroup))
    assert plan.level.tolist() == expected.level
    assert parts(plan.group) == parts(np.array(expected.group))
    return plan


@pytest.mark.parametrize("objective", ["level", "loss"])
@pytest.mark.parametrize("name", PLANS)
def test_table_1_has_a_valid_publication(name: str, objective: str) -> None:
    found = Case(TABLE_1, 4, 2, 10, np.arange(8), ties=False)
    compare(found, name, objective)


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("seed", range(40))
def test_plans_are_those_of_the_obvious_way(seed: int, name: str) -> None:
    compare(case(np.random.default_rng(seed), most=50, longest=30), name, "level")


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("seed", range(100, 108))
def test_plans_for_the_smallest_loss_are_those_of_the_obvious_way(seed: int, name: str) -> None:
    compare(case(np.random.default_rng(seed), most=30, longest=15), name, "loss")


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("seed", range(30))
def test_the_order_of_the_input_has_no_influence(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    found = case(rng, most=60, longest=20)
    shuffled = rng.permutation(len(found.series))
    numbers = (found.k, found.P, found.max_level, "level")
    plan = PLANS[name](found.series, *numbers, found.place)
    again = PLANS[name](found.series[shuffled], *numbers, found.place[shuffled])
    for one in ("group", "subgroup", "level"):
        assert getattr(plan, one)[shuffled].tolist() == getattr(again, one).tolist()


@pytest.mark.parametrize("seed", range(30))
def test_naive_publishes_nobody_with_a_foreign_word(seed: int) -> None:
    """Bad leaves are common here, so many series are merged into leaves of another word."""
    rng = np.random.default_rng(seed)
    series = rng.choice([-1.0, 1.0], (100, 1)) * np.arange(5) + rng.normal(0, 0.4, (100, 5))
    found = Case(series, 12, 3, 8, rng.permutation(100), ties=False)
    plan = compare(found, "naive", "level")
    assert plan.bad > 0
    assert (plan.group >= 0).all()


def test_nothing_is_suppressed_if_too_few_would_be_left() -> None:
    rng = np.random.default_rng(2)
    series = np.concatenate([np.arange(4) + rng.normal(0, 0.01, (8, 4)), -np.ones((1, 4))])
    series[8, 3] = -2.0
    plan = kapra(Task(series, 9, 4, 6, "level", np.arange(9)))
    assert plan.group.tolist() == [0] * 9
    assert plan.level[8] == 1


@pytest.mark.parametrize("name", PLANS)
def test_equal_series_are_published_exactly(name: str) -> None:
    series = np.tile([[1.0, 5.0, 2.0]], (10, 1))
    plan = PLANS[name](series, 4, 2, 10, "level", np.arange(10))
    assert (plan.level == 10).all()
    costs = plan.costs()
    assert costs.value_loss == 0
    assert costs.suppressed == 0


@pytest.mark.parametrize("name", PLANS)
def test_costs(name: str) -> None:
    found = case(np.random.default_rng(12), most=60, longest=10)
    plan = PLANS[name](found.series, found.k, found.P, found.max_level, "level", found.place)
    costs = plan.costs()
    data = found.series.tolist()
    if plan.task.lengths is not None:
        data = in_segments(data)
    members = parts(plan.group)
    assert costs.groups == len(members)
    assert costs.subgroups == len(parts(plan.subgroup))
    assert costs.value_loss == pytest.approx(sum(oracle.value_loss(data, m) for m in members))
    losses = [oracle.pattern_loss(data[i], int(plan.level[i])) for m in members for i in m]
    assert costs.pattern_loss == pytest.approx(sum(losses), abs=1e-6)


@pytest.mark.parametrize("name", PLANS)
def test_parameters_must_fit(name: str) -> None:
    with pytest.raises(ValueError, match="P is from 1 to k"):
        PLANS[name](TABLE_1, 2, 3, 10, "level", np.arange(8))
    with pytest.raises(ValueError, match="fewer than k series"):
        PLANS[name](TABLE_1, 9, 3, 10, "level", np.arange(8))
