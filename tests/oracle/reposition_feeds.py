"""Random small feeds, played step by step with every step checked against a search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from fractions import Fraction

import numpy as np

from anachron.methods.reposition.plan import Due, Rule, Window, arrive, begin, finish, late
from anachron.methods.reposition.rule import linear, quadratic
from anachron.methods.reposition.window import Batch
from tests.oracle.reposition import (
    Cost,
    Plan,
    cost,
    eligible,
    figure_4,
    whole_optimum,
    window_optimum,
)

LEVELS = [Fraction(2), Fraction(3), Fraction(4), Fraction(3, 2), Fraction(5, 2), Fraction(7, 3)]
FORMS = {"linear": linear, "quadratic": quadratic}


@dataclass(frozen=True)
class Case:
    """A feed and its rule; every (snapshot, home, counts) of ``late`` comes before an arrival."""

    rule: Rule
    feed: tuple[tuple[int, ...], ...]
    late: tuple[tuple[int, int, tuple[int, ...]], ...] = ()


def distance(d: int) -> Fraction:
    return Fraction(d)


def square(d: int) -> Fraction:
    return Fraction(d * d)


def price(rule: Rule) -> Cost:
    return square if rule.window > 2 and rule.mu[2] == 4 else distance


def hiding(rule: Rule) -> Cost:
    return lambda value: rule.betas.get(value, rule.beta)


def draw(rng: np.random.Generator, length: int = 8, with_late: bool = False) -> Case:
    """A feed of few values, one of them often too frequent."""
    window = int(rng.integers(2, 5))
    values = int(rng.integers(2, 6))
    betas = [Fraction(int(rng.integers(1, 16)), int(rng.integers(1, 3))) for _ in range(values)]
    rule = Rule(
        LEVELS[rng.integers(len(LEVELS))],
        window,
        FORMS[str(rng.choice(list(FORMS)))](window),
        Fraction(int(rng.choice([1, 2, 3, 5, 10, 20]))),
        dict(enumerate(betas)) if rng.random() < 0.5 else {},
        first="cold",
    )
    share = rng.dirichlet(np.full(values, 0.7))
    feed = []
    for _ in range(length):
        if rng.random() < 0.3:
            share = rng.dirichlet(np.full(values, 0.7))
        feed.append(tuple(rng.multinomial(int(rng.integers(0, 6)), share).tolist()))
    coming: tuple[tuple[int, int, tuple[int, ...]], ...] = ()
    if with_late:
        at = int(rng.integers(2, length))
        home = at - 1 - int(rng.integers(0, min(window - 1, at)))
        coming = ((at, home, tuple(rng.integers(0, 2, values).tolist())),)
    return Case(rule, tuple(feed), coming)


def plan_of(window: Window) -> Plan:
    """What a window says, record by record."""
    plan = Plan()
    for position, home, value, count in window.batches():
        plan.placed.setdefault(value, []).extend([(home, position)] * count)
    hidden = window.suppressed()
    for home, value, count in zip(
        hidden.home.tolist(), hidden.value.tolist(), hidden.count.tolist(), strict=True
    ):
        plan.hidden.setdefault(value, []).extend([home] * count)
    return plan


def put_back(plan: Plan, dues: Sequence[Due]) -> Plan:
    """The plan as it was before what is due left it."""
    for due in dues:
        for home, value, count in rows(due):
            plan.placed.setdefault(value, []).extend([(home, due.position)] * count)
        for home, value, count in rows(due.suppressed):
            plan.hidden.setdefault(value, []).extend([home] * count)
    return plan


def rows(batch: Batch | Due) -> list[tuple[int, int, int]]:
    return list(zip(batch.home.tolist(), batch.value.tolist(), batch.count.tolist(), strict=True))


def check_step(before: Plan, after: Plan, arrived: Counter, rule: Rule) -> None:
    """Records are neither lost nor made; order, delay and eligibility hold."""
    seen: Counter = Counter()
    snapshots: dict[int, Counter] = {}
    for v in after.values():
        pairs = sorted(after.placed.get(v, []), key=lambda pair: (pair[1], pair[0]))
        in_order = [t for t, _ in pairs] == sorted(t for t, _ in pairs)
        assert in_order or rule.strict, "older records come first, but for those on time"
        for t, j in pairs:
            assert t <= j < t + rule.window
            snapshots.setdefault(j, Counter())[v] += 1
            seen[t, v] += 1
        seen.update((t, v) for t in after.hidden.get(v, []))
    assert all(eligible(list(counts.values()), rule.l) for counts in snapshots.values())
    had = Counter((t, v) for v, pairs in before.placed.items() for t, _ in pairs)
    had.update((t, v) for v, homes in before.hidden.items() for t in homes)
    assert seen == had + arrived


def check_places(before: Plan, after: Plan, newest: int) -> None:
    """Definition 2: nobody's number of records changes in the earlier snapshots."""
    for v in {*before.values(), *after.values()}:
        old = Counter(j for _, j in before.placed.get(v, []))
        new = Counter(j for _, j in after.placed.get(v, []) if j != newest)
        assert old == new


