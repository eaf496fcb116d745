"""How the published view was chosen: what was counted, why others fail, what answers cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from anachron.reporting.granularity.picture import Picture, picture
from anachron.reporting.granularity.search import Answer, Node, Search, Steps

__all__ = ["Failure", "Reasons"]

MOST_ROWS = 30
"""So many combinations of steps are shown."""


@dataclass(frozen=True)
class Failure:
    """One reason, and all granularities that fail for it with these steps."""

    granularities: tuple[str, ...]
    steps: Steps
    because: str
    lost: Fraction | None
    """The share of rows that could not be published, if it was counted."""


@dataclass(frozen=True)
class Reasons:
    """A search that found something."""

    search: Search
    chosen: Answer

    @property
    def views(self) -> int:
        """How many were on offer: the record of a large search leaves out what was not counted."""
        return len(self.search.names) * prod(len(words) for words in self.search.ladders.values())

    @property
    def counted(self) -> int:
        """How many of them had to be counted."""
        return sum(node.measured for node in self.search.nodes)

    @property
    def combinations(self) -> list[Steps]:
        """Every combination of steps that was counted, those with an answer first."""
        answered = {answer.steps for answer in self.search.answers}
        counted = {node.steps for node in self.search.nodes if node.measured} | answered
        return sorted(counted, key=lambda steps: (steps not in answered, sum(steps), steps))

    @property
    def rows(self) -> list[Steps]:
        """The combinations to show, finest first."""
        return sorted(self.combinations[:MOST_ROWS], key=lambda steps: (sum(steps), steps))

    @property
    def seen(self) -> set[str]:
        """The states that are shown."""
        every = [self.chosen.steps, *(self.rows if self.search.ladders else ())]
        return {self.search.state(name, steps) for name in self.search.names for steps in every}

    @property
    def picture(self) -> Picture:
        """The granularities, with the steps that were chosen."""
        return picture(self.search, self.chosen.steps)

    @property
    def dropped(self) -> Mapping[str, list[str]]:
        """What was offered but not searched, by the reason."""
        together: dict[str, list[str]] = {}
        for granularity, reason in self.search.dropped.items():
            together.setdefault(reason, []).append(granularity)
        return together

    @property
    def failures(self) -> list[Failure]:
        """Why views fail that are no coarser than the answer in any ladder."""
        place = {granularity: i for i, granularity in enumerate(self.search.names)}
        failing = [
            node
            for node in self.search.nodes
            if not node.holds
            and all(a <= b for a, b in zip(node.steps, self.chosen.steps, strict=True))
        ]
        failing.sort(key=lambda node: (not node.measured, -place[node.granularity], node.steps))
        together: dict[tuple[Steps, str], list[Node]] = {}
        for node in failing:
            together.setdefault((node.steps, node.because), []).append(node)
        return [self._failure(nodes) for nodes in together.values()]

    def _failure(self, nodes: list[Node]) -> Failure:
        lost = nodes[0].lost_rows
        return Failure(
            granularities=tuple(node.granularity for node in reversed(nodes)),
            steps=nodes[0].steps,
            because=nodes[0].because,
            lost=None if lost is None else Fraction(lost, max(self.search.rows, 1)),
        )
