"""The register of a clinic that does not exist, as it stood after each of four quarters."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Floats
from anachron.demo.draws import pick, shuffled

__all__ = ["DIAGNOSES", "DISTRICTS", "snapshots"]

PEOPLE, QUARTERS = 1_600, 4
DISTRICTS = {"harbour": 3, "old town": 4, "market": 5, "station": 3, "hill": 2, "meadows": 2}
DIAGNOSES = {
    "hypertension": 5, "diabetes": 4, "asthma": 4, "depression": 4, "arthrosis": 3,
    "migraine": 3, "gastritis": 3, "anaemia": 2, "psoriasis": 2, "epilepsy": 1,
}  # fmt: skip
LEAVES, RETURNS, FALLS_ILL_ANEW, MOVES = 0.10, 0.30, 0.04, 0.02
"""How likely each is in a quarter."""


def snapshots(seed: int = 2007) -> list[pa.Table]:
    """Make four snapshots; people come, leave, return, grow older, move and fall ill anew."""
    uniform = np.random.default_rng(seed).random
    number = shuffled(PEOPLE, uniform(PEOPLE)) + 10_000
    born_in, age = pick(uniform(PEOPLE), [1] * QUARTERS), 18 + pick(uniform(PEOPLE), _AGES)
    district = pick(uniform(PEOPLE), list(DISTRICTS.values()))
    diagnosis = pick(uniform(PEOPLE), list(DIAGNOSES.values()))
    first = pick(uniform(PEOPLE), [12] + [1] * (QUARTERS - 1))
    here = np.zeros(PEOPLE, dtype=bool)
    tables = []
    for quarter in range(QUARTERS):
        here = _here(here, quarter - first, uniform(PEOPLE))
        if quarter:
            district = _anew(district, MOVES, uniform(PEOPLE), uniform(PEOPLE), DISTRICTS)
            diagnosis = _anew(
                diagnosis, FALLS_ILL_ANEW, uniform(PEOPLE), uniform(PEOPLE), DIAGNOSES
            )
        now = np.flatnonzero(here)[np.argsort(number[here])]
        tables.append(
            pa.table(
                {
                    "patient": [f"P{n}" for n in number[now]],
                    "age": pa.array(age[now] + (born_in[now] <= quarter), pa.int16()),
                    "district": [list(DISTRICTS)[code] for code in district[now]],
                    "diagnosis": [list(DIAGNOSES)[code] for code in diagnosis[now]],
                }
            )
        )
    return tables


_AGES = [1.0] * 22 + [1.3] * 25 + [1.1] * 20 + [0.4] * 10


def _here(before: Flags, since_first: Array, uniform: Floats) -> Flags:
    """Who is in the register now: those who just came, who stayed, and who returned."""
    stays, returns = uniform >= LEAVES, uniform < RETURNS
    known = np.where(before, stays, returns) & (since_first > 0)
    return np.asarray(known | (since_first == 0))


def _anew(codes: Array, chance: float, whether: Floats, what: Floats, of: dict[str, int]) -> Array:
    drawn = pick(what, list(of.values()))
    return np.where(whether < chance, drawn, codes)
