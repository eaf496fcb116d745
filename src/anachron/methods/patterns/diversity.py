"""l-diversity of each P-subgroup: who shares a pattern does not share a sensitive value.

In every P-subgroup at most 1/l of the members have a sensitive value within a given distance of
any number. P-subgroups that break this are merged with the one whose union loses least in
value, until they keep it; the merged one is published at a level where all its members agree.

Notes
-----
Stronger than Section 5.4 of Shou et al., see ``perturb``: no value is changed, values that are
nearly the same count as the same, and the promise is made for the P-subgroups themselves, not
for sets of them that overlap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.errors import GuaranteeError
from anachron.methods.patterns.tree import Array, Floats

__all__ = ["Diversity", "diverse"]


@dataclass(frozen=True)
class Diversity:
    """What each P-subgroup must hold."""

    values: Floats
    """The sensitive value of each series, or its number where values are not numbers."""
    l: int  # noqa: E741
    """At most 1/l of the members have about the same value."""
    distance: float = 0.0
    """Values at most this far apart are about the same."""

    def of(self, rows: Array) -> Diversity:
        """Give the same for some of the series."""
        return Diversity(self.values[rows], self.l, self.distance)


def diverse(series: Floats, part: Array, wanted: Diversity, within: Array | None = None) -> Array:
    """Merge parts until each is diverse; only those that ``within`` gives the same number."""
    from anachron.kernels.envelopes import envelopes
    from anachron.kernels.merging import merge_crowded

    low, high = envelopes(series, part)
    cell = np.zeros(len(low), dtype=np.int64)
    if within is not None:
        cell[part] = within
    values = np.ascontiguousarray(wanted.values, dtype=np.float64)
    into, done = merge_crowded(low, high, part, cell, values, wanted.l, wanted.distance)
    if not done:
        raise GuaranteeError(
            f"More than 1/{wanted.l} of all series have about the same sensitive value, so no "
            "grouping is diverse. Ask for a smaller l or a smaller distance."
        )
    return into[part]
