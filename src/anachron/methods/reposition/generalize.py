"""Publish eligible snapshots as boxes: l-diverse groups that are cut along the public grid."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.mondrian import mondrian
from anachron.methods.boxes import Boxes, hulls

__all__ = ["BoxedGroups", "boxed", "generalize", "in_published_order"]


@dataclass(frozen=True, eq=False)
class BoxedGroups:
    """The groups of some snapshots, each snapshot with its own."""

    snapshot: Array
    boxes: Boxes


def generalize(
    points: Boxes,
    span: Floats,
    snapshot: Array,
    value: Array,
    l: Fraction,  # noqa: E741
) -> tuple[Array, BoxedGroups]:
    """Give each row the number of its group, and the groups, cut while both sides are l-diverse.

    Every group is l-diverse, if the snapshots are l-eligible; ValueError if they are not. Rows
    are cut apart between two steps of the grid only, so the boxes of a snapshot are disjoint.
    """
    group = mondrian(points.first / span, value, l, snapshot)
    return group, boxed(points, snapshot, group)


def boxed(points: Boxes, snapshot: Array, group: Array) -> BoxedGroups:
    """Lay the smallest box around each group, given the snapshot and the group of each row."""
    groups = int(group.max(initial=-1)) + 1
    of_group = np.zeros(groups, dtype=np.int64)
    of_group[group] = snapshot
    return BoxedGroups(of_group, hulls(points, group, groups))


def in_published_order(group: Array, groups: BoxedGroups) -> tuple[Array, BoxedGroups]:
    """Number groups by snapshot and box, from 0: by what is published, nothing else.

    Boxes that were widened may be equal. Such groups of a snapshot become one: nobody can tell
    them apart, and what is l-diverse in parts is l-diverse as a whole.
    """
    sides = np.stack((groups.boxes.first, groups.boxes.end), axis=2)
    keys = np.column_stack((groups.snapshot, sides.reshape(len(sides), 2 * sides.shape[1])))
    different, number = np.unique(keys, axis=0, return_inverse=True)
    ordered = Boxes(different[:, 1::2], different[:, 2::2])
    return number[group], BoxedGroups(different[:, 0], ordered)
