"""The record of a search, as the owner's ledger keeps it, read into plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

__all__ = ["LeastView", "Node", "Search"]

Steps = tuple[int, ...]
"""One step for each ladder, in the order of the ladders."""


@dataclass(frozen=True)
class Node:
    """One view that the search looked at, or could rule in or out without looking."""

    granularity: str
    steps: Steps
    holds: bool
    measured: bool
    because: str
    counts: Mapping[str, int]

    @property
    def lost_rows(self) -> int | None:
        """Rows that this view could not publish, if it was measured."""
        if "failing_rows" not in self.counts:
            return None
        return int(self.counts["failing_rows"]) + int(self.counts.get("outside", 0))


@dataclass(frozen=True)
class LeastView:
    """One minimal view that keeps the promise, and what it costs."""

    granularity: str
    steps: Steps
    smallest: int
    people: int
    length_days: float
    suppressed_rows: int
    suppressed_share: Fraction
    quasi_loss: Fraction


@dataclass(frozen=True)
class Search:
    """What was searched, what was found, and why."""

    rows: int
    subjects: int
    recorded_by: str
    names: tuple[str, ...]
    """The granularities of the search, from fine to coarse."""
    edges: tuple[tuple[str, str], ...]
    dropped: Mapping[str, str]
    ladders: Mapping[str, tuple[str, ...]]
    nodes: tuple[Node, ...]
    answers: tuple[LeastView, ...]

    @property
    def chosen(self) -> LeastView | None:
        """The answer that was published."""
        return self.answers[0] if self.answers else None

    def at(self, steps: Steps) -> dict[str, Node]:
        """The nodes with these steps of the ladders, by granularity."""
        return {node.granularity: node for node in self.nodes if node.steps == steps}

    def named(self, steps: Steps) -> dict[str, str]:
        """Each step in plain words, by column."""
        chosen = zip(self.ladders.items(), steps, strict=True)
        return {column: words[step] for (column, words), step in chosen}

    def state(self, granularity: str, steps: Steps) -> str:
        """What is known of a view: published, minimal, holds, fails or unknown."""
        here = [(answer.granularity, answer.steps) for answer in self.answers]
        if (granularity, steps) in here:
            return "published" if here.index((granularity, steps)) == 0 else "minimal"
        node = self.at(steps).get(granularity)
        if node is None:
            return "unknown"
        return "holds" if node.holds else "fails"

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Search:
        """Read the record; what it leaves out is taken as empty."""
        ladders = {name: tuple(words) for name, words in record.get("ladders", {}).items()}
        order = record["order"]

        def steps(given: Mapping[str, Any]) -> Steps:
            return tuple(int(given.get("steps", {}).get(name, 0)) for name in ladders)

        return cls(
            rows=int(record["rows"]),
            subjects=int(record["subjects"]),
            recorded_by=str(record.get("recorded_by", "instant")),
            names=tuple(order["names"]),
            edges=tuple((fine, coarse) for fine, coarse in order["edges"]),
            dropped=dict(order.get("dropped", {})),
            ladders=ladders,
            nodes=tuple(_node(given, steps(given)) for given in record.get("nodes", ())),
            answers=tuple(_answer(given, steps(given)) for given in record.get("answers", ())),
        )


def _node(given: Mapping[str, Any], steps: Steps) -> Node:
    return Node(
        granularity=given["granularity"],
        steps=steps,
        holds=given["state"] == "holds",
        measured=bool(given.get("measured", False)),
        because=str(given.get("because") or ""),
        counts=dict(given.get("counts") or {}),
    )


def _answer(given: Mapping[str, Any], steps: Steps) -> LeastView:
    smallest, people = given["gen_c"]
    return LeastView(
        granularity=given["granularity"],
        steps=steps,
        smallest=int(smallest),
        people=int(people),
        length_days=float(given["mean_length_days"]),
        suppressed_rows=int(given["suppressed_rows"]),
        suppressed_share=Fraction(str(given["suppressed_share"])),
        quasi_loss=Fraction(str(given["quasi_loss"])),
    )
