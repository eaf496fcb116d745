"""What the certificate of an event table is written from, and why it is the view that it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import ClassVar

from anachron.guarantees import TimeGranularity
from anachron.published.ways import Way
from anachron.reporting.certificate import Certificate
from anachron.reporting.granularity.picture import Picture, picture
from anachron.reporting.granularity.search import LeastView, Node, Search, Steps
from anachron.reporting.granularity.shown import EventsShown
from anachron.reporting.opening import Withheld

__all__ = ["EventsPage", "Failure", "Reasons"]

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
    chosen: LeastView

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


class EventsPage(Certificate[TimeGranularity, EventsShown]):
    """A release of events, its promise and, for the owner, its search."""

    template: ClassVar[str] = "granularity.html"

    @cached_property
    def search(self) -> Search | None:
        """The record of the search, if it is at hand."""
        return self.proof.told(Search.read)

    @property
    def granularity(self) -> str:
        """The published granularity."""
        return self.shown.time.granularity.name

    @property
    def reasons(self) -> Reasons | None:
        """Why it is this one, if the record of the search is at hand."""
        if self.search is None or self.search.chosen is None:
            return None
        return Reasons(self.search, self.search.chosen)

    @property
    def steps(self) -> Mapping[str, Way | str]:
        """How columns are published that could be made coarser, in words if the search has them."""
        if self.search is not None and self.search.chosen is not None:
            return self.search.named(self.search.chosen.steps)
        return {column: self.release.form.columns[column] for column, _ in self.promise.ladders}

    @property
    def left_out(self) -> int:
        """How many rows of the table were not published."""
        return int(self.release.form.facts["suppressed_rows"])

    @property
    def withheld(self) -> tuple[Withheld, ...]:
        """The rows that were left out."""
        return (Withheld("rows left out", self.left_out, self.left_out + self.shown.rows),)
