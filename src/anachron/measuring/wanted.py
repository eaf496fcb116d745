"""What a workload is to be like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from anachron.errors import InputError, Problem

__all__ = ["Tell", "Wanted"]

Tell = Callable[[str, float], None]
"""Hears what is being done, and which share of the work is done."""


@dataclass(frozen=True)
class Wanted:
    """How many questions are asked, and how they are drawn."""

    questions: int = 1000
    seed: int = 0
    theta: float = 0.1
    """The share of the table that a question is about, were values spread evenly."""
    window: int | None = None
    """How many snapshots or granules a window has; if None, a share as of other columns."""
    dimensions: int | None = None
    """How many quasi columns, or predicates on series of a kind, a question has."""

    def __post_init__(self) -> None:
        problems = list(self._problems())
        if problems:
            raise InputError(problems)

    def _problems(self) -> Iterator[Problem]:
        for name in ("questions", "window", "dimensions"):
            number = getattr(self, name)
            if number is not None and number < 1:
                yield Problem(f"{name} must be 1 or more.")
        if not 0 < self.theta <= 1:
            yield Problem("theta must be above 0 and at most 1; it is a share of the table.")
        if self.seed < 0:
            yield Problem("the seed must not be negative.")

    def settings(self) -> dict[str, float | int | None]:
        """Give all as plain values, but for the seed."""
        return {name: value for name, value in asdict(self).items() if name != "seed"}
