"""The margins of a release: published people, by classes of each quasi column.

Notes
-----
Not in the paper. They follow from the people in the release, their quasi values and the published
intervals: the width of classes from what these reach over. No sensitive value has a part in it, no
counterfeit is counted, and nothing is told of a group.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anachron.arrays import Numbers
from anachron.engines.base import COUNT, Batch, Rows, quasi
from anachron.methods import boxes
from anachron.methods.axes import Axis
from anachron.methods.invariance.buckets import NEW
from anachron.published.margins import Margin, doublings, grid

__all__ = ["margins"]


def margins(
    rows: Rows, axes: Sequence[Axis], edges: Sequence[tuple[Numbers, Numbers]], step: int
) -> dict[str, Margin]:
    """Count those of some rows who are published, by classes of each axis.

    Parameters
    ----------
    rows
        With the ``group`` of each, or ``NEW``, and its quasi columns.
    axes
        The quasi columns.
    edges
        The ends of all published intervals, by axis.
    step
        What counts are rounded down to.
    """
    here = rows.map(_published).where("published")
    return {
        axis.column: _margin(here, axis, ends, step) for axis, ends in zip(axes, edges, strict=True)
    }


def _published(batch: Batch) -> Batch:
    return {"published": batch["group"] != NEW}


def _margin(rows: Rows, axis: Axis, edges: tuple[Numbers, Numbers], step: int) -> Margin:
    first, last = (boxes.step_of(axis, ends) for ends in edges)
    times = doublings(int(first.min()), int(last.max()), len(rows), step) if len(first) else 1
    found = rows.counts((quasi(axis.column),)).collect(quasi(axis.column), COUNT)
    own = boxes.step_of(axis, axis.numbers)[found[quasi(axis.column)]] // times
    classes, which = np.unique(own, return_inverse=True)
    many = np.bincount(which, found[COUNT], len(classes)).astype(np.int64) // step * step
    named = many > 0
    return Margin(
        grid(boxes.way(axis)) * times,
        tuple(classes[named].tolist()),
        tuple(many[named].tolist()),
    )
