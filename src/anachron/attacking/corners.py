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
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags, Floats
from anachron.attacking.finding import Figures, Finding, percent
from anachron.attacking.known import Known
from anachron.auditing.reading.columns import places, whole
from anachron.auditing.reading.intervals import multiples
from anachron.behind import Attribute
from anachron.published.groups import Groups
from anachron.published.ways import Envelope, Interval, Ordered, Way

__all__ = ["NEEDS", "Edges", "Touched", "attack", "edges_of", "pairing_bits", "touched"]

NEEDS = "a release with intervals"

_FEW = 2
_STEP = 1e-9
"""By so much of a step, rounding may bring a value nearer to a bound."""


@dataclass(frozen=True, eq=False)
class Edges:
    """The published intervals of a column: a place for each group."""

    low: Floats
    high: Floats
    step: float
    """The width of the grid."""
    end: float
    """What must be added to an upper bound to come to the grid: 1 for whole numbers."""
    own: Floats | None = None
    """The value of each person, if it is known."""

    @cached_property
    def off(self) -> tuple[Flags, Flags]:
        """Which lower and which upper bounds are not on the grid."""
        width = Fraction(str(self.step))
        return ~multiples(width, self.low), ~multiples(width, self.high + self.end)


@dataclass(frozen=True)
class Touched:
    """How many cells there are, and how many of them a bound gives away."""

    cells: int
    near: int
    """Within one step of a bound."""
    exact: int
    """Equal to a bound that is not on the grid."""


def touched(edges: Sequence[Edges], group: Array) -> Touched:
    """Compare the values of people with the bounds of their groups, column by column."""
    cells = near = exact = 0
    for one in edges:
        value = one.own
        if value is None:
            continue
        there = ~np.isnan(value)
        distance = np.minimum(value - one.low[group], one.high[group] - value)[there]
        cells += int(there.sum())
        near += int((distance < one.step * (1 - _STEP)).sum())
        for side, off in zip((one.low, one.high), one.off, strict=True):
            exact += int((off[group] & (side[group] == value))[there].sum())
    return Touched(cells, near, exact)


def pairing_bits(edges: Sequence[Edges], group: Array) -> Floats:
    """In how many ways, as bits, two people of these groups can share out their bounds."""
    wide = np.zeros(len(group), dtype=np.int64)
    for one in edges:
        wide += one.low[group] < one.high[group]
    return np.maximum(wide - 1, 0).astype(np.float64)


def attack(known: Known) -> Finding | None:
    """Find small groups, and people whose values are bounds."""
    edges, group = edges_of(known)
    if not edges:
        return None
    real = known.groups.size - known.groups.counterfeits
    few = np.flatnonzero((real <= _FEW) & (real > 0))
    bits = pairing_bits(edges, few[real[few] == _FEW])
    off = sum(int(side.sum()) for one in edges for side in one.off)
    figures: Figures = {
        "groups": len(real),
        "groups_with_one_person": int((real == 1).sum()),
        "groups_with_two_people": int((real == _FEW).sum()),
        "mean_pairing_bits": round(float(bits.mean()), 2) if len(bits) else 0.0,
        "bounds_off_the_grid": off,
    }
    measured = f"{len(few):,} of {len(real):,} groups have one or two people"
    if group is not None:
        cells = touched(edges, group)
        share = cells.near / max(cells.cells, 1)
        figures |= {"cells_at_a_bound": round(share, 4), "exact_bounds": cells.exact}
        measured += f"; {percent(share)} of values lie within a step of a bound"
    return Finding(
        attack="corners",
        title="Corners of intervals",
        knows="all members of a group but one, or one value of a member",
        exposed=int(real[few].sum()),
        people=int(real.sum()),
        promised="bounds on the declared grid, rounded outwards; nothing about who is near them",
        measured=measured + (f"; {off:,} bounds off the grid" if off else ""),
        holds=not off,
        figures=figures,
        about="Reads values off the bounds of small groups, and looks for bounds that are values.",
    )


def edges_of(known: Known) -> tuple[list[Edges], Array | None]:
    """The intervals of a release, column by column; and the group of each person, if known."""
    groups, group, own = known.groups, *_own(known)
    found = []
    for name, way in groups.form.columns.items():
        if not isinstance(way, Interval | Ordered | Envelope) or not way.names:
            continue
        cells = groups.cells(way)
        low, high = (end[cells.codes].astype(np.float64) for end in cells.ends)
        found.append(Edges(low, high, _step(groups, way), float(cells.whole), own.get(name)))
    return found, group


def _step(groups: Groups, way: Way) -> float:
    if isinstance(way, Interval):
        return float(way.width)
    return 1.0 if isinstance(way, Ordered) else float(groups.form.facts["precision"])


def _own(known: Known) -> tuple[Array | None, dict[str, Floats]]:
    """The group of each person, and their values by column, as far as they are known."""
    if known.groups.form.layout.shapes:
        view = known.series
        if view is None or view.group is None:
            return None, {}
        people = np.flatnonzero(view.group > 0)
        values = zip(view.shape.values, view.own.values[people].T, strict=True)
        return places(known.groups.number, view.group[people]), dict(values)
    if known.members is None:
        return None, {}
    ways = known.groups.form.columns
    return known.members.group, {one.name: _numbers(ways[one.name], one)
                                 for one in known.members.quasi}  # fmt: skip


def _numbers(way: Way, column: Attribute) -> Floats:
    """Values as numbers: of ordered texts, their places in the order; NaN if missing."""
    if not isinstance(way, Ordered):
        numbers = column.numbers
        return np.full(len(column.code), np.nan) if numbers is None else numbers
    order = pa.array(way.order, pa.string())
    place = whole(pc.index_in(column.domain.cast(pa.string()), value_set=order), -1)
    found = np.append(np.where(place < 0, np.nan, place.astype(np.float64)), np.nan)
    return found[column.code]
