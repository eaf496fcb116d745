"""m-invariance for people who are given as arrays: they are held as rows, and planned on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.engines.base import ROW
from anachron.engines.local.rows import LocalRows
from anachron.methods.invariance import plan as planning
from anachron.methods.invariance import rule as rules
from anachron.methods.invariance.known import recalled
from anachron.methods.invariance.lots import Lots
from anachron.methods.invariance.memory import Memory

__all__ = ["Snapshot", "plan"]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """T(n) as arrays, one place for each person."""

    subjects: np.ndarray
    values: np.ndarray
    quasi: np.ndarray
    changed: np.ndarray | None = None
    """Who was last published with another sensitive value; None if that is not known."""


def plan(given: Snapshot, memory: Memory, rule: rules.Rule, lots: Lots) -> planning.Plan:
    """Plan the next release of a history."""
    number = np.arange(len(given.values))
    rows = {ROW: number, "who": given.subjects, "value": given.values, "quasi": given.quasi}
    if given.changed is not None:
        rows["changed"] = given.changed
    held = recalled(LocalRows.of(rows), memory)
    return planning.plan(rules.Snapshot(held, given.changed is not None), memory, rule, lots)
