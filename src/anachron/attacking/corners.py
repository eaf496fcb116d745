"""Corners: published bounds are somebody's values, and small groups have few ways to pair them.

An interval that is as short as can be is touched on both sides: somebody in the group is 31, the
lower bound, and somebody is 44, the upper one. In a group of two real people every bound is the
value of one of the two. With d columns only 2^(d-1) pairings are left, and one known value decides
all. With one real person, the group's box is the person. If bounds were written with all their
digits (61.327749 and not 61), they would even be fingerprints that other tables have, too. Cohen
(*Attacks on Deidentification's Defenses*, USENIX Security 2022) turns this into a general attack on
methods that generalise no more than they must.

Promised is that bounds are multiples of a declared width, rounded outwards, so that a bound tells a
value to within that width and never exactly. That somebody is near a bound is not promised away: a
larger k or m, and a coarser width, are what helps.

Measured
    groups with at most two real people, and how many ways (in bits) there are to pair their bounds;
    with the microdata, the share of cells that lie within one step of a bound, and bounds off the
    grid that are somebody's exact value, of which there must be none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anachron.arrays import Array, Floats
from anachron.attacking.boxes import Boxed, boxed
from anachron.attacking.chance import percent
from anachron.attacking.finding import Finding
from anachron.attacking.known import Known
from anachron.auditing.reading.intervals import multiples

__all__ = ["NEEDS", "Touched", "attack", "pairing_bits", "touched"]

NEEDS = "a release with intervals"

_FEW = 2
_STEP = 1e-9
"""By so much of a step, rounding may bring a value nearer to a bound."""


@dataclass(frozen=True)
class Touched:
    """How many cells there are, and how many of them a bound gives away."""

    cells: int
    near: int
    """Within one step of a bound."""
    exact: int
    """Equal to a bound that is not on the grid."""


def touched(found: Boxed, own: Sequence[Floats], group: Array) -> Touched:
    """Compare the values of people with the bounds of their groups, axis by axis.

    ``own`` has the value of each person on each axis, ``group`` the group of each person.
    """
    cells = near = exact = 0
    axes = zip(found.low, found.high, own, found.steps, found.ends, strict=True)
    for below, above, value, step, end in axes:
        there = ~np.isnan(value)
        distance = np.minimum(value - below[group], above[group] - value)[there]
        cells += int(there.sum())
        near += int((distance < step * (1 - _STEP)).sum())
        width = Fraction(str(step))
        for side, grid in ((below, below), (above, above + end)):
            off = ~multiples(width, grid)
            exact += int((off[group] & (side[group] == value))[there].sum())
    return Touched(cells, near, exact)


def pairing_bits(low: Sequence[Floats], high: Sequence[Floats], group: Array) -> Floats:
    """In how many ways, as bits, two people of these groups can share out their bounds."""
    wide = np.zeros(len(group), dtype=np.int64)
    for below, above in zip(low, high, strict=True):
        wide += below[group] < above[group]
    return np.maximum(wide - 1, 0).astype(np.float64)


def attack(known: Known) -> Finding | None:
    """Find small groups, and people whose values are bounds."""
    found = boxed(known)
    if found is None:
        return None
    few = np.flatnonzero((found.real <= _FEW) & (found.real > 0))
    bits = pairing_bits(found.low, found.high, few[found.real[few] == _FEW])
    off = _off_grid(found)
    exposed, people = int(found.real[few].sum()), int(found.real.sum())
    figures: dict[str, int | float | str] = {
        "groups": len(found.real),
        "groups_with_one_person": int((found.real == 1).sum()),
        "groups_with_two_people": int((found.real == _FEW).sum()),
        "mean_pairing_bits": round(float(bits.mean()), 2) if len(bits) else 0.0,
        "bounds_off_the_grid": off,
    }
    measured = f"{len(few):,} of {len(found.real):,} groups have one or two people"
    if found.own is not None and found.group is not None:
        cells = touched(found, found.own, found.group)
        share = cells.near / max(cells.cells, 1)
        figures |= {"cells_at_a_bound": round(share, 4), "exact_bounds": cells.exact}
        measured += f"; {percent(share)} of values lie within a step of a bound"
    return Finding(
        attack="corners",
        title="Corners of intervals",
        knows="all members of a group but one, or one value of a member",
        exposed=exposed,
        people=people,
        promised="bounds on the declared grid, rounded outwards; nothing about who is near them",
        measured=measured + (f"; {off:,} bounds off the grid" if off else ""),
        holds=not off,
        figures=figures,
        about="Reads values off the bounds of small groups, and looks for bounds that are values.",
    )


def _off_grid(found: Boxed) -> int:
    """How many bounds are not on the grid."""
    off = 0
    for low, high, step, end in zip(found.low, found.high, found.steps, found.ends, strict=True):
        width = Fraction(str(step))
        off += int((~multiples(width, low)).sum()) + int((~multiples(width, high + end)).sum())
    return off
