"""Sticky mode: a group is fixed when it is first published, and kept.

1. New people are assigned and split among themselves; the groups stand for ever.
2. Who leaves, leaves his row behind as a counterfeit.
3. A group disappears when its last member left, and is back when one returns.
4. A returner has his old place in his old group.
5. Whose value changes to another one of the set stays: nothing can be seen of it.
6. Whose value leaves the set leaves the group too, and is placed anew, among new people.

Notes
-----
Not in the paper. The other modes regroup people at every release, and an adversary can tell
that two people who alternate in the same company have the same value; in this mode nothing is
learned after the first release of a group. Its price is counterfeits; and that, from then on, the
values of a group are candidates: each of its members has one of them, and two may have the same.
When a group is new its members have different ones, and they keep them if it is declared that no
value ever changes (``changes`` with nothing but empty lists).

The intervals of a group are frozen with it. If the quasi values of a member change, they grow
to cover him, and never shrink: growth depends on quasi values alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Floats
from anachron.methods.invariance.memory import StandingGroups

__all__ = ["Stay", "join", "stay"]


@dataclass(frozen=True, eq=False)
class Stay:
    """The standing groups that are in a release."""

    groups: Array
    """Their numbers in the memory."""
    counterfeits: Array
    low: Floats
    high: Floats


def stay(
    standing: StandingGroups,
    sizes: Array,
    groups: Array,
    members: Array,
    low: Floats,
    high: Floats,
) -> Stay:
    """Plan the standing groups of a release.

    Parameters
    ----------
    standing
        All groups that ever were.
    sizes
        The number of values in the signature of each.
    groups, members, low, high
        The groups that have members now, in ascending order: how many keep their place, and the
        lowest and highest of their quasi values now.
    """
    return Stay(
        groups,
        sizes[groups] - members,
        np.minimum(low, standing.low[groups]),
        np.maximum(high, standing.high[groups]),
    )


def join(
    standing: StandingGroups, stays: Stay, signature: Array, low: Floats, high: Floats
) -> StandingGroups:
    """Add groups to those that stand, and remember how far those in the release have grown."""
    old_low, old_high = standing.low.copy(), standing.high.copy()
    old_low[stays.groups], old_high[stays.groups] = stays.low, stays.high
    return StandingGroups(
        np.concatenate([standing.signature, signature]),
        np.concatenate([old_low, low]),
        np.concatenate([old_high, high]),
    )
