"""Long runs of (k, P)-anonymity against its promises and against the obvious way.

Run it from the root of the repository, all of it or a part::

    python -m tests.oracle.patterns_campaign
    python -m tests.oracle.patterns_campaign promises --cases 5000
    python -m tests.oracle.patterns_campaign compare --cases 500

``promises`` plans random sets of series (2 to 200 times, up to 200 series, constant and equal
ones among them, P = 1, P = k and between) with KAPRA and Naive, for either objective, and judges
each plan series by series: k, P, cover, the own word at the published level, fewer than P
suppressed. Of every two plans one is of ranges of 2 to 12 subgroups, as if there were very many.
``compare`` demands the very plan of the direct transcription. A difference ends the
run with an error that names the seed; each part prints its figures.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from unittest.mock import patch

import numpy as np

from anachron.kernels import formation
from tests.methods.patterns.test_plans import PLANS, compare, judged
from tests.oracle.patterns_cases import case


def promises(cases: int, seed: int) -> None:
    seen: Counter[str] = Counter()
    for i in range(cases):
        found = case(np.random.default_rng([seed, i]), most=200)
        seen["P = 1"] += found.P == 1
        seen["P = k"] += found.k == found.P
        seen["100 times or more"] += found.series.shape[1] >= 100
        seen["a constant series"] += bool((np.ptp(found.series, axis=1) == 0).any())
        seen["equal series"] += len(np.unique(found.series, axis=0)) < len(found.series)
        for name, plan_for in PLANS.items():
            for objective in ("level", "loss"):
                numbers = (found.k, found.P, found.max_level)
                most = 2 + i % 11 if (i + (objective == "loss")) % 2 else formation.MOST
                with patch.object(formation, "MOST", most):
                    plan = plan_for(found.series, *numbers, objective, found.place)
                wrong = judged(found, plan)
                assert not wrong, f"seed {seed}, case {i}, {name}, {objective}: {wrong}"
                seen[f"plans of {name}"] += 1
                seen["plans in several ranges"] += plan.subgroup.max(initial=-1) >= most
                seen[f"series in bad leaves of {name}"] += plan.bad
                seen[f"suppressed by {name}"] += int((plan.group < 0).sum())
    figures = ", ".join(f"{what}: {number:,}" for what, number in sorted(seen.items()))
    print(f"{cases:,} sets of series, every promise kept ({figures})")


def same_plans(cases: int, seed: int) -> None:
    for i in range(cases):
        for name in PLANS:
            found = case(np.random.default_rng([seed, i]), most=70, longest=60)
            try:
                compare(found, name, "loss" if i % 5 == 0 else "level")
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, case {i}, {name}") from error
    print(f"{cases:,} sets of series: KAPRA and Naive plan as the direct transcription does")


PARTS = {"promises": (promises, 1200), "compare": (same_plans, 200)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=PARTS)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for name in [given.part] if given.part else PARTS:
        part, cases = PARTS[name]
        start = time.perf_counter()
        part(given.cases or cases, given.seed)
        print(f"  {name}: {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
