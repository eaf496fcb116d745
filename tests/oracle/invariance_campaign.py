"""Long runs of m-invariance against searches and an integer program.

Run it from the root of the repository, all of it or a part::

    python -m tests.oracle.invariance_campaign
    python -m tests.oracle.invariance_campaign assign --cases 60000
    python -m tests.oracle.invariance_campaign balance --cases 3000      needs scipy
    python -m tests.oracle.invariance_campaign split --cases 2000
    python -m tests.oracle.invariance_campaign histories --cases 500
    python -m tests.oracle.invariance_campaign halved --cases 300
    python -m tests.oracle.invariance_campaign pooled --cases 320

``assign`` compares the closed form with a search in every iteration, ``balance`` the exact rule
with an integer program over all signatures, ``split`` the kernel with the straightforward
algorithm, ``histories`` plays 30 releases each in every mode and checks them all, ``halved`` the
same
with buckets that are halved from 4 to 30 tuples on, ``pooled`` goes
through all worlds of short histories with pooling. A difference ends the run with an error; each
part prints its figures. How certain an adversary who knows the algorithm can become in the other
modes, ``worlds_campaign`` measures.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from fractions import Fraction
from itertools import combinations, islice
from typing import Any
from unittest.mock import patch

import numpy as np

from anachron.methods.invariance import halve
from anachron.methods.invariance.halve import Filled
from anachron.methods.invariance.halve import _halves as cut
from anachron.methods.invariance.rule import Rule
from tests.kernels.test_split import compare
from tests.methods.invariance.test_assign import check
from tests.methods.invariance.test_balance import State, as_arrays, check_exact
from tests.oracle.invariance_cases import counts, state
from tests.oracle.invariance_histories import run
from tests.oracle.pooled_worlds import histories as histories_of_worlds
from tests.oracle.pooled_worlds import judged


def assignments(cases: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    iterations = 0
    for _ in range(cases):
        m = int(rng.integers(2, 7))
        n = counts(rng, m)
        iterations += check(n, m, rng.permutation(len(n)))
    print(f"{cases:,} multisets, {iterations:,} iterations: closed form = search, Lemma 5 holds")


def program(found: State, m: int) -> int:
    """Fewest counterfeits by integer programming, over all signatures that could be used.

    Variables: y_v new tuples that fill a shortage, c_v counterfeits among new tuples, and z_S
    new groups with signature S. All new tuples are placed: n_v − y_v + c_v = Σ z_S over S ∋ v.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    buckets, shortage, new = as_arrays(found)
    domain = len(new)
    lacking = np.array([shortage[buckets.value == v].sum() for v in range(domain)])
    signatures = [s for k in range(m, domain + 1) for s in combinations(range(domain), k)]
    holds = np.array([[float(v in s) for s in signatures] for v in range(domain)])
    matrix = np.hstack([np.eye(domain), -np.eye(domain), holds])
    cost = np.concatenate([-np.ones(domain), np.ones(domain), np.zeros(len(signatures))])
    top = np.concatenate(
        [np.minimum(lacking, new), np.full(domain + len(signatures), new.sum() + domain)]
    )
    solved = milp(
        cost, constraints=LinearConstraint(matrix, new, new), bounds=Bounds(0, top),
        integrality=np.ones(len(cost)),
    )  # fmt: skip
    assert solved.success
    return round(solved.fun) + int(lacking.sum())


def balances(cases: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    total, states, better = Counter[str](), 0, 0
    while states < cases:
        m = int(rng.integers(2, 4))
        found = state(rng, m)
        both = check_exact(found, m)
        if both is None or not found[0]:
            continue
        states += 1
        exact, greedy = both
        best = program(found, m)
        assert exact == best, (found, m, exact, best)
        better += exact < greedy
        total.update(exact=exact, greedy=greedy, program=best)
    print(f"{states:,} states: {dict(total)}; exact better than greedy in {better:,}")


def splits(cases: int, seed: int) -> None:
    done = compare(seed, cases // 2, exact=True) + compare(seed + 1, cases // 2, exact=False)
    print(f"{done:,} buckets: groups equal")


def histories(cases: int, seed: int) -> None:
    for mode, balance in (
        ("paper", "exact"), ("paper", "paper"), ("transparent", "exact"), ("transparent", "pooled"),
        ("sticky", "exact"),
    ):  # fmt: skip
        fakes = rows = 0
        for number in range(cases):
            m = 2 + number % 3
            rule = Rule(m, 4 * m, mode=mode, balance=balance, when_ineligible="hold")
            played = run(seed + number, rule, releases=30, people=30 + 10 * (number % 7))
            fakes, rows = fakes + played.counterfeits, rows + played.rows
        print(f"{mode}/{balance}: {cases:,} histories of 30 releases hold; "
              f"{fakes / rows:.1%} of {rows:,} rows are counterfeits", flush=True)  # fmt: skip


def halves(cases: int, seed: int) -> None:
    rounds = 0

    def counted(*given: Any) -> Filled:
        nonlocal rounds
        rounds += 1
        return cut(*given)

    with patch.object(halve, "_halves", counted):
        for number in range(cases):
            with patch.object(halve, "MOST", 4 + number % 27):
                histories(1, seed + number)
    assert rounds
    print(f"{cases:,} times all histories with halved buckets hold; {rounds:,} rounds of halving")


def pooled(cases: int, seed: int) -> None:
    total = Counter[str]()
    for snapshots, rule in islice(histories_of_worlds(seed), cases):
        found = judged(snapshots, rule)
        assert found.worst <= Fraction(1, rule.m), (snapshots, rule, found)
        total.update(
            {f"of {len(snapshots)} releases": 1, f"with m = {rule.m}": 1,
             "with people who joined others": found.joined > 0,
             "with a chance of 1/m": found.worst == Fraction(1, rule.m),
             "worlds": found.worlds, "outputs": found.outputs}
        )  # fmt: skip
    print(f"{cases:,} histories, no chance above 1/m: {dict(total)}")


PARTS = {
    "assign": (assignments, 60_000),
    "balance": (balances, 3_000),
    "split": (splits, 2_000),
    "histories": (histories, 500),
    "halved": (halves, 60),
    "pooled": (pooled, 320),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*", choices=[[], *PARTS], default=[])
    parser.add_argument("--cases", type=int)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for name in asked.part or PARTS:
        part, usual = PARTS[name]
        began = time.perf_counter()
        part(asked.cases or usual, asked.seed)
        print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
