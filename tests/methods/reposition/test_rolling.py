"""Whole windows planned anew: cheaper over a feed, proved, and said to be when they are not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest

from anachron.kernels import integer_programs
from anachron.kernels.integer_programs import Program, quiet, solve
from anachron.methods.reposition import rolling
from anachron.methods.reposition import rule as rules
from anachron.methods.reposition.measures import measure
from anachron.methods.reposition.plan import Rule, arrive, begin
from anachron.methods.reposition.rule import linear, quadratic
from tests.methods.reposition.test_feed import run, said, skewed
from tests.oracle.reposition import whole_optimum
from tests.oracle.reposition_feeds import hiding, rows, square

RULE = Rule(Fraction(2), 3, quadratic(3), Fraction(12), solver="rolling")


def test_planning_the_window_anew_costs_less_over_a_feed() -> None:
    feed = skewed(25, seed=3)
    loss = {
        solver: measure(run(feed, replace(RULE, solver=solver)), feed, RULE).loss
        for solver in ("rolling", "recycle")
    }
    assert loss["rolling"] < loss["recycle"]


def test_the_first_window_is_exact_when_asked() -> None:
    rule = replace(RULE, solver="recycle", first="exact")
    better = 0
    for seed in range(12):
        feed = skewed(3, size=3, seed=seed)
        homes = {v: tuple(t for t in range(3) for _ in range(int(feed[t][v]))) for v in range(6)}
        best = whole_optimum(homes, 0, 2, rule.l, 3, square, hiding(rule))
        costs = []
        for first in ("exact", "cold"):
            asked = replace(rule, first=first)
            window = begin(asked)
            for counts in feed:
                window, dues = arrive(window, asked, counts)
            (due,) = dues
            here = [(due.position, *row) for row in rows(due)]
            moving = sum(square(j - t) * n for j, t, _, n in [*window.batches(), *here])
            hidden = int(window.suppressed().count.sum() + due.suppressed.count.sum())
            costs.append(moving + rule.beta * hidden)
        assert costs[0] == best
        better += costs[0] < costs[1]
    assert better


def test_a_search_that_is_cut_short_is_said_to_be_unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = Rule(Fraction(7, 3), 6, quadratic(6), Fraction(20), {1: Fraction(3)})
    rng = np.random.default_rng(32)
    feed = [rng.poisson([9, 4, 2, 3, 1, 1]) for _ in range(12)]
    proved = run(feed, rule)
    monkeypatch.setattr(rules, "NODES", 1)
    dues = run(feed, rule)
    assert [due.proved for due in dues[:12]] == [False] * 6 + [True] * 6
    assert all(due.proved for due in proved)
    assert measure(proved, feed, rule).records == measure(dues, feed, rule).records


@pytest.mark.parametrize(("room", "limit"), [(rules, "LARGEST"), (rolling, "EXACT")])
def test_programs_beyond_reach_leave_the_plan_as_it_is(
    room: ModuleType, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = skewed(8, seed=5)
    cold = said(run(feed, replace(RULE, solver="recycle", first="cold")))
    monkeypatch.setattr(room, limit, 0)
    dues = run(feed, replace(RULE, solver="recycle", first="exact"))
    assert [entry[:3] for entry in said(dues)] == [entry[:3] for entry in cold]  # type: ignore[index]
    assert [due.proved for due in dues[:4]] == [False, False, False, True]


@pytest.mark.parametrize("wrong", [1, -1])
def test_an_answer_that_does_not_stand_the_check_is_not_used(
    wrong: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounding could make an answer ineligible, or use more records than there are."""
    answer = rolling.solve

    def spoiled(program: Program, nodes: int, seconds: float) -> integer_programs.Solution | None:
        solved = answer(program, nodes, seconds)
        return solved and replace(solved, x=solved.x + wrong, bound=solved.bound - 1)

    monkeypatch.setattr(rolling, "solve", spoiled)
    feed = skewed(8, seed=5)
    dues = run(feed, replace(RULE, solver="recycle"))
    cold = run(feed, replace(RULE, solver="recycle", first="cold"))
    assert [entry[:3] for entry in said(dues)] == [entry[:3] for entry in said(cold)]  # type: ignore[index]
    assert not dues[0].proved


def test_an_answer_that_is_not_eligible_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def everyone_at_home(program: Program, nodes: int, seconds: float) -> integer_programs.Solution:
        ways = int((~program.whole).sum())
        x = np.zeros(len(program.cost), dtype=np.int64)
        for batch in np.unique(program.row[:ways]):
            mine = np.flatnonzero(program.row[:ways] == batch)
            x[mine[np.argmin(program.cost[mine])]] = program.most[batch]
        return integer_programs.Solution(x, -np.inf, rounded=False)

    monkeypatch.setattr(rolling, "solve", everyone_at_home)
    feed = skewed(8, seed=5)
    dues = run(feed, replace(RULE, solver="recycle"))
    cold = run(feed, replace(RULE, solver="recycle", first="cold"))
    assert [entry[:3] for entry in said(dues)] == [entry[:3] for entry in said(cold)]  # type: ignore[index]


def test_an_answer_of_broken_numbers_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    answer = rolling.solve

    def broken(program: Program, nodes: int, seconds: float) -> integer_programs.Solution | None:
        asked.append(bool(program.whole.all()))
        solved = answer(program, nodes, seconds)
        if solved is None or asked[-1]:
            return solved
        return replace(solved, x=np.zeros_like(solved.x), rounded=True)

    feed = skewed(8, seed=5)
    expected = run(feed, replace(RULE, solver="recycle"))
    monkeypatch.setattr(rolling, "solve", broken)
    dues = run(feed, replace(RULE, solver="recycle"))
    assert asked == [False, True]
    assert all(due.proved for due in dues)
    assert measure(dues, feed, RULE).loss == measure(expected, feed, RULE).loss


def test_records_that_are_too_old_for_a_snapshot_stay_away_from_it() -> None:
    none = np.zeros(2, dtype=np.int64)
    dues = run([np.array([1, 0]), none, none, np.array([0, 1])], RULE)
    assert all(not len(due.count) for due in dues)
    assert [(due.position, rows(due.suppressed)) for due in dues] == [
        (0, []), (1, []), (2, [(0, 0, 1)]), (3, [(3, 1, 1)]),
    ]  # fmt: skip


def test_when_the_time_is_over_nothing_is_taken_from_the_program() -> None:
    rng = np.random.default_rng(1)
    n = 400
    program = Program(
        cost=-rng.integers(1, 99, n).astype(float), row=np.zeros(n, dtype=np.int64),
        column=np.arange(n), entry=rng.integers(1, 99, n).astype(float),
        most=np.array([999.0]), top=np.ones(n), whole=np.ones(n, dtype=bool),
    )  # fmt: skip
    with pytest.raises(TimeoutError):
        solve(program, 10_000, 0.0)
    found = solve(program, 10_000, 60.0)
    assert found is not None
    assert float(program.cost @ found.x) == pytest.approx(found.bound)


def test_what_the_solver_writes_is_not_seen(capfd: pytest.CaptureFixture[str]) -> None:
    import os

    print("before")
    with quiet():
        os.write(1, b"a stray line\n")
    print("after")
    assert capfd.readouterr().out == "before\nafter\n"
    run(skewed(6), replace(RULE, mu=linear(3)))
    assert capfd.readouterr() == ("", "")
