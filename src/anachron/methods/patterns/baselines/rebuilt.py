"""What is left of every series after a baseline has published it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.envelopes import envelopes
from anachron.methods.patterns.losses import distances, value_losses
from anachron.methods.patterns.planned import Figures

__all__ = ["Rebuilt"]


@dataclass(frozen=True)
class Rebuilt:
    """The group of each series, and the series that a reader rebuilds for it."""

    group: Array
    """Number of the group whose members cannot be told apart; −1 if suppressed."""
    series: Floats
    """One row for each series, up to its mean and scale; 0 if suppressed."""

    def figures(self, series: Floats) -> Figures:
        """Measure what is lost of the published series, as for (k,P)-anonymity."""
        published = self.group >= 0
        low, high = envelopes(series, self.group)
        size = np.bincount(self.group[published], minlength=len(low))
        lost = distances(series[published], self.series[published])
        return Figures(
            float(value_losses(low, high) @ size) if len(low) else 0.0,
            float(lost.sum()),
            int(np.count_nonzero(~published)),
            len(low),
            len(low),
        )
