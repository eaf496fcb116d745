"""What is promised, as frozen values. Nothing here computes anything.

A promise is one class in a file of its own, and a member of ``Guarantee``: plans, ledgers and
releases find it there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from anachron.errors import PlanError
from anachron.guarantees.granularity import TimeGranularity
from anachron.guarantees.invariance import MInvariance
from anachron.guarantees.patterns import KPAnonymity
from anachron.guarantees.reposition import Reposition

__all__ = [
    "METHODS",
    "PROMISES",
    "Guarantee",
    "KPAnonymity",
    "MInvariance",
    "Reposition",
    "TimeGranularity",
    "from_dict",
]

Guarantee = TimeGranularity | MInvariance | Reposition | KPAnonymity
"""All promises that there are: the one list of them."""

PROMISES: Mapping[str, type[Guarantee]] = {kind.method: kind for kind in get_args(Guarantee)}
"""The promises by the method that keeps them."""
METHODS = tuple(sorted(PROMISES))
"""The methods by name."""


def from_dict(values: Mapping[str, Any]) -> Guarantee:
    """Read back what the ``to_dict`` of a guarantee gave."""
    if values.get("method") not in PROMISES:
        raise PlanError(f"method must be one of {', '.join(METHODS)}.")
    return PROMISES[values["method"]].from_dict(values)
