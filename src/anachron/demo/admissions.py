"""Admissions to a small hospital that does not exist, day by day."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Floats
from anachron.demo.draws import pick, shuffled

__all__ = ["DIAGNOSES", "admissions"]

PATIENTS, ADMISSIONS, DAYS = 1_600, 2_400, 91
FIRST_DAY = np.datetime64("2025-01-06")  # a Monday

WEEKDAYS = [1.25, 1.1, 1.1, 1.05, 1.1, 0.75, 0.65]
DIAGNOSES = {
    "fracture": 5, "chest pain": 5, "pneumonia": 4, "infection": 4, "asthma": 3, "stroke": 3,
    "appendicitis": 2, "burn": 1,
}  # fmt: skip
FLU = "influenza"
PEAK, WIDTH = 38, 11
"""The day on which the wave of influenza is highest, and how broad it is."""
ICE = (16, 17, 59)
"""Days on which people slip."""


def admissions(seed: int = 2010) -> pa.Table:
    """Make 2,400 admissions of 1,600 people in 91 days, nobody twice on a day."""
    uniform = np.random.default_rng(seed).random
    age = pick(uniform(PATIENTS), [1.2] * 18 + [1.0] * 30 + [1.4] * 30 + [0.8] * 12)
    sex = uniform(PATIENTS) < 0.52
    day = pick(uniform(ADMISSIONS), np.tile(WEEKDAYS, DAYS // 7) * (1 + 0.35 * _wave()))
    who = (uniform(ADMISSIONS) * PATIENTS).astype(np.int64)
    diagnosis = _diagnoses(day, uniform(ADMISSIONS), uniform(ADMISSIONS))
    minute = (uniform(ADMISSIONS) * 16 * 60).astype(np.int64) + 6 * 60
    _, once = np.unique(day * PATIENTS + who, return_index=True)
    day, who, minute = day[once], who[once], minute[once]
    when = FIRST_DAY.astype("datetime64[m]") + (day * 1_440 + minute).astype("timedelta64[m]")
    order = np.argsort(when, kind="stable")
    number = shuffled(PATIENTS, uniform(PATIENTS)) + 20_000
    names = [*DIAGNOSES, FLU]
    return pa.table(
        {
            "patient": [f"P{n}" for n in number[who[order]]],
            "admitted": pa.array(when[order].astype("datetime64[us]")),
            "age": pa.array(age[who[order]], pa.int16()),
            "sex": ["female" if sex[w] else "male" for w in who[order]],
            "diagnosis": [names[code] for code in diagnosis[once][order]],
        }
    )


def _wave() -> Floats:
    """How strong influenza is on each day."""
    return np.exp(-(((np.arange(DAYS) - PEAK) / WIDTH) ** 2))


def _diagnoses(day: Array, which: Floats, instead: Floats) -> Array:
    """The usual mixture, and what is special on a day: a wave, or ice on the road."""
    usual = pick(which, list(DIAGNOSES.values()))
    flu = instead < 0.04 + 0.44 * _wave()[day]
    slipped = np.isin(day, ICE) & (instead > 0.6)
    names = list(DIAGNOSES)
    return np.select([flu, slipped], [len(names), names.index("fracture")], usual)
