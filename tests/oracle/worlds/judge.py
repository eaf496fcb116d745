"""What an adversary believes after each thing that can be seen, against what was promised.

Notes
-----
If all draws were gone through, beliefs are exact, and any chance above the bound is one too
many. If runs were drawn by lot (a world, and lots, as they fall), the runs that end with the
same output hold somebody's value v as often as a binomial says, and only a frequency that a chance
up to the bound would hardly ever show counts as above it: once in a thousand verdicts, for all
that is looked at together. ``power`` says what such a verdict could have seen.

A feed promises nothing to those who are not published on time: they had a value that was too
frequent, and it can be seen who they are. To those who are it promises 1/l, even if everybody were
told who is on time. So two beliefs are asked for, one given that the record is in its own snapshot,
and one given that it is not, which is *admitted*.

A register that is not published at all, because too many of its new people share a value, tells
that they do. Of stories in which nobody knows their values beforehand that is admitted, too, and
counted by itself.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from scipy.stats import binom

import anachron as an
from tests.oracle.worlds.play import HIDDEN, REFUSED, Player
from tests.oracle.worlds.story import Story, World

__all__ = ["Belief", "Verdict", "judge", "judge_by_lot"]

_DOUBT = 1e-3
"""The chance that a verdict by lot finds something where there is nothing."""


@dataclass(frozen=True)
class Belief:
    """How sure the adversary is of somebody's value, after something was seen."""

    chance: Fraction
    person: str
    start: int
    """The snapshot from which on they have the value."""
    value: str
    seen: tuple[object, ...]
    hidden: Fraction
    """How likely it is that their record is not in its own snapshot: 1 if it can be seen."""
    likely: Fraction
    """How likely it is that this is seen, and what is given besides is so."""
    left: int
    """How many values they may have."""

    @property
    def missing(self) -> bool:
        """Whether everybody can see that the record is not where it belongs."""
        return self.hidden == 1

    def __str__(self) -> str:
        place = " (seen to be missing)" if self.missing else ""
        return f"{self.person} has {self.value}: {float(self.chance):.3f}{place}"


@dataclass(frozen=True)
class Verdict:
    """What came of a story."""

    story: Story
    worlds: int
    outputs: int
    worst: Belief
    promised: Belief
    """The worst of those about which something is promised."""
    above: tuple[Belief, ...]
    """Beliefs above the bound; for each output and person, the strongest."""
    runs: int | None = None
    """How many runs were drawn, if they were."""
    power: float = 0.0
    """The least chance that would have been seen above the bound, in half of all runs."""
    refused: float = 0.0
    """How likely it is that something is refused."""
    fewest: int = 0
    """The fewest values that anybody may have, after something was seen and nothing refused."""

    @property
    def holds(self) -> bool:
        return not self.broken

    @property
    def broken(self) -> tuple[Belief, ...]:
        """Beliefs above the bound that was promised: of feeds, about people who are on time."""
        found = self.unadmitted if self.story.on_time else self.above
        return tuple(belief for belief in found if belief not in set(self.after_refusals))

    @property
    def after_refusals(self) -> tuple[Belief, ...]:
        """Beliefs above the bound that no promise covers, because a refusal became known."""
        tells = self.story.refusals_tell
        return tuple(b for b in self.above if tells and REFUSED in b.seen)

    @property
    def outputs_above(self) -> int:
        return len({belief.seen for belief in self.broken})

    @property
    def unadmitted(self) -> tuple[Belief, ...]:
        """Beliefs above the bound about people who are not seen to be missing."""
        return tuple(belief for belief in self.above if not belief.missing)

    def __str__(self) -> str:
        how = "exact" if self.runs is None else f"{self.runs:,} runs, sees {self.power:.2f}"
        return (
            f"{self.story.name}: {self.worlds:,} worlds, {self.outputs:,} outputs ({how}), "
            f"{self.outputs_above:,} above {self.story.bound}; worst: {self.worst}"
        )


Chances = dict[tuple[World, tuple[str, ...]], Fraction]


def judge(player: Player) -> Verdict:
    """Go through all worlds and all draws."""
    found: dict[tuple[object, ...], Chances] = defaultdict(lambda: defaultdict(Fraction))
    worlds = _weighed(player.story)
    for world, likely in worlds.items():
        for ending, chance in player.all_endings(world):
            found[ending.seen][world, ending.fates] += chance * likely
    before = _prior(player.story, worlds)
    beliefs = [b for seen, chances in found.items() for b in _beliefs(player.story, seen, chances)]
    above = tuple(b for b in beliefs if _too_sure(player.story, b, before[b.person, b.start]))
    return Verdict(
        player.story, len(worlds), len(found), _worst(beliefs), _promised(player.story, beliefs),
        above, refused=_refused(found), fewest=_fewest(beliefs),
    )  # fmt: skip


def _too_sure(story: Story, after: Belief, before: Belief) -> bool:
    if story.even:
        return after.chance > max(story.bound, before.chance)
    # What can become what makes every refusal telling, and nothing else is promised of these.
    return REFUSED not in after.seen and after.left < min(1 / story.bound, before.left)


