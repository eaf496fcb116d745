"""How good a plan was: information loss, what was moved and suppressed, and how far.

The measure is that of the paper's equation (2): what each moved record costs by its distance,
and each suppressed one by its value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array
from anachron.methods.reposition.rule import Rule
from anachron.methods.reposition.window import Due

__all__ = ["Measures", "measure"]


@dataclass(frozen=True)
class Measures:
    """Figures of a feed that was published to the end."""

    records: int
    distances: tuple[int, ...]
    """Published records by distance from home: 0, 1, …"""
    loss: Fraction

    @property
    def published(self) -> int:
        """Records that were published."""
        return sum(self.distances)

    @property
    def moved(self) -> int:
        """Records that were published after their home."""
        return sum(self.distances[1:])

    @property
    def suppressed(self) -> int:
        """Records that were not published."""
        return self.records - self.published

    @property
    def moved_share(self) -> float:
        """Share of all records that were published after their home."""
        return self.moved / self.records if self.records else 0.0

    @property
    def suppressed_share(self) -> float:
        """Share of all records that were not published."""
        return self.suppressed / self.records if self.records else 0.0


def measure(
    dues: Iterable[Due],
    arrived: Sequence[Array],
    rule: Rule,
    mu: Sequence[Fraction] | None = None,
) -> Measures:
    """Measure what was published against all that arrived.

    Parameters
    ----------
    dues
        All snapshots, up to the end of the feed.
    arrived
        Records of each value, snapshot by snapshot; late records with their home.
    mu
        What each distance costs, where records move further than the rule allows.
    """
    costs = rule.mu if mu is None else tuple(mu)
    distances = np.zeros(len(costs), dtype=np.int64)
    hidden = np.zeros(max((len(counts) for counts in arrived), default=0), dtype=np.int64)
    for counts in arrived:
        hidden[: len(counts)] += counts
    records = int(hidden.sum())
    for due in dues:
        np.add.at(distances, due.position - due.home, due.count)
        np.subtract.at(hidden, due.value, due.count)
    if (hidden < 0).any():
        raise ValueError("more records were published than arrived")
    moving = sum((mu * n for mu, n in zip(costs, distances.tolist(), strict=True)), Fraction(0))
    hiding = sum(rule.hiding(value) * n for value, n in enumerate(hidden.tolist()))
    return Measures(records, tuple(distances.tolist()), moving + Fraction(hiding, rule.scale))
