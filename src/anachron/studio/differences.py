"""What a plan says otherwise than the one of the last release, part by part, and no value of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from anachron.plan import Plan

__all__ = ["Difference", "differences", "said"]


@dataclass(frozen=True)
class Difference:
    """A part that changed."""

    part: str
    before: str
    now: str


def differences(plan: Plan, before: Mapping[str, Any]) -> list[Difference]:
    """Compare a plan with what the ledger remembers of one."""
    return [
        *_compared("schema", before.get("schema", {}), plan.schema.to_dict()),
        *_compared("guarantee", before.get("guarantee", {}), plan.guarantee.to_dict()),
    ]


def _compared(
    section: str, before: Mapping[str, Any], now: Mapping[str, Any]
) -> Iterator[Difference]:
    for name in dict.fromkeys((*before, *now)):
        old, new = before.get(name), now.get(name)
        if old != new:
            columns = section == "schema"
            yield Difference(f"{section}.{name}", said(old, columns), said(new, columns))


def said(value: Any, columns: bool = False) -> str:
    """Write a part. Lists and tables of a promise may hold values of the table: they are counted.

    >>> said(5), said(["age"], columns=True), said({"flu": ["cold"]}), said([{"name": "day"}])
    ('5', 'age', '1 entry', 'day')
    """
    if value is None or value in ("", [], {}):
        return "–"
    if isinstance(value, Mapping):
        return _many(len(value))
    if not isinstance(value, list | tuple):
        return str(value)
    if all(isinstance(one, Mapping) and "name" in one for one in value):
        return ", ".join(str(one["name"]) for one in value)
    return ", ".join(map(str, value)) if columns else _many(len(value))


def _many(number: int) -> str:
    return "1 entry" if number == 1 else f"{number:,} entries"
