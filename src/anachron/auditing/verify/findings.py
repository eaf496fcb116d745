"""What the checks of one method hand over to the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from anachron.auditing.verdict import Check

__all__ = ["Findings"]


@dataclass(frozen=True)
class Findings:
    """Checks of the promise itself, checks that support them, and figures."""

    promise: tuple[Check, ...]
    support: tuple[Check, ...]
    figures: Mapping[str, int | str] = field(default_factory=dict)
