"""What is promised, as frozen values. Nothing here computes anything.

A promise is one class in a file of its own. Plans, ledgers and releases find it through the
registry of methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anachron.errors import PlanError
from anachron.guarantees.granularity import TimeGranularity
from anachron.guarantees.invariance import MInvariance
from anachron.guarantees.patterns import KPAnonymity
from anachron.guarantees.promise import Promise
from anachron.guarantees.reposition import Reposition
from anachron.registry import METHODS

__all__ = [
    "Guarantee",
    "KPAnonymity",
    "MInvariance",
    "Reposition",
    "TimeGranularity",
    "from_dict",
    "promises",
]

Guarantee = Promise
"""A promise as its owner gives it."""


def promises() -> dict[str, type[Guarantee]]:
    """The promises that can be kept, by the method that keeps them."""
    return {name: method.promise.load() for name, method in METHODS.items()}


def from_dict(values: Mapping[str, Any]) -> Guarantee:
    """Read back what the ``to_dict`` of a guarantee gave."""
    if values.get("method") not in METHODS:
        raise PlanError(f"method must be one of {', '.join(sorted(METHODS))}.")
    promise: type[Guarantee] = METHODS[values["method"]].promise.load()
    return promise.from_dict(values)
