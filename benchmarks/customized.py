"""How well missing values and missing letters are estimated, against the overlap of the two.

    python -m benchmarks.customized [--series 6553] [--draws 10] [--k 10] [--P 3]

Section 7.4 and Figure 13 of the (k,P)-anonymity paper: random walks of ten times; a share of the
times has values and letters, half of the others values only, half letters only; ten random
choices of times for each share. Walks: one long walk *cut* into series, as in the paper, so that
series differ far more than they vary; or each its *own*, from 0. Grouped by the whole *series*,
with the highest level at which a P-subgroup agrees over the pattern's times; or by the *pattern*'s
times alone. The more times a pattern has, the lower is its level, so the overlap alone is shown
by letters of a *fixed* level, each series its own, which is no anonymous publication.

finite: share of missing values with bounds on both sides; width: median width of these, in
standard deviations of the series, and that of the envelope that was left out; narrowed: mean
narrowing of envelopes by their letters; letter: share of missing letters found, and at most one
off; guess: share found by the most frequent letter of each level; candidates: mean number of
letters that are possible, of the alphabet. Outside: records whose truth an estimate excludes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from anachron.kernels.envelopes import envelopes
from anachron.kernels.sax import breakpoints, letters, normalised
from anachron.methods.patterns.estimate import (
    Customized,
    all_value_bounds,
    letter_of,
    refined_bounds,
)
from anachron.methods.patterns.finest import choose_levels
from anachron.methods.patterns.kapra import kapra
from anachron.methods.patterns.planned import Task

TIMES = 10
MAX_LEVEL = 10
GRID = 1e-3
FIXED = 5


@dataclass(frozen=True)
class Draw:
    """A published customization: what is seen, and what is known to be true."""

    series: np.ndarray
    envelope: tuple[np.ndarray, np.ndarray]
    letters: np.ndarray
    level: np.ndarray
    values: list[int]
    patterns: list[int]

    def seen(self) -> Customized:
        low, high = (bound[:, self.values] for bound in self.envelope)
        values, patterns = (tuple(map(str, times)) for times in (self.values, self.patterns))
        return Customized(low, high, self.letters, self.level, values, patterns)


def walks(count: int, kind: str, rng: np.random.Generator) -> np.ndarray:
    """One long walk cut into series, as in the paper, or walks of their own; all in [0, 1]."""
    steps = rng.normal(size=(count, TIMES))
    series = np.cumsum(steps).reshape(steps.shape) if kind == "cut" else np.cumsum(steps, axis=1)
    return (series - series.min()) / np.ptp(series)


def draw(
    series: np.ndarray, share: float, by: str, k: int, p: int, rng: np.random.Generator
) -> Draw:
    order = rng.permutation(TIMES).tolist()
    common = round(share * TIMES)
    middle = common + (TIMES - common) // 2
    values, patterns = sorted(order[:middle]), sorted(order[:common] + order[middle:])
    grouped = series[:, patterns] if by == "pattern" else series
    plan = kapra(Task(grouped, k, p, MAX_LEVEL, "level", rng.permutation(len(series))))
    kept = np.flatnonzero(plan.group >= 0)
    kept = kept[np.lexsort((plan.subgroup[kept], plan.group[kept]))]
    z = normalised(series[kept][:, patterns])
    level = choose_levels(z, plan.subgroup[kept], MAX_LEVEL, "level")[plan.subgroup[kept]]
    if by == "fixed":
        level = np.full(len(z), FIXED)
    own = np.empty(z.shape, dtype=np.uint8)
    for one in np.unique(level).tolist():
        own[level == one] = letters(z[level == one], one)
    low, high = (bound[plan.group[kept]] for bound in envelopes(series, plan.group))
    grid = np.floor(low / GRID) * GRID, np.ceil(high / GRID) * GRID
    return Draw(series[kept], grid, own, level, values, patterns)


def true_letters(case: Draw, at: int) -> np.ndarray:
    seen = case.series[:, case.patterns]
    z = (case.series[:, at] - seen.mean(axis=1)) / seen.std(axis=1, ddof=1)
    found = np.empty(len(z), dtype=np.int64)
    for level in np.unique(case.level).tolist():
        here = case.level == level
        found[here] = np.searchsorted(breakpoints(level), z[here], "right")
    return found


def guessed(level: np.ndarray, letter: np.ndarray) -> int:
    """How many letters are right if the most frequent one of its level is taken for each."""
    counts = np.bincount(level * 32 + letter, minlength=32 * (MAX_LEVEL + 1))
    return int(counts.reshape(-1, 32).max(axis=1).sum())


def values_of(case: Draw) -> Iterator[tuple[np.ndarray, ...]]:
    """Of each missing value: width, width of the envelope, and whether the truth is outside."""
    sd = case.series.std(axis=1, ddof=1)
    for name, (lower, upper) in all_value_bounds(case.seen()).items():
        truth = case.series[:, int(name)]
        low, high = (bound[:, int(name)] for bound in case.envelope)
        yield (upper - lower) / sd, (high - low) / sd, (truth < lower) | (truth > upper)


def letters_of(case: Draw) -> Iterator[tuple[np.ndarray, ...]]:
    """Of each missing letter: how far off, how many candidates, guessed, whether outside."""
    for at in sorted(set(case.values) - set(case.patterns)):
        found = letter_of(case.seen(), str(at))
        letter, first, last = (part.astype(np.int64) for part in found)
        truth = true_letters(case, at)
        sure = np.full(len(truth), guessed(case.level, truth) / len(truth))
        yield abs(letter - truth), last - first + 1, sure, (truth < first) | (truth > last)


def narrowed(case: Draw) -> float:
    refined = refined_bounds(case.seen())
    before = sum(np.sum(case.envelope[1][:, int(t)] - case.envelope[0][:, int(t)]) for t in refined)
    after = sum(np.sum(upper - lower) for lower, upper in refined.values())
    return float(1 - after / before)


def row(cases: list[Draw]) -> str:
    start = time.perf_counter()
    of_values = [part for case in cases for part in values_of(case)]
    of_letters = [part for case in cases for part in letters_of(case)]
    narrow = np.mean([narrowed(case) for case in cases])
    seconds = (time.perf_counter() - start) / len(cases)
    width, own, wrong = (np.concatenate(part) for part in zip(*of_values, strict=True))
    off, candidates, sure, outside = (np.concatenate(p) for p in zip(*of_letters, strict=True))
    finite = np.isfinite(width)
    level = np.mean([case.level.mean() for case in cases])
    return (
        f"{level:.1f} | {finite.mean():.0%} | {np.median(width[finite]):.2f} | "
        f"{np.median(own):.2f} | {narrow:.1%} | {(off == 0).mean():.0%} | {(off <= 1).mean():.0%} "
        f"| {sure.mean():.0%} | {candidates.mean():.1f} | {wrong.sum() + outside.sum()} "
        f"| {seconds:.2f}"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--series", type=int, default=6553)
    options.add_argument("--draws", type=int, default=10)
    options.add_argument("--k", type=int, default=10)
    options.add_argument("--P", type=int, default=3)
    chosen = options.parse_args()
    rng = np.random.default_rng(1)
    print(
        "| walks | grouped | overlap | level | finite | width | envelope | narrowed | letter "
        "| ± 1 | guess | candidates | outside | seconds |"
    )
    print("|" + "---|" * 14)
    series = {kind: walks(chosen.series, kind, rng) for kind in ("cut", "own")}
    for kind, by in product(series, ("series", "pattern", "fixed")):
        for share in (0.2, 0.4, 0.6, 0.8):
            cases = [
                draw(series[kind], share, by, chosen.k, chosen.P, rng) for _ in range(chosen.draws)
            ]
            print(f"| {kind} | {by} | {share:.0%} | {row(cases)} |", flush=True)


if __name__ == "__main__":
    main()