def _fewest(beliefs: list[Belief]) -> int:
    return min((b.left for b in beliefs if REFUSED not in b.seen), default=0)


def _refused(found: Mapping[tuple[object, ...], Chances]) -> float:
    return float(sum(sum(c.values()) for seen, c in found.items() if REFUSED in seen))


def judge_by_lot(player: Player, runs: int, seed: int) -> Verdict:
    """Draw worlds and lots."""
    rng = random.Random(seed)
    story, worlds = player.story, _weighed(player.story)
    drawn = rng.choices(list(worlds), [float(share) for share in worlds.values()], k=runs)
    if not story.even:
        raise ValueError("what is possible at all is not seen by drawing some runs")
    found: dict[tuple[object, ...], Chances] = defaultdict(lambda: defaultdict(Fraction))
    for world in drawn:
        ending = player.ending(world, rng)
        found[ending.seen][world, ending.fates] += Fraction(1, runs)
    before = _prior(story, worlds)
    looks = len(before) * len({value for world in worlds for value in world}) * len(found)
    beliefs, above = [], []
    for seen, chances in found.items():
        for belief in _beliefs(story, seen, chances):
            times = round(runs * belief.likely)
            beliefs.append(belief)
            bound = max(story.bound, before[belief.person, belief.start].chance)
            if round(belief.chance * times) >= _too_often(times, bound, _DOUBT / looks):
                above.append(belief)
    half = sorted((round(runs * sum(c.values())) for c in found.values()), reverse=True)
    often = next(n for i, n in enumerate(half) if 2 * sum(half[: i + 1]) >= runs)
    power = _seen_from(often, story.bound, _DOUBT / looks)
    return Verdict(
        story, runs, len(found), _worst(beliefs), _promised(story, beliefs), tuple(above), runs,
        power, _refused(found), _fewest(beliefs),
    )  # fmt: skip


def _weighed(story: Story) -> dict[World, Fraction]:
    """All worlds, and how likely each is."""
    worlds = {world: story.likely(world) for world in story.worlds()}
    total = sum(worlds.values())
    return {world: share / total for world, share in worlds.items()}


def _prior(story: Story, worlds: Mapping[World, Fraction]) -> Mapping[tuple[str, int], Belief]:
    """The best guess of each value before anything is seen."""
    chances = {(world, ("",) * len(story.records)): share for world, share in worlds.items()}
    return {(b.person, b.start): b for b in _beliefs(story, (), chances)}


def _beliefs(story: Story, seen: tuple[object, ...], chances: Chances) -> list[Belief]:
    """The best guess of each value after this was seen."""
    found = []
    for slots in _questions(story):
        mine = [i for i, r in enumerate(story.records) if r.slot in slots]
        missing = {fates: all(fates[i] == HIDDEN for i in mine) for _, fates in chances}
        parts = [chances]
        if story.on_time:
            parts = [
                {case: chance for case, chance in chances.items() if missing[case[1]] == hidden}
                for hidden in (False, True)
            ]
        slot = story.slots[slots[0]]
        person = story.people[slot.person].name
        for part in filter(None, parts):
            by_value: dict[str, Fraction] = defaultdict(Fraction)
            hidden = sum((c for (_, fates), c in part.items() if missing[fates]), Fraction(0))
            for (world, _), chance in part.items():
                for value in {world[number] for number in slots}:
                    by_value[value] += chance
            value, of = max(by_value, key=by_value.__getitem__), sum(part.values())
            found.append(
                Belief(
                    by_value[value] / of, person, slot.start, value, seen, hidden / of, of,
                    len(by_value),
                )
            )  # fmt: skip
    return found


def _questions(story: Story) -> list[tuple[int, ...]]:
    """What is guessed: each value; of events, which rows are whose, all of a person together."""
    if not isinstance(story.promise, an.TimeGranularity):
        return [(number,) for number in range(len(story.slots))]
    return [
        tuple(n for n, slot in enumerate(story.slots) if slot.person == person)
        for person in range(len(story.people))
    ]


def _worst(beliefs: list[Belief]) -> Belief:
    return max(beliefs, key=lambda belief: (belief.chance, not belief.missing, belief.likely))


def _promised(story: Story, beliefs: list[Belief]) -> Belief:
    claimed = [
        belief
        for belief in beliefs
        if not (story.on_time and belief.missing)
        and not (story.refusals_tell and REFUSED in belief.seen)
    ]
    return _worst(claimed or beliefs)


@cache
def _too_often(times: int, bound: Fraction, doubt: float) -> int:
    """How often a value must be seen in so many runs for nobody to call it an accident."""
    return int(binom.isf(doubt, times, float(bound))) + 1


@cache
def _seen_from(times: int, bound: Fraction, doubt: float) -> float:
    """The least chance above the bound that so many runs show with a probability of 0.95."""
    need = _too_often(times, bound, doubt)
    chances = (percent / 100 for percent in range(int(100 * bound) + 1, 101))
    return next((p for p in chances if binom.cdf(need - 1, times, p) <= 0.05), float("inf"))
