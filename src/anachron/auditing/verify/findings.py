"""What the checks of one method hand over to the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from anachron.auditing.verdict import Check

__all__ = ["SHOWN", "Findings", "such_as"]

SHOWN = 5
"""How many groups a check names at most."""


@dataclass(frozen=True)
class Findings:
    """Checks of the promise itself, checks that support them, and figures."""

    promise: tuple[Check, ...]
    support: tuple[Check, ...]
    figures: Mapping[str, int | str] = field(default_factory=dict)


def such_as(number: npt.NDArray[np.int64], wrong: npt.NDArray[np.bool_]) -> str:
    """Name some of the groups in which a check fails, by number."""
    if not wrong.any():
        return ""
    some = ", ".join(str(n) for n in number[wrong][:SHOWN])
    return f" ({int(wrong.sum()):,} groups, such as {some})"
