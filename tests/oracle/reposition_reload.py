"""Feeds whose planner is written down and read back at every arrival, beside one that never is.

The memory goes the way of a real feed: a table with metadata, a Parquet file of the ledger, and
back. Both planners must say the same at every arrival and at the end, wherever the feed ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from anachron.ledger import feed as memories
from anachron.methods.reposition.memory import FeedMemory, from_table, to_table
from anachron.methods.reposition.plan import Due, Rule, Window, arrive, begin, finish, late
from tests.oracle.reposition_feeds import FORMS, LEVELS, Case, rows

_KEY = bytes(32)


@dataclass
class Reloaded:
    """What a run saw."""

    feeds: int = 0
    reloads: int = 0
    recoded: int = 0
    """Windows in which the values that have places are not all that the plan knows of."""


def draw(rng: np.random.Generator) -> Case:
    """A short feed of few values, which come one after the other and may stay away again."""
    window = int(rng.choice([1, 2, 3, 4, 5, 8]))
    number = int(rng.integers(2, 7))
    rule = Rule(
        LEVELS[rng.integers(len(LEVELS))],
        window,
        FORMS[str(rng.choice(list(FORMS)))](window),
        Fraction(int(rng.choice([1, 3, 10, 20]))),
        {int(rng.integers(number)): Fraction(7, 2)} if rng.random() < 0.3 else {},
        solver="rolling" if rng.random() < 0.3 else "recycle",
        first="exact" if rng.random() < 0.5 else "cold",
    )
    length = int(rng.integers(1, 9))
    feed = []
    for at in range(length):
        known = min(number, 1 + at + int(rng.integers(3)))
        share = rng.dirichlet(np.full(known, 0.7))
        empty = rng.random() < 0.25
        feed.append(tuple(rng.multinomial(0 if empty else int(rng.integers(1, 6)), share).tolist()))
    coming = []
    for at in range(1, length):
        if rng.random() < 0.2:
            home = at - 1 - int(rng.integers(0, min(window, at)))
            coming.append((at, home, tuple(rng.integers(0, 2, int(rng.integers(1, number + 1))))))
    return Case(rule, tuple(feed), tuple(coming))


def written_and_read(window: Window, folder: Path) -> Window:
    """The window as the next process finds it."""
    table = to_table(FeedMemory(plan={"guarantee": {"then": "anatomy"}}, window=window))
    return from_table(memories.read(folder, memories.write(folder, 1, table, _KEY), _KEY)).window


def said(dues: list[Due]) -> list[object]:
    return [(d.position, rows(d), rows(d.suppressed), d.proved) for d in dues]


def play(case: Case, folder: Path, seen: Reloaded) -> None:
    """Play a feed twice at once: kept in memory, and read back before everything that happens."""
    rule = case.rule
    kept = begin(rule)
    again = written_and_read(kept, folder)
    for newest, counts in enumerate(case.feed):
        for at, home, more in case.late:
            if at == newest and kept.start <= home < kept.next:
                kept = late(kept, rule, home, np.array(more))
                again = written_and_read(late(again, rule, home, np.array(more)), folder)
        kept, dues = arrive(kept, rule, np.array(counts))
        other, dues_again = arrive(again, rule, np.array(counts))
        assert said(dues) == said(dues_again), (case, newest)
        again = written_and_read(other, folder)
        seen.reloads += 1
        seen.recoded += again.values < kept.values or bool({*kept.strands} - _placed(kept))
        assert _alike(kept, again), (case, newest)
        if rule.solver == "recycle" or newest == len(case.feed) - 1:
            assert said(finish(kept, rule)) == said(finish(again, rule)), (case, newest)
    seen.feeds += 1


def _placed(window: Window) -> set[int]:
    return {int(value) for row in window.places for value in np.flatnonzero(row)}


def _alike(kept: Window, again: Window) -> bool:
    one, other = kept.to_arrays(), again.to_arrays()
    return sorted(kept.batches()) == sorted(again.batches()) and all(
        np.array_equal(one[name], other[name]) for name in one
    )
