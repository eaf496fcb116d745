"""Compare the planner with the oracle on many random cases.

Run it from the root of the repository::

    python -m tests.oracle.campaign --cases 20000 --seed 1

It prints what the cases were like, every case on which the two differ, and ends with the
number of cases, differences and seconds; it exits with 1 if there is a difference. ``--first``
starts at another case, so that several processes can share a campaign, and a difference is
looked into with ``--first N --cases 1``.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from tests.oracle.cases import draw
from tests.oracle.compare import differences
from tests.oracle.granularity import solve


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    began = time.perf_counter()
    different = 0
    outcomes: Counter[str] = Counter()
    for number in range(asked.first, asked.first + asked.cases):
        case = draw(asked.seed, number)
        wrong = differences(case)
        if number % 10 == 0:
            reply = solve(case.question)
            outcomes[reply.refused or f"published, {min(len(reply.answers), 3)} least nodes"] += 1
        if wrong:
            different += 1
            print(f"case {number}: {'; '.join(wrong)}", flush=True)
    for outcome, count in outcomes.most_common():
        print(f"one in ten cases, {outcome}: {count}")
    seconds = time.perf_counter() - began
    print(f"{asked.cases} cases, {different} differences, {seconds:.0f} s")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
