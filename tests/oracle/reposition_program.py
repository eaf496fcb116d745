"""Definition 2 as an integer program, for windows with too many records to try everything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from anachron.kernels.integer_programs import quiet

Cost = Callable[[int], Fraction]
Cells = Mapping[tuple[int, int], int]


def program_optimum(
    placed: Mapping[tuple[int, int, int], int], hidden: Cells, arrived: Sequence[int],
    newest: int, ell: Fraction, window: int, mu: Cost, beta: Cost,
) -> float:  # fmt: skip
    """The least cost, from (home, position, value) and (home, value) counts.

    Standing records must stand; hidden ones and those that arrived may. Places before the
    newest snapshot stay as many for each value.
    """
    standing: dict[tuple[int, int], int] = {}
    rooms: dict[tuple[int, int], int] = {}
    for (t, j, v), n in placed.items():
        standing[t, v] = standing.get((t, v), 0) + n
        rooms[j, v] = rooms.get((j, v), 0) + n
    waiting = {key: n for key, n in hidden.items() if key[0] + window > newest}
    for v, n in enumerate(arrived):
        waiting[newest, v] = waiting.get((newest, v), 0) + n
    positions = sorted({j for j, _ in rooms} | {newest})
    x = [(t, j, v) for t, v in sorted({*standing, *waiting})
         for j in positions if t <= j < t + window]  # fmt: skip
    values = sorted({v for _, _, v in x})
    rows, low, high = [], [], []

    def demand(least: float, most: float, entries: Mapping[int, float]) -> None:
        row = np.zeros(len(x) + 1)  # the last column is the level of the newest snapshot
        for at, entry in entries.items():
            row[at] = entry
        rows.append(row)
        low.append(least)
        high.append(most)

    for t, v in {(t, v) for t, _, v in x}:
        least = standing.get((t, v), 0)
        cells = {k: 1.0 for k, (a, _, b) in enumerate(x) if (a, b) == (t, v)}
        demand(least, least + waiting.get((t, v), 0), cells)
    for j in positions[:-1]:
        for v in values:
            room = rooms.get((j, v), 0)
            demand(room, room, {k: 1.0 for k, (_, b, c) in enumerate(x) if (b, c) == (j, v)})
    newest_cells = {
        v: [k for k, (_, j, c) in enumerate(x) if (j, c) == (newest, v)] for v in values
    }
    for cells in newest_cells.values():
        demand(-np.inf, 0, {**dict.fromkeys(cells, 1.0), len(x): -1.0})
    everything = [k for cells in newest_cells.values() for k in cells]
    demand(-np.inf, 0, {**dict.fromkeys(everything, -1.0), len(x): float(ell)})
    prices = np.array([float(mu(j - t) - beta(v)) for t, j, v in x] + [0.0])
    with quiet():
        solved = milp(
            prices, constraints=LinearConstraint(np.array(rows), low, high),
            bounds=Bounds(0, np.inf), integrality=np.append(np.ones(len(x)), 0),
            options={"mip_rel_gap": 0.0},
        )  # fmt: skip
    assert solved.status == 0
    records = {key: standing.get(key, 0) + hidden.get(key, 0) for key in {*standing, *hidden}}
    for v, n in enumerate(arrived):
        records[newest, v] = records.get((newest, v), 0) + n
    return float(solved.fun) + sum(float(beta(v)) * n for (_, v), n in records.items())