@dataclass
class Played:
    """What a run saw."""

    windows: int = 0
    recycled: int = 0
    printed_worse: int = 0
    loss: Fraction = Fraction(0)
    printed: Fraction = Fraction(0)

    def __add__(self, other: Played) -> Played:
        return Played(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def play(case: Case, printed: bool = False) -> Played:
    """Play a feed with recycling; each window must cost what a search finds."""
    rule, mu, beta = case.rule, price(case.rule), hiding(case.rule)
    window, played = begin(rule), Played()
    for newest, counts in enumerate(case.feed):
        for at, home, more in case.late:
            if at == newest and home >= window.start:
                window = late(window, rule, home, np.array(more))
        before = plan_of(window)
        window, dues = arrive(window, rule, np.array(counts))
        after = put_back(plan_of(window), dues)
        check_step(
            before, after, Counter({(newest, v): n for v, n in enumerate(counts) if n}), rule
        )
        check_places(before, after, newest)
        found = cost(after, mu, beta)
        best = window_optimum(before, counts, newest, rule.l, rule.window, mu, beta)
        assert found == best, (case, newest, found, best)
        played.windows += 1
        played.recycled += any(t < j for p in after.placed.values() for t, j in p)
        if printed:
            paper = cost(figure_4(before, counts, newest, rule.l, mu, beta), mu, beta)
            played.printed_worse += paper > found
            played.loss, played.printed = played.loss + found, played.printed + paper
    check_end(window, rule)
    return played


def check_end(window: Window, rule: Rule) -> None:
    """All that was unpublished becomes due, in order, or is lost."""
    before = plan_of(window)
    dues = finish(window, rule)
    positions = [due.position for due in dues]
    assert positions == list(range(window.start, window.start + len(dues)))
    assert not dues or positions[-1] >= window.next - 1
    check_step(before, put_back(Plan(), dues), Counter(), rule)


def play_whole(case: Case, most: int = 14) -> int:
    """Play a feed that is planned anew at each arrival; each window must be the best of all.

    With a strict rule, those on time must be eligible in each snapshot that is due. What a plan
    costs then does not depend on who takes which place only if delays cost alike.
    """
    rule, mu, beta = replace(case.rule, solver="rolling"), price(case.rule), hiding(case.rule)
    window, compared = begin(rule), 0
    for newest, counts in enumerate(case.feed):
        before, start = plan_of(window), window.start
        window, dues = arrive(window, rule, np.array(counts))
        after = put_back(plan_of(window), dues)
        arrived = Counter({(newest, v): n for v, n in enumerate(counts) if n})
        check_step(before, after, arrived, rule)
        assert window.unproved == -1
        homes = {
            v: tuple(sorted([t for t, _ in after.placed.get(v, [])] + after.hidden.get(v, [])))
            for v in after.values()
        }
        alike = not rule.strict or rule.mu == linear(rule.window)
        if alike and sum(map(len, homes.values())) <= most:
            best = whole_optimum(homes, start, newest, rule.l, rule.window, mu, beta, rule.strict)
            assert cost(after, mu, beta) == best, (case, newest)
            compared += 1
        for due in dues if rule.strict else ():
            own = due.count[due.home == due.position]
            assert not len(own) or own.max() * rule.l <= own.sum(), (case, newest)
    check_end(window, rule)
    return compared


def draw_large(rng: np.random.Generator, most: int, length: int = 8) -> Case:
    """A feed like those of ``draw``, with up to ``most`` records in a snapshot."""
    case = draw(rng, length)
    share = rng.dirichlet(np.full(len(case.feed[0]), 0.7), length)
    sizes = rng.integers(0, most + 1, length)
    feed = tuple(tuple(rng.multinomial(n, p).tolist()) for n, p in zip(sizes, share, strict=True))
    return replace(case, feed=feed)


def play_large(case: Case) -> int:
    """Play a feed with recycling; each window must cost what an integer program finds."""
    from tests.oracle.reposition_program import program_optimum

    rule, mu, beta = case.rule, price(case.rule), hiding(case.rule)
    window = begin(rule)
    for newest, counts in enumerate(case.feed):
        placed = {(t, j, v): n for j, t, v, n in window.batches()}
        hidden = {(t, v): n for t, v, n in rows(window.suppressed())}
        before = plan_of(window)
        window, dues = arrive(window, rule, np.array(counts))
        after = put_back(plan_of(window), dues)
        check_step(
            before, after, Counter({(newest, v): n for v, n in enumerate(counts) if n}), rule
        )
        best = program_optimum(placed, hidden, counts, newest, rule.l, rule.window, mu, beta)
        found = cost(after, mu, beta)
        assert abs(float(found) - best) < 0.1, (case, newest, found, best)
    check_end(window, rule)
    return len(case.feed)
