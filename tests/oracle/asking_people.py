"""Random people: evenly spread and without any association; or skewed and associated, as real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any as Anything

import numpy as np

__all__ = ["EVEN", "LIFELIKE", "REGIONS", "TOWNS", "People"]

TOWNS = ("bari", "como", "lodi", "pisa", "rieti")
REGIONS = {"bari": "south", "como": "north", "lodi": "north", "pisa": "centre", "rieti": "centre"}
ZIPS = (1, 12, 123, 128, 201, 2010)

Columns = dict[str, list[Anything]]


@dataclass(frozen=True)
class People:
    """How many there are, and what is known of them."""

    fewest: int
    most: int
    columns: Callable[[np.random.Generator, int], Columns]

    def many(self, rng: np.random.Generator) -> int:
        """Small tables are as likely as large ones."""
        return round(float(np.exp(rng.uniform(np.log(self.fewest), np.log(self.most)))))


def _even(rng: np.random.Generator, n: int) -> Columns:
    return {
        "age": rng.integers(20, 50, n).tolist(),
        "weight": (rng.integers(-8, 16, n) / 4).tolist(),
        "dose": [Decimal(int(x)) / 100 for x in rng.integers(0, 5, n)],
        "zip": [str(x) for x in rng.choice(ZIPS, n)],
        "town": rng.choice(TOWNS, n).tolist(),
        "flag": [bool(x) for x in rng.integers(0, 2, n)],
        "born": [date(2000, 1, 1) + timedelta(int(x)) for x in rng.integers(0, 3, n)],
        "ill": rng.integers(0, 5, n).tolist(),
        "cost": rng.integers(-3, 9, n).tolist(),
    }


def _lifelike(rng: np.random.Generator, n: int) -> Columns:
    """Few are old, ages are rounded, towns differ in size, and everything goes with age."""
    age = 18 + np.floor(rng.beta(*rng.uniform(0.8, 4.0, 2), n) * 60).astype(int)
    heaped = rng.random(n) < rng.uniform(0.0, 0.5)
    age = np.where(heaped, np.rint(age / 5) * 5, age).astype(int)
    old = (age - age.mean()) / max(age.std(), 1.0)
    bound = rng.normal(0.0, 0.3, 4)
    town = _chosen(rng, rng.dirichlet(np.full(len(TOWNS), 1.0)), bound[0] * old)
    ill = _chosen(rng, rng.dirichlet(np.full(6, 6.0)), bound[1] * old + bound[2] * (town - 2) / 2)
    weight = np.rint(4 * rng.gamma(2.0, 0.6, n) * np.exp(bound[3] * old)) / 4 - 2
    cost = np.rint(rng.lognormal(1.0 + 0.3 * old + 0.2 * ill, 0.8))
    return {
        "age": age.tolist(),
        "weight": np.clip(weight, -2.0, 8.0).tolist(),
        "dose": [Decimal(int(x)) / 100 for x in rng.geometric(0.4, n) - 1],
        "zip": [str(ZIPS[x]) for x in _chosen(rng, rng.dirichlet(np.ones(6)), 0.3 * old)],
        "town": [TOWNS[x] for x in town],
        "flag": (rng.random(n) < 0.3 + 0.2 * (old > 0)).tolist(),
        "born": [date(2000, 1, 1) + timedelta(int(x)) for x in rng.geometric(0.5, n)],
        "ill": ill.tolist(),
        "cost": cost.astype(int).tolist(),
    }


def _chosen(rng: np.random.Generator, share: np.ndarray, lean: np.ndarray) -> np.ndarray:
    """Choose one of some kinds for everyone; who leans more, one that stands later."""
    score = np.log(share + 1e-9) + np.outer(lean, np.linspace(-1, 1, len(share)))
    found: np.ndarray = (score + rng.gumbel(size=score.shape)).argmax(axis=1)
    return found


EVEN = People(20, 60, _even)
LIFELIKE = People(60, 600, _lifelike)
