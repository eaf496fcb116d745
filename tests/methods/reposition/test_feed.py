"""Feeds from beginning to end: stop and resume, late records, new values, the end."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from anachron.methods.reposition import relay
from anachron.methods.reposition.plan import Due, Rule, Window, arrive, begin, finish, late
from anachron.methods.reposition.rule import linear, quadratic
from tests.oracle.reposition import eligible
from tests.oracle.reposition_feeds import rows

RULE = Rule(Fraction(5, 2), 4, quadratic(4), Fraction(9), {1: Fraction(7, 2)}, first="cold")
SOLVERS = [("recycle", "cold"), ("recycle", "exact"), ("rolling", "cold")]
NONE = np.zeros(0, dtype=np.int64)


def skewed(length: int, size: float = 12, seed: int = 1) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(6, 0.6), length)
    return [rng.poisson(size * share) for share in shares]


def run(feed: list[np.ndarray], rule: Rule) -> list[Due]:
    window, dues = begin(rule), []
    for counts in feed:
        window, due = arrive(window, rule, counts)
        dues += due
    return dues + finish(window, rule)


def said(dues: list[Due]) -> list[object]:
    return [(d.position, rows(d), rows(d.suppressed), d.proved) for d in dues]


@pytest.mark.parametrize(("solver", "first"), SOLVERS)
def test_every_snapshot_is_due_once_in_order_and_eligible(solver: str, first: str) -> None:
    feed = skewed(40 if solver == "recycle" else 12)
    rule = replace(RULE, solver=solver, first=first)
    dues = run(feed, rule)
    assert [d.position for d in dues] == list(range(len(dues)))
    assert len(feed) <= len(dues) < len(feed) + rule.window
    left = {(t, v): int(n) for t, counts in enumerate(feed) for v, n in enumerate(counts) if n}
    for due in dues:
        totals = np.bincount(due.value, due.count, minlength=6)
        assert eligible([int(n) for n in totals], rule.l)
        for home, value, count in rows(due):
            assert 0 <= due.position - home < rule.window
            left[home, value] -= count
        for home, value, count in rows(due.suppressed):
            left[home, value] -= count
            last = home + (rule.window - 1 if solver == "rolling" else 0)
            assert due.position == last or due is dues[-1], "lost when it is too late, not before"
    assert not any(left.values()), "each record is published once or suppressed once"


@pytest.mark.parametrize(("solver", "first"), SOLVERS)
def test_stopping_and_resuming_changes_nothing(solver: str, first: str) -> None:
    feed = skewed(30 if solver == "recycle" else 8, seed=2)
    rule = replace(RULE, solver=solver, first=first)
    window, dues = begin(rule), []
    for counts in feed:
        arrays = window.to_arrays()
        assert all(array.dtype == np.int64 for array in arrays.values())
        window = Window.from_arrays(arrays)
        again = window.to_arrays()
        assert all(np.array_equal(arrays[name], again[name]) for name in arrays)
        window, due = arrive(window, rule, counts)
        dues += due
    dues += finish(Window.from_arrays(window.to_arrays()), rule)
    assert said(dues) == said(run(feed, rule))


def test_a_snapshot_is_due_when_the_last_one_that_could_change_it_arrives() -> None:
    window, seen = begin(RULE), []
    for counts in skewed(10):
        window, dues = arrive(window, RULE, counts)
        seen.append([due.position for due in dues])
    assert seen == [[], [], [], [0], [1], [2], [3], [4], [5], [6]]


def test_a_window_of_one_snapshot_only_suppresses() -> None:
    rule = replace(RULE, window=1, mu=linear(1), first="exact")
    dues = run(skewed(10), rule)
    assert [due.position for due in dues] == list(range(10))
    assert all((due.home == due.position).all() for due in dues)


def test_a_record_is_not_moved_for_nothing() -> None:
    rule = Rule(Fraction(2), 2, linear(2), Fraction(1), first="cold")
    dues = run([np.array([1, 0, 0]), np.array([0, 1, 1])], rule)
    assert rows(dues[0].suppressed) == [(0, 0, 1)]
    assert (dues[1].home == 1).all()


def test_windows_are_never_changed() -> None:
    window = begin(RULE)
    for counts in skewed(12):
        before = {name: array.copy() for name, array in window.to_arrays().items()}
        after, _ = arrive(window, RULE, counts)
        late(after, RULE, after.next - 1, counts)
        finish(window, RULE)
        assert all(np.array_equal(before[n], a) for n, a in window.to_arrays().items())
        window = after


def test_new_values_may_appear_and_old_ones_stay_away() -> None:
    feed = [np.array([5]), np.array([1, 0, 0, 2]), NONE, np.array([0, 3]), np.array([1, 1, 1, 1])]
    short = said(run(feed, RULE))
    assert short == said(run([np.pad(counts, (0, 4 - len(counts))) for counts in feed], RULE))


def test_empty_snapshots_become_due_and_may_take_records() -> None:
    rule = replace(RULE, l=Fraction(2))
    dues = run([np.array([1, 0]), np.array([0, 1]), NONE], rule)
    assert [(due.position, rows(due)) for due in dues] == [
        (0, []), (1, [(0, 0, 1), (1, 1, 1)]), (2, []),
    ]  # fmt: skip
    assert [due.position for due in run([NONE, NONE], rule)] == [0, 1]


def test_the_end_may_add_snapshots_that_take_what_was_left() -> None:
    rule = replace(RULE, l=Fraction(2), window=3, mu=linear(3))
    window, _ = arrive(begin(rule), rule, NONE)
    window = late(window, rule, 0, np.array([1, 1]))
    dues = finish(window, rule)
    assert [(due.position, rows(due)) for due in dues] == [(0, []), (1, [(0, 0, 1), (0, 1, 1)])]


def test_nothing_arrived_and_nothing_is_due() -> None:
    assert finish(begin(RULE), RULE) == []


def test_late_records_join_only_snapshots_that_are_not_published() -> None:
    window = begin(RULE)
    for counts in skewed(5):
        window, _ = arrive(window, RULE, counts)
    for home in (window.start - 1, window.next):
        with pytest.raises(ValueError, match="late"):
            late(window, RULE, home, np.array([1]))
    more = late(window, RULE, window.start, np.array([0, 0, 0, 0, 0, 0, 0, 2]))
    assert (window.start, 7, 2) in rows(more.suppressed())


@pytest.mark.parametrize("counts", [np.array([-1]), np.array([1.5]), np.zeros((2, 2), np.int64)])
def test_counts_are_checked(counts: np.ndarray) -> None:
    with pytest.raises(ValueError, match="how many"):
        arrive(begin(RULE), RULE, counts)


def test_work_does_not_grow_with_the_number_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = 0
    chain = relay._chain

    def counted(*given: object) -> object:
        nonlocal steps
        steps += 1
        return chain(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(relay, "_chain", counted)
    work = []
    for factor in (1, 10, 1_000_000):
        steps = 0
        run([counts * factor for counts in skewed(60, size=40)], RULE)
        work.append(steps)
    assert work[0] > 50
    assert max(work) <= 1.2 * min(work)
