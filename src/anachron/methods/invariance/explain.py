"""For the owner: how a release of a register came about, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anachron.engines.base import Table
from anachron.guarantees import MInvariance
from anachron.methods.outcome import Explanation

if TYPE_CHECKING:
    from anachron.methods.invariance.plan import Figures, Plan
    from anachron.methods.vocabulary import Vocabulary

__all__ = ["RegisterExplained", "explain"]


@dataclass(frozen=True)
class RegisterExplained(Explanation):
    """How the next release of a register came about, in numbers."""

    m: int
    mode: str
    rows: int
    subjects: int
    figures: Figures
    groups: int
    signatures: int
    smallest_signature: int

    @property
    def published(self) -> int:
        """How many rows the release has."""
        left_out = self.figures.held + self.figures.refused
        return self.subjects - left_out + self.figures.counterfeits


def explain(
    table: Table, promise: MInvariance, planned: Plan, values: Vocabulary
) -> RegisterExplained:
    """Tell what a plan comes to."""
    groups = planned.groups
    used = sorted({int(s) for s in groups.signature})
    sizes = [len(planned.signatures[s]) for s in used]
    return RegisterExplained(
        method=promise.method,
        notes=[*table.notes, *values.notes],
        m=promise.m,
        mode=promise.mode,
        rows=table.rows,
        subjects=table.subjects,
        figures=planned.figures,
        groups=len(groups.signature),
        signatures=len(used),
        smallest_signature=min(sizes, default=0),
    )
