"""Random histories of a table, released again and again, and checked after every release."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from anachron.methods.invariance.lots import KeyedLots
from anachron.methods.invariance.rule import Rule
from tests.oracle.invariance import check_release
from tests.oracle.invariance_worlds import pseudonym, pseudonyms
from tests.oracle.snapshots import Held, Plan, Snapshot, plan


class History:
    """A population that comes, leaves, returns and changes."""

    def __init__(self, seed: int, rule: Rule, people: int = 40, changes: float = 0.05) -> None:
        self.rng = np.random.default_rng(seed)
        self.rule, self.changes = rule, changes
        self.value = self.rng.integers(0, rule.domain, people)
        self.quasi = self.rng.integers(0, 9, (people, 2)).astype(float)
        self.present = self.rng.random(people) < 0.4
        self.last: dict[int, int] = {}
        self.memory = Held()
        self.signatures: dict[int, list[tuple[int, ...]]] = defaultdict(list)
        self.place: dict[int, int] = {}
        self.places: set[int] = set()
        """The standing groups of sticky mode: that of each person, and all of before."""
        self.inside = 0
        """How often a value changed to another one of its signature."""
        self.release = 0
        self.counterfeits = self.rows = 0

    def move(self) -> None:
        """Some leave, some come or return, some change their value, some their quasi values."""
        flips = self.rng.random(len(self.present)) < 0.2
        self.present ^= flips
        changed = self.rng.random(len(self.present)) < self.changes
        self.value[changed] = self.rng.integers(0, self.rule.domain, int(changed.sum()))
        moved = self.rng.random(len(self.present)) < 0.1
        self.quasi[moved] += self.rng.integers(-1, 2, (int(moved.sum()), 2))

    def publish(self) -> Plan:
        """Plan a release of who is present, in any order, and check it."""
        self.release += 1
        people = self.rng.permutation(np.flatnonzero(self.present))
        snapshot = Snapshot(
            pseudonyms(people.tolist()),
            self.value[people].copy(),
            self.quasi[people].copy(),
            np.array([self.last.get(p, self.value[p]) != self.value[p] for p in people.tolist()],
                     dtype=bool),
        )  # fmt: skip
        made = plan(snapshot, self.memory, self.rule, KeyedLots(b"key", self.release))
        self.check(people, snapshot, made)
        self.memory = made.memory
        return made

    def check(self, people: np.ndarray, snapshot: Snapshot, made: Plan) -> None:
        groups = made.groups
        signature = [made.memory.signatures[s] for s in groups.signature]
        shown = np.flatnonzero(made.group >= 0)
        check_release(
            dict(enumerate(zip(signature, groups.counterfeits.tolist(), strict=True))),
            zip(made.group[shown].tolist(), snapshot.values[shown].tolist(), strict=True),
            self.rule.m,
            self.stood(made),
        )
        assert (groups.low[made.group[shown]] <= snapshot.quasi[shown]).all()
        assert (groups.high[made.group[shown]] >= snapshot.quasi[shown]).all()
        for row in shown.tolist():
            person, mine = int(people[row]), signature[made.group[row]]
            for earlier in self.signatures[person]:
                assert earlier == mine or set(earlier).isdisjoint(mine)
            inside = person in self.last and self.value[person] in self.signatures[person][-1]
            if inside:
                assert mine == self.signatures[person][-1]
            if groups.standing is not None:
                place = int(groups.standing[made.group[row]])
                assert inside == (place in self.places)
                assert not inside or self.place[person] == place
                self.place[person] = place
            if inside and self.last[person] != self.value[person]:
                self.inside += 1
            self.signatures[person].append(mine)
            self.last[person] = int(self.value[person])
        self.places |= set(self.place.values())
        self.check_memory(made.memory)
        self.counterfeits += made.figures.counterfeits
        self.rows += len(shown) + made.figures.counterfeits
        if self.rule.mode != "paper":
            assert made.figures.filled == 0
        if self.rule.when_ineligible == "refuse":
            assert not len(made.held)

    def stood(self, made: Plan) -> list[int]:
        """The groups of sticky mode that stood before, of which values may be the same."""
        if made.groups.standing is None:
            return []
        return [g for g, n in enumerate(made.groups.standing.tolist()) if n in self.places]

    def check_memory(self, memory: Held) -> None:
        known = [who.tobytes() for who in memory.subjects]
        assert known == sorted(pseudonym(p) for p in self.signatures)
        latest = dict(zip(known, memory.latest.tolist(), strict=True))
        for person, history in self.signatures.items():
            who = pseudonym(person)
            assert memory.signatures[latest[who]] == history[-1]
            earlier = {memory.signatures[s] for s in memory.earlier.get(who, ())}
            assert earlier == set(history) - {history[-1]}


def run(seed: int, rule: Rule, releases: int, people: int = 40) -> History:
    """Play a history through."""
    history = History(seed, rule, people)
    for _ in range(releases):
        history.publish()
        history.move()
    return history
