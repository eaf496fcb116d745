"""Random small stories of every method and mode, each judged in all its worlds.

Run it from the root of the repository, all of it or some kinds of stories::

    python -m tests.oracle.worlds_campaign
    python -m tests.oracle.worlds_campaign transparent sticky --worlds 20000 --seed 1 --workers 2
    python -m tests.oracle.worlds_campaign anatomy --seed 1 --show 3

Each kind is played until it has so many worlds. A line tells how many stories, worlds and outputs
there were, after how many outputs somebody's value can be guessed better than promised, how certain
one can become, after how many outputs somebody who is missing is known better than the bound (of
feeds that is no part of the promise, and counted only here), the same where nothing was published
at first because new people share a value, and how often something is refused.
Where values can become only some others, it is promised that m of them remain possible while
nothing is refused: then the fewest are told. Verdicts are exact, except for stories with too many
draws: of these runs are drawn, and the line says what chance would have been seen. ``--show``
prints the first stories that fail. It ends with an error if a kind that claims it has an output
above its bound.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from multiprocessing import get_context

from tests.oracle.worlds.judge import Verdict, judge, judge_by_lot
from tests.oracle.worlds.lots import TooMany
from tests.oracle.worlds.playing import player
from tests.oracle.worlds.stories import KINDS, UNCLAIMED, story

RUNS = 4_000
"""Runs of a story with too many draws to go through."""


@dataclass(frozen=True)
class Line:
    """What is kept of a verdict."""

    worlds: int
    outputs: int
    above: int
    missing: int
    refusals: int
    worst: float
    bound: float
    power: float | None
    told: str
    seconds: float
    refused: float
    even: bool
    fewest: int


def judged(kind: str, seed: int) -> Line:
    began = time.process_time()
    verdict = _verdict(kind, seed)
    return Line(
        verdict.worlds,
        verdict.outputs,
        verdict.outputs_above,
        len({belief.seen for belief in verdict.above if belief.missing}),
        len({belief.seen for belief in verdict.after_refusals}),
        float(verdict.promised.chance),
        float(verdict.story.bound),
        None if verdict.runs is None else verdict.power,
        _told(verdict),
        time.process_time() - began,
        verdict.refused,
        verdict.story.even,
        verdict.fewest,
    )


def _verdict(kind: str, seed: int) -> Verdict:
    playing = player(story(kind, seed))
    try:
        return judge(playing)
    except TooMany:
        return judge_by_lot(playing, RUNS, seed)


def _told(verdict: Verdict) -> str:
    people = "\n".join(f"    {person}" for person in verdict.story.people)
    worst = verdict.broken[0] if verdict.broken else verdict.worst
    return (
        f"  {verdict}\n    {verdict.story.promise}\n{people}\n    e.g. {worst} after {worst.seen}"
    )


def played(
    kind: str, worlds: int, first: int, pool: ProcessPoolExecutor, batch: int
) -> Iterator[Line]:
    """Judge stories, in order, until they have so many worlds."""
    seeds = count(first)
    done = 0
    while done < worlds:
        for line in pool.map(partial(judged, kind), list(islice(seeds, batch))):
            if done < worlds:
                done += line.worlds
                yield line
        print(f"{kind}: {done:,} worlds", file=sys.stderr, flush=True)


def summary(kind: str, lines: list[Line]) -> str:
    sampled = [line.power for line in lines if line.power is not None]
    how = "exact" if not sampled else f"{len(sampled)} by lot, see from {max(sampled):.2f}"
    even = [line for line in lines if line.even] or lines
    worst = max(even, key=lambda line: line.worst - line.bound)
    uneven = [line.fewest for line in lines if not line.even]
    left = f"; fewest values left in {len(uneven)} stories {min(uneven)}" if uneven else ""
    refused = sum(line.refused * line.worlds for line in lines) / sum(line.worlds for line in lines)
    above = sum(line.above for line in lines)
    failing = sum(line.above > 0 for line in lines)
    return (
        f"{kind:20} {len(lines):>5,} stories {sum(line.worlds for line in lines):>7,} worlds "
        f"{sum(line.outputs for line in lines):>7,} outputs; above the bound {above:,} in "
        f"{failing:,} stories; largest {worst.worst:.3f} (promised {worst.bound:.3f}){left}; "
        f"{sum(line.missing for line in lines):,} outputs tell of missing people, "
        f"{sum(line.refusals for line in lines):,} after a refusal; "
        f"refused {refused:.1%}; {how}; "
        f"{sum(line.seconds for line in lines):.0f} s of work"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", nargs="*", choices=[[], *KINDS], default=[])
    parser.add_argument("--worlds", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--show", type=int, default=0)
    asked = parser.parse_args()
    broken = []
    with ProcessPoolExecutor(asked.workers, get_context("spawn")) as pool:
        for kind in asked.kind or KINDS:
            first, batch = asked.seed * 1_000_000, 8 * asked.workers
            lines = list(played(kind, asked.worlds, first, pool, batch))
            print(summary(kind, lines), flush=True)
            failing = [line for line in lines if line.above]
            for line in failing[: asked.show]:
                print(line.told, flush=True)
            if failing and kind not in UNCLAIMED:
                broken.append(kind)
    if broken:
        sys.exit(f"above the bound: {', '.join(broken)}")


if __name__ == "__main__":
    main()
