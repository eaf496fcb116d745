"""Random questions about registers, events and feeds: Section 5.2 of Xiao and Tao.

Each question counts the records that lie in a random range of each quasi column (or of some of
them, drawn by lot), of the sensitive column (one of them, if there are several) and of the time.
The ranges of n columns have the share θ^(1/n) of their domains, so that about a share θ of the
table would answer, were its values spread evenly. A window of a given length takes no part in
this: what Wang et al. ask of feeds, a predicate and a window, is drawn so.

Xiao, Tao: *m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets*, SIGMOD
2007. Wang, Xu, Wong, Fu: *Anonymizing Temporal Data*, ICDM 2010.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from anachron.asking.catalogue import Catalogue
from anachron.asking.question import All, Condition
from anachron.measuring.axes import Axis, TimeAxis, axis_of
from anachron.measuring.truth import PlainColumn

__all__ = ["Workload", "workload_of"]


@dataclass(frozen=True, eq=False)
class Workload:
    """The domains that questions are drawn from."""

    quasi: tuple[Axis, ...]
    sensitive: tuple[Axis, ...]
    time: TimeAxis | None
    theta: float
    dimensions: int | None
    """How many quasi columns a question names; all if it is not said."""

    def draw(self, rng: np.random.Generator) -> Condition:
        """Draw one question."""
        axes: list[Axis] = list(self.quasi)
        if self.dimensions is not None and self.dimensions < len(axes):
            chosen = np.sort(rng.permutation(len(axes))[: self.dimensions])
            axes = [axes[i] for i in chosen.tolist()]
        if self.sensitive:
            axes.append(self.sensitive[int(rng.integers(len(self.sensitive)))])
        shared = len(axes) + (self.time is not None and self.time.window is None)
        share = self.theta ** (1 / shared) if shared else 1.0
        if self.time is not None:
            axes.append(self.time)
        return All(tuple(axis.draw(share, rng) for axis in axes))


def workload_of(
    catalogue: Catalogue,
    columns: Mapping[str, PlainColumn],
    time: TimeAxis | None,
    theta: float,
    dimensions: int | None,
) -> Workload:
    """Find the domains of all columns that were published."""
    quasi, sensitive = (
        tuple(
            axis
            for column in catalogue.with_role(role)
            if (axis := axis_of(column, columns[column.name])) is not None
        )
        for role in ("quasi", "sensitive")
    )
    return Workload(quasi, sensitive, time, theta, dimensions)
