"""Long runs of Reposition against searches and integer programs.

Run it from the root of the repository, all of it or a part::

    python -m tests.oracle.reposition_campaign --cases 15000 --seed 1
    python -m tests.oracle.reposition_campaign windows --cases 15000
    python -m tests.oracle.reposition_campaign late --cases 2500
    python -m tests.oracle.reposition_campaign large --cases 100
    python -m tests.oracle.reposition_campaign whole --cases 60
    python -m tests.oracle.reposition_campaign reload --cases 20000 --workers 2
    python -m tests.oracle.reposition_campaign feeds --cases 20000 --workers 2
    python -m tests.oracle.reposition_campaign opened --cases 2000 --workers 2
    python -m tests.oracle.reposition_campaign commanded --cases 20 --workers 2

A case is a feed of eight snapshots, and every arrival is a window that is compared. ``windows``
and ``late`` (with records that come late) compare with the best of all choices that Definition
2 allows and count how often the paper's Figure 4 is worse, ``large`` compares windows of
thousands of records with an integer program, and ``whole`` the plans of whole windows with the
best of all. Order, counts, delay and eligibility are checked at every step.

``reload`` compares the planner that the ledger reads back with one that stays in memory, at every
arrival and at the end. ``feeds`` plays whole feeds of all kinds, with late records, returns and
repeats, and keeps books of its own: see ``feed_play``. ``opened`` plays them through the API, with
the ledger opened anew for every push, ``commanded`` on the command line, each push a process.

A difference ends the run with an error, which names the seed and the case; each part prints its
figures.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import numpy as np

from tests.oracle import reposition_reload
from tests.oracle.feed_play import MEMORY, play_many
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
    for strict in (False, True):
        drawn = (draw(rng) for _ in range(cases))
        some = (replace(one, rule=replace(one.rule, strict=strict)) for one in drawn)
        compared = sum(play_whole(case, most=12) for case in some)
        print(f"{compared:,} whole windows{', of careful feeds' if strict else ''}: the program "
              "is proved and equals the best of all plans")  # fmt: skip


def reload(cases: int, seed: int) -> None:
    parts = _shared(_reloaded, cases, seed)
    feeds, reloads, recoded = (
        sum(getattr(part, name) for part in parts) for name in ("feeds", "reloads", "recoded")
    )
    print(f"{feeds:,} feeds read back {reloads:,} times, {recoded:,} of them with values that have "
          "no place: as in memory")  # fmt: skip


def _reloaded(seed: int, cases: range) -> reposition_reload.Reloaded:
    seen = reposition_reload.Reloaded()
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        for number in cases:
            case = reposition_reload.draw(np.random.default_rng([seed, number]))
            reposition_reload.play(case, Path(folder), seen)
    return seen


def played(kind: str, cases: int, seed: int) -> None:
    first, *others = _shared(partial(play_many, kind), cases, seed)
    print(sum(others, first))


WORKERS = os.cpu_count() or 1
Part = TypeVar("Part")


def _shared(work: Callable[[int, range], Part], cases: int, seed: int) -> list[Part]:
    """Let processes of their own play a hundred cases each."""
    size = max(min(100, cases // WORKERS), 1)
    chunks = [range(at, min(at + size, cases)) for at in range(0, cases, size)]
    if WORKERS == 1:
        return [work(seed, chunk) for chunk in chunks]
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        return list(pool.map(partial(work, seed), chunks))


PARTS: dict[str, tuple[Callable[[int, int], None], float]] = {
    "windows": (windows, 1.0), "late": (late, 0.15), "large": (large, 0.005),
    "whole": (whole, 0.003), "reload": (reload, 4 / 3), "feeds": (partial(played, "feeds"), 4 / 3),
    "opened": (partial(played, "opened"), 0.1), "commanded": (partial(played, "commanded"), 0.002),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*", choices=[[], *PARTS], default=[])
    parser.add_argument("--cases", type=int, help="of each part asked for; else of windows")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=WORKERS, help="processes for feeds")
    asked = parser.parse_args()
    globals()["WORKERS"] = asked.workers
    for name in asked.part or PARTS:
        part, share = PARTS[name]
        cases = asked.cases or 15_000
        began = time.perf_counter()
        part(cases if asked.part else max(int(cases * share), 1), asked.seed)
        print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
