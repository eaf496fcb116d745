"""What is promised, as frozen values. Nothing here computes anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anachron.errors import PlanError
from anachron.guarantees.granularity import KEEP, METRICS, TimeGranularity
from anachron.guarantees.invariance import MInvariance
from anachron.guarantees.patterns import KPAnonymity
from anachron.guarantees.reposition import Reposition

__all__ = [
    "KEEP",
    "METHODS",
    "METRICS",
    "Guarantee",
    "KPAnonymity",
    "MInvariance",
    "Reposition",
    "TimeGranularity",
    "from_dict",
]

Guarantee = TimeGranularity | MInvariance | Reposition | KPAnonymity

_KINDS: dict[str, type[Guarantee]] = {
    kind.method: kind for kind in (TimeGranularity, MInvariance, Reposition, KPAnonymity)
}
METHODS = tuple(sorted(_KINDS))
"""The methods by name."""


def from_dict(values: Mapping[str, Any]) -> Guarantee:
    """Read back what the ``to_dict`` of a guarantee gave."""
    if values.get("method") not in _KINDS:
        raise PlanError(f"method must be one of {', '.join(METHODS)}.")
    return _KINDS[values["method"]].from_dict(values)
