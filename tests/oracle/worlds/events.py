"""Play a table of events, which is released once, through the engine that counts and sorts it.

Nothing is promised of what people have in common, but of which rows are whose: every row carries a
mark of its own as its sensitive value, and the adversary guesses whose it is.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction

import pyarrow as pa

import anachron as an
from anachron.engines.local.load import load
from anachron.making.conduct import courses, make
from anachron.making.course import Work
from tests.oracle.worlds.desk import Book, Desk, watched
from tests.oracle.worlds.play import (
    HIDDEN,
    REFUSED,
    SHOWN,
    Ending,
    Player,
    names_of,
    quiet,
    refusing,
)
from tests.oracle.worlds.story import Story, World

__all__ = ["Events"]


class Events(Player):
    """Nothing is drawn: a world has one ending."""

    def __init__(self, story: Story) -> None:
        super().__init__(story)
        [(self._names, _)] = list(names_of(story))[:1]
        self.schema = an.Schema(subject="who", time="day", quasi=story.columns, sensitive="ill")

    def all_endings(self, world: World) -> Iterator[tuple[Ending, Fraction]]:
        yield self.ending(world, random.Random(0)), Fraction(1)

    def ending(self, world: World, rng: random.Random, full: bool = False) -> Ending:
        rows = self.story.records
        people = [self.story.people[r.person] for r in rows]
        table = pa.table({
            "who": [p.name for p in people],
            "day": [f"2024-05-{6 + r.at:02d}" for r in rows],
            **{c: [p.quasi[i] for p in people] for i, c in enumerate(self.story.columns)},
            "ill": [world[r.slot] for r in rows],
        })  # fmt: skip
        desk, looked = Desk(Book(), self._names), []
        with closing(load(table, self.schema)) as held, watched(looked):
            work = Work(self.schema, self.story.promise, False, quiet)
            [course] = courses(work, held, end=True)
            refused = refusing(lambda: make(course, work, desk))
        seen = REFUSED if refused else looked[0]
        shown = str(seen)
        fates = tuple(SHOWN if repr(world[r.slot]) in shown else HIDDEN for r in rows)
        return Ending((seen,), fates)
