"""What the checks of one method hand over to the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check

__all__ = ["SHOWN", "Findings", "fraction", "groups_named", "such_as", "witnesses"]

SHOWN = 5
"""How many groups a check names at most."""


@dataclass(frozen=True)
class Findings:
    """Checks of the promise itself, checks that support them, and figures."""

    promise: tuple[Check, ...]
    support: tuple[Check, ...]
    figures: Mapping[str, int | str] = field(default_factory=dict)


def such_as(number: Array, wrong: Flags) -> str:
    """Name some of the groups in which a check fails, by number."""
    if not wrong.any():
        return ""
    some = ", ".join(str(n) for n in number[wrong][:SHOWN])
    return f" ({int(wrong.sum()):,} groups, such as {some})"


def witnesses(number: Array, *wrong: Flags) -> tuple[str, ...]:
    """Name some of the groups in which a check fails in any of these ways, as places to look at."""
    together = np.logical_or.reduce(wrong)
    return groups_named(number[together].tolist())


def groups_named(number: Iterable[int]) -> tuple[str, ...]:
    """Name the first of these groups as places to look at."""
    return tuple(f"group {n}" for n in islice(dict.fromkeys(number), SHOWN))


def fraction(share: Fraction) -> str:
    """Write a share, or a chance, as an exact fraction and as a percentage."""
    return f"{share} ({float(share):.2%})"
