"""The granularities that a plan defines under [calendar]."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from anachron.calendar.definitions import BUILT_IN, Granularity
from anachron.plan.found import Found, did_you_mean
from anachron.plan.granularity import BusinessDaysSection, CalendarSection
from anachron.plan.validate import section, subtables

__all__ = ["Calendar"]

_KINDS = (
    frozenset({"boundaries"}),
    frozenset({"boundaries", "labels"}),
    frozenset({"spans"}),
    frozenset({"every", "of", "anchor"}),
    frozenset({"sizes", "of", "anchor"}),
    frozenset({"of", "within"}),
    frozenset({"business_days"}),
)
_ALL_KINDS = (
    "boundaries (with labels, if you like); spans; every, of and anchor; "
    "sizes, of and anchor; of and within; business_days"
)


class Calendar:
    """Granularities by name: the built-in ones, and the plan's own, in whatever order."""

    def __init__(self, given: Any, found: Found) -> None:
        self._found = found
        self._sections, wrong = subtables(CalendarSection, given, "calendar", found)
        # What is wrong was reported where it is defined, and is not again where it is used.
        self._made: dict[str, Granularity | None] = dict.fromkeys(wrong)
        for name in self._sections:
            self._define(name, ())

    def look_up(self, name: str, key: str) -> Granularity | None:
        """Find a granularity, or report that the key names none."""
        if name in self._made:
            return self._made[name]
        if name in BUILT_IN:
            return Granularity.named(name)
        self._found.add(
            f"{key}: {name!r} is neither built in nor defined under [calendar].",
            did_you_mean(name, [*BUILT_IN, *self._sections]),
        )
        return None

    def _define(self, name: str, waiting: tuple[str, ...]) -> None:
        if name in self._made:
            return
        key, entry = f"calendar.{name}", self._sections[name]
        self._made[name] = None
        parts: dict[str, Granularity | None] = {}
        for part in ("of", "within"):
            other = getattr(entry, part)
            if other in (*waiting, name):
                self._found.add(f"{key}.{part}: the definitions go round in a circle.")
                return
            if other in self._sections:
                self._define(other, (*waiting, name))
            if other is not None:
                parts[part] = self.look_up(other, f"{key}.{part}")
        if entry.model_fields_set not in _KINDS:
            self._found.add(f"{key} needs the keys of exactly one kind.", f"Give {_ALL_KINDS}.")
        elif None not in parts.values():
            make = partial(_make, name, entry, parts, self._found)
            self._made[name] = self._found.attempt(key, make)


def _make(
    name: str, entry: CalendarSection, parts: Mapping[str, Any], found: Found
) -> Granularity | None:
    if entry.boundaries is not None:
        return Granularity.boundaries(name, entry.boundaries, entry.labels)
    if entry.spans is not None:
        return Granularity.spans(name, entry.spans)
    if entry.every is not None:
        return Granularity.every(name, entry.every, parts["of"], anchor=entry.anchor)
    if entry.sizes is not None:
        return Granularity.group(name, parts["of"], sizes=entry.sizes, anchor=entry.anchor)
    if entry.within is not None:
        return Granularity.within(name, parts["of"], parts["within"])
    days = section(
        BusinessDaysSection, entry.business_days, f"calendar.{name}.business_days", found
    )
    return None if days is None else Granularity.business_days(name, **dict(days))
