"""What the command line tells, what is proposed, and what can be tried and explored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anachron.cli.answer import aligned
from anachron.exploring.common import ATTACK
from anachron.exploring.yardsticks import Exploring, Resolution, Yardstick
from anachron.proposing.promises import Promising
from anachron.release import Release
from anachron.trying.figures import Figures, Trying, cost
from anachron.trying.rehearsing import rehearsing
from tests.house.toy.promise import Frequent


def summary(release: Release, told: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Say who was published."""
    people = told["people"]
    facts = [("People", f"{people:,} with at least {release.guarantee['n']} rows")]
    return {"people": people}, aligned(facts)


PROPOSAL = Promising(
    lambda _k, _draft: Frequent(n=2),
    {"n": "Whoever has fewer rows is left out."},
    has_time=False,
)


@dataclass(frozen=True)
class FrequentFigures(Figures):
    """What a setting comes to."""

    people: int = cost("people")


TRIAL = Trying(
    FrequentFigures, rehearsing(lambda found: FrequentFigures(found[0][-1]["people"])), draws=False
)


FRONTIER = Exploring(
    (
        ATTACK,
        Yardstick("people", "loss", "people", more=True, told=lambda figures, _: figures.people),
    ),
    lambda own: {"n": sorted({2, 3, own.n})},
    lambda _own, _figures: Resolution(""),
)
