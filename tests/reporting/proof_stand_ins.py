"""Hand-made findings of attacks and measures of usefulness."""

from __future__ import annotations

from typing import Any

import numpy as np

from anachron.attacking.finding import Finding
from anachron.measuring.utility import Measure, Utility, measured


def finding(holds: bool | None = True, exposed: int = 0, **changes: Any) -> Finding:
    """A finding of an attack that is made up."""
    given: dict[str, Any] = {
        "attack": "guessing", "title": "Guessing", "knows": "the colour of the door",
        "exposed": exposed, "people": 1_000, "promised": "at most one in 5",
        "measured": f"{exposed} guessed", "holds": holds,
        "figures": {"largest_chance": 0.25, "groups": 1_234}, "about": "Guesses.",
    }  # fmt: skip
    return Finding(**{**given, **changes})


def measure(workload: str = "ranges", *, off: float = 0.1, **changes: Any) -> Measure:
    """100 questions whose errors go evenly from nothing to ``off``."""
    truth = np.full(100, 1_000.0)
    estimate = truth * (1 + np.linspace(0, off, 100))
    made = measured(workload, truth, estimate, truth - 500, estimate + 500)
    return made if not changes else Measure(**{**vars(made), **changes})


def utility(*measures: Measure, notes: tuple[str, ...] = ()) -> Utility:
    return Utility("0001", 0, {"theta": 0.1}, measures or (measure(),), notes)
