"""Visits to a hospital that does not exist, by people who do not."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from anachron.arrays import Array, Floats
from anachron.demo.draws import cumulated, pick, shuffled

__all__ = ["visits"]

PATIENTS, VISITS, DAYS = 2_000, 12_000, 731
FIRST_DAY = np.datetime64("2024-01-01")  # a Monday

Times = npt.NDArray[np.datetime64]

WEEKDAYS = [1.30, 1.15, 1.10, 1.10, 1.05, 0.55, 0.45]
# Nobody arrives between two and three at night, when a spring night skips the hour.
HOURS = [0] * 6 + [1, 3, 7, 9, 9, 8, 6, 5, 6, 6, 5, 4, 3, 3, 2, 1, 1, 0]
WARDS = {
    "medicine": ["hypertension", "diabetes", "pneumonia", "heart failure"],
    "surgery": ["appendicitis", "hernia", "gallstones"],
    "orthopaedics": ["fracture", "arthrosis", "sprain"],
    "emergency": ["injury", "chest pain", "asthma", "infection"],
    "psychiatry": ["depression", "anxiety"],
}


def visits(seed: int = 2006) -> pa.Table:
    """Make 12,000 visits of 2,000 patients over two years."""
    uniform = np.random.default_rng(seed).random
    age = pick(uniform(PATIENTS), [1.5] * 18 + [1.0] * 22 + [1.3] * 25 + [1.1] * 20 + [0.4] * 10)
    sex = uniform(PATIENTS) < 0.53
    # Some people come often, most come seldom, everyone comes once.
    often = np.searchsorted(cumulated(-np.log1p(-uniform(PATIENTS))), uniform(VISITS - PATIENTS))
    who = np.concatenate([np.arange(PATIENTS), often])
    when = _times(uniform(VISITS), uniform(VISITS), uniform(VISITS))
    ward, diagnosis = _reasons(age[who], uniform(VISITS), uniform(VISITS))
    # A register is kept in the order of arrival.
    order = np.argsort(when, kind="stable")
    number = shuffled(PATIENTS, uniform(PATIENTS)) + 100_000
    return pa.table(
        {
            "patient": [f"P{n}" for n in number[who][order]],
            "admitted": pa.array(when[order].astype("datetime64[us]")),
            "age": pa.array(age[who][order], pa.int16()),
            "sex": ["female" if f else "male" for f in sex[who][order]],
            "ward": ward[order].tolist(),
            "diagnosis": diagnosis[order].tolist(),
        }
    )


def _times(day: Floats, hour: Floats, minute: Floats) -> Times:
    days = np.arange(DAYS)
    season = 1 + 0.18 * np.cos(2 * np.pi * (days - 20) / 365.25)
    chosen = pick(day, np.array(WEEKDAYS)[days % 7] * season)
    minutes = pick(hour, HOURS) * 60 + (minute * 60).astype(np.int64)
    start: Times = FIRST_DAY + chosen.astype("timedelta64[D]")
    when: Times = start.astype("datetime64[m]") + minutes.astype("timedelta64[m]")
    return when


def _reasons(
    age: Array, ward: Floats, diagnosis: Floats
) -> tuple[npt.NDArray[np.str_], npt.NDArray[np.str_]]:
    names = list(WARDS)
    # The old are more often in medicine, the young in the emergency room.
    weights = np.stack(
        [1 + age / 40, np.full(len(age), 1.2), 0.8 + age / 80, 2.6 - age / 60, 0.5 + 0 * age]
    )
    edges = np.cumsum(weights / weights.sum(axis=0), axis=0)
    which = np.minimum((ward[None, :] >= edges).sum(axis=0), len(names) - 1)
    sizes = np.array([len(WARDS[name]) for name in names])[which]
    item = (diagnosis**1.5 * sizes).astype(np.int64)
    reasons = [WARDS[names[w]][i] for w, i in zip(which, item, strict=True)]
    return np.array(names)[which], np.array(reasons)
