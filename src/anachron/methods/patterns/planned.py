"""What a plan of (k, P)-anonymity says of every series."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.envelopes import envelopes
from anachron.methods.patterns.losses import pattern_losses, value_losses

__all__ = ["Figures", "Groups"]


@dataclass(frozen=True)
class Figures:
    """What a plan costs."""

    value_loss: float
    pattern_loss: float
    """Both summed over the published series."""
    suppressed: int
    groups: int
    subgroups: int


@dataclass(frozen=True)
class Groups:
    """The k-group, the P-subgroup and the level of each series."""

    group: Array
    """Number of the k-group; −1 if suppressed."""
    subgroup: Array
    """Number of the P-subgroup, through all groups; −1 if suppressed."""
    level: Array
    """Level of the published word; 0 if suppressed."""
    bad: int
    """Series that a bad leaf held, before recycling or post-processing."""

    def figures(self, series: Floats, z: Floats) -> Figures:
        """Measure the losses of this plan for the series and their normalised form."""
        published = self.group >= 0
        low, high = envelopes(series, self.group)
        size = np.bincount(self.group[published], minlength=len(low))
        return Figures(
            float(value_losses(low, high) @ size),
            float(pattern_losses(z[published], self.level[published]).sum()),
            int(np.count_nonzero(~published)),
            len(low),
            int(self.subgroup.max(initial=-1)) + 1,
        )
