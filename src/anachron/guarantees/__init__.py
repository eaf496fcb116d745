"""What is promised, as frozen values. Nothing here computes anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anachron.errors import PlanError
from anachron.guarantees.granularity import KEEP, METRICS, TimeGranularity
from anachron.guarantees.invariance import MInvariance
from anachron.guarantees.patterns import KPAnonymity
from anachron.guarantees.reposition import Reposition
from anachron.registry import METHODS

__all__ = [
    "KEEP",
    "METRICS",
    "Guarantee",
    "KPAnonymity",
    "MInvariance",
    "Reposition",
    "TimeGranularity",
    "from_dict",
]

Guarantee = TimeGranularity | MInvariance | Reposition | KPAnonymity


def from_dict(values: Mapping[str, Any]) -> Guarantee:
    """Read back what the ``to_dict`` of a guarantee gave."""
    if values.get("method") not in METHODS:
        raise PlanError(f"method must be one of {', '.join(sorted(METHODS))}.")
    promise: type[Guarantee] = METHODS[values["method"]].promise.load()
    return promise.from_dict(values)
