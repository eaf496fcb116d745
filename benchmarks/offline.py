"""What no plan of a feed can better: a linear program over the whole feed, seen from its end.

==============  ==========================================================================
``x[t, j, s]``  records of snapshot t and value s that are published in snapshot j, a part of one
                being allowed
``L[j]``        as many records as one value may have in snapshot j
==============  ==========================================================================

Minimise Σ μ(j − t)·x + β·(all − Σ x), where Σ_j x[t, j, s] ≤ the records of (t, s),
Σ_t x[t, j, s] ≤ L[j] and l·L[j] ≤ Σ x[·, j, ·]. Every plan with this window is such an x, whenever
it was made and whatever it knew, so that none costs less. With β alone (delays free), none leaves
out fewer.

It shares nothing with the planner, and is solved in floating point: figures are good to about a
millionth of themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array

__all__ = ["Bound", "bound"]


@dataclass(frozen=True)
class Bound:
    """The least that a feed costs."""

    loss: float
    """What no plan is below."""
    left_out: float
    """Records that are left out then; without costs of delay, what no plan is below either."""


def bound(
    arrived: Sequence[Array],
    l: float,  # noqa: E741
    window: int,
    beta: float,
    delay: float = 1.0,
) -> Bound:
    """Bound all plans with a window, where each snapshot of delay costs ``delay``."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    homes, values = np.nonzero(np.array(arrived))
    count = np.array(arrived)[homes, values].astype(np.float64)
    batch = np.repeat(np.arange(len(homes)), window)
    late = np.tile(np.arange(window), len(homes))
    at = homes[batch] + late
    width, last = int(values.max()) + 1, int(at.max()) + 1
    cells, cell = np.unique(at * width + values[batch], return_inverse=True)
    ways, supply, levels = len(batch), len(homes), len(cells)
    way, place = np.arange(ways), np.arange(last)
    entries = [
        (batch, way, 1.0),  # no more than there are
        (supply + cell, way, 1.0),  # no value above the level of its snapshot
        (supply + np.arange(levels), ways + cells // width, -1.0),
        (supply + levels + place, ways + place, float(l)),  # the snapshot is l-eligible
        (supply + levels + at, way, -1.0),
    ]
    matrix = coo_array(
        (
            np.concatenate([np.full(len(row), entry) for row, _, entry in entries]),
            (
                np.concatenate([row for row, _, _ in entries]),
                np.concatenate([column for _, column, _ in entries]),
            ),
        ),
        shape=(supply + levels + last, ways + last),
    )
    solved = linprog(
        np.concatenate([delay * late - beta, np.zeros(last)]),
        A_ub=matrix.tocsr(),
        b_ub=np.concatenate([count, np.zeros(levels + last)]),
        method="highs-ipm",
    )
    if solved.status != 0:
        raise RuntimeError(f"the linear program was not solved: {solved.message}")
    total = float(count.sum())
    return Bound(beta * total + float(solved.fun), total - float(solved.x[:ways].sum()))
