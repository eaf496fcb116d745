"""Electricity meters of a town that does not exist: what households draw on a working day."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from anachron.arrays import Floats
from anachron.demo.draws import pick, shuffled

__all__ = ["HOURS", "OCCUPATIONS", "loads"]

METERS = 1_200
HOURS = tuple(f"h{hour:02}" for hour in range(0, 24, 3))
"""Each from its hour on for three hours."""

CURVES = {
    "out by day": ([2.0, 1.8, 4.5, 3.0, 2.4, 3.2, 8.5, 6.5], 6),
    "at home": ([1.8, 1.6, 4.0, 6.0, 7.5, 5.0, 6.5, 3.5], 5),
    "heats at night": ([9.0, 9.5, 6.0, 2.2, 2.0, 2.4, 4.2, 5.5], 3),
    "works at night": ([2.2, 2.0, 5.5, 3.2, 1.8, 4.8, 5.8, 2.6], 2),
}
"""What is drawn in each part of the day, and how many households do so."""

OCCUPATIONS = {
    "employee": [6, 2, 4, 2], "own business": [3, 3, 3, 2], "shift work": [2, 2, 2, 5],
    "student": [4, 2, 2, 2], "at home with children": [2, 4, 2, 2], "retired": [2, 5, 4, 2],
    "out of work": [2, 3, 2, 2],
}  # fmt: skip
"""How often each is found with each curve: a curve tells something, but not all."""


def loads(seed: int = 2013) -> pa.Table:
    """Make the mean working day of 1,200 meters, in kilowatts, and who pays the bill."""
    uniform = np.random.default_rng(seed).random
    kind = pick(uniform(METERS), [many for _, many in CURVES.values()])
    shapes = np.array([shape for shape, _ in CURVES.values()])
    size = 0.05 * 6 ** uniform(METERS)
    # A sum of four uniform numbers is nearly a bell.
    noise = uniform((4, METERS, len(HOURS))).sum(axis=0) - 2
    drawn = np.round(size[:, None] * shapes[kind] * np.exp(0.11 * noise), 3)
    occupation = _occupations(uniform(METERS), kind)
    number = shuffled(METERS, uniform(METERS)) + 40_000
    order = np.argsort(number)
    return pa.table(
        {
            "meter": [f"M{n}" for n in number[order]],
            **{hour: drawn[order, i] for i, hour in enumerate(HOURS)},
            "occupation": [list(OCCUPATIONS)[code] for code in occupation[order]],
        }
    )


def _occupations(uniform: Floats, kind: np.ndarray) -> np.ndarray:
    weights = np.array(list(OCCUPATIONS.values())).T
    found = np.zeros(len(kind), dtype=np.int64)
    for one, of_kind in enumerate(weights):
        found[kind == one] = pick(uniform[kind == one], of_kind)
    return found
