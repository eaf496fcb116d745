"""Plan the whole unpublished window anew, as an integer program.

====================  ====================================================================
``x[t, j, s]``        records of home t and value s published in position j
``L[j]``              a bound for the records of one value in position j
``N[j]``              so many records are in position j at the least
``M[j]``, ``O[j]``    with a strict rule, likewise for the records of home j itself
supply                unpublished records of (t, s), in a place or not
====================  ====================================================================

Minimise Σ (μ(j − t) − β_s)·x, where Σ_j x[t, j, s] ≤ supply, Σ_t x[t, j, s] ≤ L[j], l·L[j] ≤ N[j]
and N[j] ≤ Σ x[·, j, ·]. With a strict rule also x[j, j, s] ≤ M[j], l·M[j] ≤ O[j] and
O[j] ≤ Σ x[j, j, ·]: those on time are eligible without all others.

Only L and N need be whole numbers. Once they are, x is a flow: from (t, s) to the places of value s
in position j, L[j] at most, and on to position j, N[j] at least; and the cheapest flows through
whole numbers are whole. So the solver branches on two numbers of each position, not on every way.
M and O are no bounds of a flow, and the flows between them may be broken: then x is asked for in
whole numbers, too.

Notes
-----
The paper says that moving records among the earlier snapshots of the window "will not be
effective". It is: nothing in the window is published yet, and over a feed the cost is far
lower. The very first window, for which the paper asks for an integer program without giving
it, is the same program.

The program is solved in floating point, so its answer is rounded and checked in whole numbers,
and its cost must be within half a unit of the solver's own bound. Where it is not, the better
of the answer and the plan there was is taken, and said to be unproved.

How much is searched follows from the counts alone (``Rule.affordable``), never from a clock. One
runs beside it all the same, and if it ends a search, the plan there was is taken: that is
remembered, and said. Nothing is planned twice, so a feed goes on from there like any other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from anachron.arrays import Array
from anachron.kernels.integer_programs import Program, solve
from anachron.methods.reposition.eligible import is_eligible
from anachron.methods.reposition.rule import Rule
from anachron.methods.reposition.window import Batch, Strand, Window, matched

__all__ = ["cost", "replanned"]

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
    newest = window.next - 1
    if rule.window == 1 or not cost(window, rule):  # what is kept of each cannot be bettered
        return replace(window, unproved=-1, stopped=-1)
    ways = _ways(window, rule)
    try:
        best, proved = _searched(window, ways, rule)
    except TimeoutError:
        return replace(window, unproved=newest, stopped=newest)
    return replace(best, unproved=-1 if proved else newest, stopped=-1)


def _searched(window: Window, ways: Ways, rule: Rule) -> tuple[Window, bool]:
    """Give the best plan that is found, and whether there is none better."""
    end, searched = monotonic() + rule.seconds, 0
    now = float(cost(window, rule)) if _on_time(window, rule) else math.inf
    supply = zip(ways.supply.value.tolist(), ways.supply.count.tolist(), strict=True)
    hidden = sum(rule.hiding(value) * count for value, count in supply)
    if max(hidden, cost(window, rule)) > EXACT:
        return window, False
    program = _program(ways, window.start, window.next - 1, rule)
    for asked in (program, replace(program, whole=np.ones_like(program.whole))):
        nodes = rule.affordable(len(ways.batch), searched)
        solved = solve(asked, nodes, end - monotonic()) if nodes else None
        if solved is None:
            break
        x = solved.x[: len(ways.batch)]
        found = _planned(window, ways, x, rule)
        if found is not None:
            # The oldest first is never dearer, but not what a strict rule asks for.
            paid = hidden + int(ways.price @ x) if rule.strict else cost(found, rule)
            window, now = (found, paid) if paid < now else (window, now)
        if now <= hidden + solved.bound + 0.5:
            return window, True
        if not solved.rounded:
            break
        # As cheap as whole flows are mixtures of several: ask for whole numbers everywhere.
        searched = solved.nodes
    return window, False


def _on_time(window: Window, rule: Rule) -> bool:
    """Whether a plan is what the rule asks for: if it is strict, of those on time alone."""
    if not rule.strict:
        return True
    own = np.zeros((len(window.places), window.values), dtype=np.int64)
    for position, home, value, count in window.batches():
        own[position - window.start, value] += count if home == position else 0
    return all(is_eligible(row, rule.l) for row in own)


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
    """Write the program down: columns are the ways, then L, N, M and O of each position."""
    number, positions = len(ways.batch), newest - start + 1
    value, at = ways.supply.value[ways.batch], ways.position - start
    way, place = np.arange(number), np.arange(positions)
    parts = [(ways.batch, way, 1)]  # no more than there are
    rows, columns = len(ways.supply.count), number
    on_time = np.flatnonzero(ways.supply.home[ways.batch] == ways.position)
    for some in (way, on_time) if rule.strict else (way,):
        cells, cell = np.unique(at[some] * (value.max() + 1) + value[some], return_inverse=True)
        levels, needs, counts = rows, rows + len(cells), rows + len(cells) + positions
        level, least = columns + place, columns + positions + place
        parts += [
            (levels + cell, some, 1),  # no value above its position's level
            (levels + np.arange(len(cells)), columns + cells // (value.max() + 1), -1),
            (needs + place, level, rule.l.numerator),  # which is eligible
            (needs + place, least, -rule.l.denominator),
            (counts + at[some], some, -1),  # as so many are there
            (counts + place, least, 1),
        ]
        rows, columns = counts + positions, columns + 2 * positions
    return Program(
        cost=np.concatenate([ways.price, np.zeros(columns - number)]).astype(np.float64),
        row=np.concatenate([row for row, _, _ in parts]),
        column=np.concatenate([column for _, column, _ in parts]),
        entry=np.concatenate([np.full(len(row), float(entry)) for row, _, entry in parts]),
        most=np.pad(ways.supply.count, (0, rows - len(ways.supply.count))),
        top=np.concatenate([ways.supply.count[ways.batch], np.full(columns - number, np.inf)]),
        whole=np.arange(columns) >= number,
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
    own = np.zeros_like(places)
    here = supply.home[ways.batch] == ways.position
    np.add.at(own, (ways.position - window.start, supply.value[ways.batch]), published * here)
    if not all(is_eligible(row, rule.l) for row in (*places, *(own if rule.strict else ()))):
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
