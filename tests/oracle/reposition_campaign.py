"""Long runs of Reposition against searches and integer programs.

Run it from the root of the repository, all of it or a part::

    python -m tests.oracle.reposition_campaign --cases 15000 --seed 1
    python -m tests.oracle.reposition_campaign windows --cases 15000
    python -m tests.oracle.reposition_campaign late --cases 2500
    python -m tests.oracle.reposition_campaign large --cases 100
    python -m tests.oracle.reposition_campaign whole --cases 60

A case is a feed of eight snapshots, and every arrival is a window that is compared. ``windows``
and ``late`` (with records that come late) compare with the best of all choices that Definition
2 allows and count how often the paper's Figure 4 is worse, ``large`` compares windows of
thousands of records with an integer program, and ``whole`` the plans of whole windows with the
best of all. Order, counts, delay and eligibility are checked at every step. A difference ends
the run with an error; each part prints its figures.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from tests.oracle.reposition_feeds import (
    Played,
    draw,
    draw_large,
    play,
    play_large,
    play_whole,
)


def windows(cases: int, seed: int, with_late: bool = False) -> None:
    rng = np.random.default_rng(seed)
    total = Played()
    for _ in range(cases):
        total += play(draw(rng, with_late=with_late), printed=True)
    print(f"{total.windows:,} windows: optimal; {total.recycled:,} with moved records; Figure 4 "
          f"is worse in {total.printed_worse:,} and costs "
          f"{float(total.printed / total.loss - 1):.2%} more")  # fmt: skip


def late(cases: int, seed: int) -> None:
    windows(cases, seed + 1, with_late=True)


def large(cases: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    compared = sum(play_large(draw_large(rng, 2_000)) for _ in range(cases))
    print(f"{compared:,} windows of up to 2,000 records a snapshot: as cheap as the program")


def whole(cases: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    compared = sum(play_whole(draw(rng), most=12) for _ in range(cases))
    print(f"{compared:,} whole windows: the program is proved and equals the best of all plans")


PARTS: dict[str, tuple[Callable[[int, int], None], float]] = {
    "windows": (windows, 1.0), "late": (late, 0.15), "large": (large, 0.005),
    "whole": (whole, 0.003),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*", choices=[[], *PARTS], default=[])
    parser.add_argument("--cases", type=int, help="of each part asked for; else of windows")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for name in asked.part or PARTS:
        part, share = PARTS[name]
        cases = asked.cases or 15_000
        began = time.perf_counter()
        part(cases if asked.part else max(int(cases * share), 1), asked.seed)
        print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
