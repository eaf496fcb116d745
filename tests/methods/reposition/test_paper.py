"""The paper's examples, and windows in which its algorithm as printed is not optimal."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from anachron.methods.reposition.measures import measure
from anachron.methods.reposition.plan import Due, Rule, Window, arrive, begin, late
from anachron.methods.reposition.rule import linear, quadratic
from anachron.methods.reposition.window import Batch
from tests.oracle import reposition as oracle
from tests.oracle.reposition_feeds import distance, hiding, plan_of, put_back, rows, square

A, B, C, D = range(4)


def counts(*values: int, of: int = 4) -> np.ndarray:
    return np.bincount(np.array(values, dtype=np.int64), minlength=of)


def snapshot(position: int, *batches: tuple[int, int, int]) -> Due:
    batch = Batch.of(list(batches))
    return Due(position, batch.home, batch.value, batch.count)


def test_example_1_one_record_suppressed_and_one_moved() -> None:
    arrived = [counts()] * 6 + [counts(A, A, B), counts(A, A, B), counts(B)]
    dues = [
        snapshot(6, (6, A, 1), (6, B, 1)),
        snapshot(7, (7, A, 1), (7, B, 1)),
        snapshot(8, (7, A, 1), (8, B, 1)),
    ]
    beta = Fraction(7, 3)
    measured = measure(dues, arrived, Rule(Fraction(2), 3, quadratic(3), beta))
    assert measured.loss == beta + 1
    assert (measured.records, measured.distances) == (7, (5, 1, 0))
    assert (measured.moved_share, measured.suppressed_share) == (1 / 7, 1 / 7)


S1, S2, S3, S4, S5 = range(5)


def figure_2() -> tuple[Rule, Window]:
    """Figure 2 before the snapshot w + 1 = 3 arrives; the costs give the gains it shows."""
    betas = {S1: 3, S2: 3, S3: 2, S4: 5, S5: 6}
    mu = (Fraction(0), Fraction(4), Fraction(9))
    beta = {value: Fraction(cost) for value, cost in betas.items()}
    rule = Rule(Fraction(4), 3, mu, Fraction(1), beta, first="cold")
    window = begin(rule)
    for _ in range(3):
        window, _ = arrive(window, rule, counts(of=5))
    window = late(window, rule, 1, counts(S2, S5, of=5))
    return rule, late(window, rule, 2, counts(S3, S4, of=5))


def test_examples_2_and_3_preserve_the_level_and_then_lift_it() -> None:
    rule, window = figure_2()
    arrived = counts(*[S1] * 6, *[S2] * 3, *[S3] * 2, S4, S5, of=5)
    window, _ = arrive(window, rule, arrived)
    assert window.places[-1].tolist() == [3, 3, 3, 2, 1]
    assert sorted(rows(window.suppressed())) == [(3, S1, 3)]


def test_examples_2_and_3_relay_what_the_paper_relays() -> None:
    rule, window = figure_2()
    arrived = counts(*[S1] * 6, *[S2] * 3, *[S3] * 2, S4, S5, of=5)
    assert oracle.initial(arrived.tolist(), rule.l) == [2, 2, 2, 1, 1]
    after, dues = arrive(window, rule, arrived)
    plan = put_back(plan_of(after), dues)
    moved = [(v, pair) for v, pairs in plan.placed.items() for pair in pairs if pair[0] < pair[1]]
    assert moved == [(S3, (2, 3)), (S4, (2, 3))], "r7 and r8; r1 and r5 are at home"
    assert plan.hidden == {S1: [3, 3, 3], S2: [1], S5: [1]}, "r2, r3, r4, r6 and r9 stay"


def test_example_3_gains_4_after_example_2_gained_1() -> None:
    rule, window = figure_2()
    arrived = counts(*[S1] * 6, *[S2] * 3, *[S3] * 2, S4, S5, of=5)
    after, dues = arrive(window, rule, arrived)
    mu = {0: Fraction(0), 1: Fraction(4), 2: Fraction(9)}.__getitem__
    before = plan_of(window)
    for v, (n, kept) in enumerate(zip(arrived, oracle.initial(arrived, rule.l), strict=True)):
        before.hidden.setdefault(v, []).extend([3] * int(n - kept))
    gained = oracle.cost(before, mu, hiding(rule)) - oracle.cost(
        put_back(plan_of(after), dues), mu, hiding(rule)
    )
    assert gained == 1 + 4


def last_step(rule: Rule, feed: list[np.ndarray]) -> tuple[Fraction, Fraction]:
    """What the last window costs, as planned and by the paper's Figure 4 as printed."""
    mu = square if rule.window > 2 and rule.mu[2] == 4 else distance
    window = begin(rule)
    for arrived in feed[:-1]:
        window, _ = arrive(window, rule, arrived)
    before, newest = plan_of(window), window.next
    window, dues = arrive(window, rule, feed[-1])
    found = oracle.cost(put_back(plan_of(window), dues), mu, hiding(rule))
    printed = oracle.figure_4(before, feed[-1].tolist(), newest, rule.l, mu, hiding(rule))
    return found, oracle.cost(printed, mu, hiding(rule))


def test_a_level_that_needs_no_more_records_is_lifted() -> None:
    """Figure 4 stops when m = 0: it costs 10 where the optimum is 1."""
    rule = Rule(Fraction(2), 2, linear(2), Fraction(10), first="cold")
    assert last_step(rule, [counts(A), counts(A, B, C, D)]) == (1, 10)


def test_a_level_that_needs_no_more_records_is_lifted_for_three_values() -> None:
    """Figure 4 costs 21 where the optimum is 3."""
    rule = Rule(Fraction(2), 2, linear(2), Fraction(7), first="cold")
    window, _ = arrive(begin(rule), rule, counts())
    window = late(window, rule, 0, counts(A, B, C))
    before = plan_of(window)
    window, dues = arrive(window, rule, counts(A, B, C, D))
    found = oracle.cost(put_back(plan_of(window), dues), distance, hiding(rule))
    printed = oracle.figure_4(before, [1, 1, 1, 1], 1, rule.l, distance, hiding(rule))
    assert (found, oracle.cost(printed, distance, hiding(rule))) == (3, 21)


def test_a_level_without_gain_may_be_followed_by_one_with_gain() -> None:
    """With l = 3/2 level 1 gains nothing and level 2 gains 2: 8 where climbing stops at 10."""
    rule = Rule(Fraction(3, 2), 3, quadratic(3), Fraction(2), first="cold")
    assert last_step(rule, [counts(B), counts(), counts(C, C, C, C)]) == (8, 10)


def test_the_youngest_is_carried_on_even_if_it_has_just_arrived() -> None:
    """A late record is younger than one published later: the printed relay costs 10, not 8."""
    rule = Rule(Fraction(2), 4, quadratic(4), Fraction(8), first="cold")
    window = begin(rule)
    for arrived in (counts(A), counts(), counts(B)):
        window, _ = arrive(window, rule, arrived)
    assert plan_of(window).placed[A] == [(0, 2)]
    window = late(window, rule, 1, counts(A))
    before = plan_of(window)
    assert oracle.cost(before, square, hiding(rule)) == 12
    window, dues = arrive(window, rule, counts(B, C))
    after = put_back(plan_of(window), dues)
    assert after.placed[A] == [(1, 3), (0, 2)] or after.placed[A] == [(0, 2), (1, 3)]
    assert oracle.cost(after, square, hiding(rule)) == 8
    printed = oracle.figure_4(before, [0, 1, 1, 0], 3, rule.l, square, hiding(rule))
    assert oracle.cost(printed, square, hiding(rule)) == 10
