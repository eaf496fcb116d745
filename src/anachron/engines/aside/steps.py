"""What is done to a piece, until somebody asks for its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anachron.engines.base import COUNT, Kernel, Summary
from anachron.engines.local.rows import LocalRows
from anachron.engines.spark.steps import Chosen, Found, Mapped
from anachron.engines.spark.steps import Step as Kept

__all__ = ["Chosen", "Found", "Mapped", "Replaced", "Step", "Summed", "needed"]


@dataclass(frozen=True, eq=False)
class Replaced:
    """Put what a kernel makes of a piece in its place."""

    kernel: Kernel
    reads: frozenset[str]

    def __call__(self, rows: LocalRows) -> LocalRows:
        """Let the kernel see a whole piece."""
        return rows.by("", self.kernel)


@dataclass(frozen=True, eq=False)
class Summed:
    """Put one row for each combination of keys in the place of a piece."""

    keys: Sequence[str]
    summary: Summary

    @property
    def reads(self) -> frozenset[str]:
        """The keys, and what is added up."""
        return frozenset((*self.keys, *(of for _, of in self.summary.values())))

    @property
    def again(self) -> Summed:
        """How counts of batches become counts of all."""
        how = {name: (how, name) for name, (how, _) in self.summary.items()}
        return Summed(self.keys, {COUNT: ("sum", COUNT), **how})

    def __call__(self, rows: LocalRows) -> LocalRows:
        """Count a piece."""
        found = rows.counts(self.keys, self.summary)
        return LocalRows.of(found.collect(*self.keys, COUNT, *self.summary))


Step = Kept | Replaced | Summed


def needed(
    steps: Sequence[Step], wanted: frozenset[str]
) -> tuple[tuple[Step, ...], frozenset[str]]:
    """The steps without which some columns cannot be made, and the columns they begin with."""
    kept: list[Step] = []
    for step in reversed(steps):
        if isinstance(step, Replaced | Summed):
            kept.append(step)
            wanted = step.reads
        elif isinstance(step, Chosen) or step.makes & wanted:
            kept.append(step)
            wanted = (wanted - step.makes) | step.reads
    return tuple(kept[::-1]), wanted
