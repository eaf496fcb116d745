"""Plan the whole unpublished window anew, as an integer program.

====================  ====================================================================
``x[t, j, s]``        records of home t and value s published in position j
``L[j]``              a bound for the records of one value in position j
``N[j]``              so many records are in position j at the least
supply                unpublished records of (t, s), in a place or not
====================  ====================================================================

Minimise Σ (μ(j − t) − β_s)·x, where Σ_j x[t, j, s] ≤ supply, Σ_t x[t, j, s] ≤ L[j], l·L[j] ≤ N[j]
and N[j] ≤ Σ x[·, j, ·].

Only L and N need be whole numbers. Once they are, x is a flow: from (t, s) to the places of value s
in position j, L[j] at most, and on to position j, N[j] at least; and the cheapest flows through
whole numbers are whole. So the solver branches on two numbers of each position, not on every way.

Notes
-----
The paper says that moving records among the earlier snapshots of the window "will not be
effective". It is: nothing in the window is published yet, and over a feed the cost is far
lower. The very first window, for which the paper asks for an integer program without giving
it, is the same program.

The program is solved in floating point, so its answer is rounded and checked in whole numbers,
and its cost must be within half a unit of the solver's own bound. Where it is not, the better
of the answer and the plan there was is taken, and said to be unproved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from anachron.arrays import Array
from anachron.kernels.integer_programs import Program, solve
from anachron.methods.reposition.eligible import is_eligible
from anachron.methods.reposition.rule import Rule
from anachron.methods.reposition.window import Batch, Strand, Window, matched

__all__ = ["cost", "replanned"]

LARGEST = 300_000
"""Variables beyond which a program is not even begun."""


EXACT = 2**50
"""Costs beyond which floating point could not tell neighbours apart."""


@dataclass(frozen=True, eq=False)
class Ways:
    """Where each batch of unpublished records could be published."""

    supply: Batch
    batch: Array
    """Of each way, the batch in the supply."""
    position: Array
    """Of each way, where it leads."""
    price: Array
    """Of each way, what it costs a record to take it instead of being suppressed."""


def cost(window: Window, rule: Rule) -> int:
    """Information loss of all that is unpublished, in units of 1 / ``rule.scale``."""
    total = 0
    for value, standing, places in window.columns(list(window.strands)):
        total += rule.hiding(value) * sum(n for _, n in window.strands[value].suppressed)
        for position, home, count in matched(standing, places):
            total += rule.moving[position - home] * count
    return total


def replanned(window: Window, rule: Rule) -> Window:
    """Find the best plan of the unpublished window, from the plan that there is."""
    now = cost(window, rule)
    newest = window.next - 1
    if not now or rule.window == 1:  # the initial suppression alone cannot be bettered
        return replace(window, unproved=-1)
    ways = _ways(window, rule)
    hidden = sum(
        rule.hiding(value) * count
        for value, count in zip(ways.supply.value.tolist(), ways.supply.count.tolist(), strict=True)
    )
    if len(ways.position) > LARGEST or max(hidden, now) > EXACT:
        return replace(window, unproved=newest)
    program = _program(ways, window.start, newest, rule)
    for asked in (program, replace(program, whole=np.ones_like(program.whole))):
        solved = solve(asked, rule.nodes, rule.seconds)
        if solved is None:
            break
        found = _planned(window, ways, solved.x[: len(ways.position)], rule)
        best = found if found is not None and cost(found, rule) < now else window
        if cost(best, rule) <= hidden + solved.bound + 0.5:
            return replace(best, unproved=-1)
        window, now = best, cost(best, rule)
        if not solved.rounded:
            break
        # As cheap as whole flows are mixtures of several: ask for whole numbers everywhere.
    return replace(window, unproved=newest)


def _supply(window: Window) -> Batch:
    """Gather what is not published, in a place or not, by home and value."""
    found: dict[tuple[int, int], int] = {}
    for position, places in enumerate(window.places, start=window.start):
        for value in np.flatnonzero(places).tolist():
            if value not in window.strands or window.strands[value].until < position:
                found[position, value] = int(places[value])
    for value, strand in window.strands.items():
        for home, count in (*strand.standing, *strand.suppressed):
            found[home, value] = found.get((home, value), 0) + count
    return Batch.of([(home, value, found[home, value]) for home, value in sorted(found)])


def _ways(window: Window, rule: Rule) -> Ways:
    """List every position in which each batch could be published, and the price."""
    supply = _supply(window)
    first = np.maximum(supply.home, window.start)
    last = np.minimum(supply.home + rule.window, window.next)
    number = np.maximum(last - first, 0)
    batch = np.repeat(np.arange(len(number)), number)
    position = first[batch] + np.arange(len(batch)) - np.repeat(np.cumsum(number) - number, number)
    hiding = np.array([rule.hiding(value) for value in supply.value.tolist()], dtype=np.int64)
    moving = np.array(rule.moving, dtype=np.int64)
    return Ways(supply, batch, position, moving[position - supply.home[batch]] - hiding[batch])


def _program(ways: Ways, start: int, newest: int, rule: Rule) -> Program:
    """Write the program down: columns are the ways, then L and N of each position."""
    number, positions, batches = len(ways.batch), newest - start + 1, len(ways.supply.count)
    at = ways.position - start
    values = int(ways.supply.value.max()) + 1
    cells, cell = np.unique(at * values + ways.supply.value[ways.batch], return_inverse=True)
    way, place = np.arange(number), np.arange(positions)
    parts = [
        (ways.batch, way, 1),  # no more than there are
        (batches + cell, way, 1),  # no value above its position's level
        (batches + np.arange(len(cells)), number + cells // values, -1),
        (batches + len(cells) + place, number + place, rule.l.numerator),  # L is eligible
        (batches + len(cells) + place, number + positions + place, -rule.l.denominator),
        (batches + len(cells) + positions + at, way, -1),  # N are there
        (batches + len(cells) + positions + place, number + positions + place, 1),
    ]
    return Program(
        cost=np.concatenate([ways.price, np.zeros(2 * positions)]).astype(np.float64),
        row=np.concatenate([row for row, _, _ in parts]),
        column=np.concatenate([column for _, column, _ in parts]),
        entry=np.concatenate([np.full(len(row), float(entry)) for row, _, entry in parts]),
        most=np.concatenate([ways.supply.count, np.zeros(len(cells) + 2 * positions)]),
        top=np.concatenate([ways.supply.count[ways.batch], np.full(2 * positions, np.inf)]),
        whole=np.arange(number + 2 * positions) >= number,
    )


def _planned(window: Window, ways: Ways, published: Array, rule: Rule) -> Window | None:
    """Make a window of an answer, if it stands a check in whole numbers."""
    supply = ways.supply
    used = np.zeros(len(supply.count), dtype=np.int64)
    np.add.at(used, ways.batch, published)
    places = np.zeros((len(window.places), window.values), dtype=np.int64)
    np.add.at(places, (ways.position - window.start, supply.value[ways.batch]), published)
    if (published < 0).any() or (used > supply.count).any():
        return None
    if not all(is_eligible(row, rule.l) for row in places):
        return None
    standing: dict[int, list[tuple[int, int]]] = {}
    hidden: dict[int, list[tuple[int, int]]] = {}
    for home, value, kept, count in zip(
        supply.home.tolist(), supply.value.tolist(), used.tolist(), supply.count.tolist(),
        strict=True,
    ):  # fmt: skip
        standing.setdefault(value, []).extend([(home, kept)] if kept else [])
        hidden.setdefault(value, []).extend([(home, count - kept)] if count > kept else [])
    fresh = Window(window.next, window.start, tuple(places))
    strands = {
        value: Strand(tuple(standing[value]), window.next - 1, tuple(hidden[value]))
        for value, _, rooms in fresh.columns(sorted(standing))
        if hidden[value] or tuple(standing[value]) != rooms
    }
    return replace(fresh, strands=strands)
