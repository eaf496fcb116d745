"""The granularities that a plan defines under [calendar], read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, cast

from anachron.calendar.definitions import BUILT_IN, Granularity, Grouped, Listed, Within
from anachron.errors import PlanError
from anachron.plan.check import Faults, checked, did_you_mean, tables
from anachron.plan.sections import BUSINESS_DAYS, CALENDAR

__all__ = ["Calendar", "definitions"]

_MOST = 200
_KINDS: Mapping[frozenset[str], Callable[[str, Any], Granularity]] = {
    frozenset(keys.split()): make
    for keys, make in {
        "boundaries": lambda name, has: Granularity.boundaries(name, has["boundaries"]),
        "boundaries labels": lambda name, has: Granularity.boundaries(
            name, has["boundaries"], has["labels"]
        ),
        "spans": lambda name, has: Granularity.spans(name, has["spans"]),
        "every of anchor": lambda name, has: Granularity.every(
            name, has["every"], has["of"], anchor=has["anchor"]
        ),
        "sizes of anchor": lambda name, has: Granularity.group(
            name, has["of"], sizes=has["sizes"], anchor=has["anchor"]
        ),
        "of within": lambda name, has: Granularity.within(name, has["of"], has["within"]),
        "business_days": lambda name, has: Granularity.business_days(name, **has["business_days"]),
    }.items()
}
"""How a granularity is made of what its section has, by the keys that it has."""
_ALL_KINDS = (
    "boundaries (with labels, if you like); spans; every, of and anchor; "
    "sizes, of and anchor; of and within; business_days"
)


class Calendar:
    """Granularities by name: the built-in ones, and the plan's own, in whatever order."""

    def __init__(self, given: Any, found: Faults) -> None:
        self._found = found
        if isinstance(given, Mapping) and len(given) > _MOST:
            raise PlanError(
                f"[calendar] defines {len(given):,} granularities; up to {_MOST} can be read.",
                remedy="Define those that are offered.",
            )
        self._sections, wrong = tables(CALENDAR, given, "calendar", found)
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
        key, has = f"calendar.{name}", dict(self._sections[name])
        self._made[name] = None
        for part in [key for key in ("of", "within") if key in has]:
            other = has[part]
            if other in (*waiting, name):
                self._found.add(f"{key}.{part}: the definitions go round in a circle.")
                return
            if other in self._sections:
                self._define(other, (*waiting, name))
            has[part] = self.look_up(other, f"{key}.{part}")
        make = _KINDS.get(frozenset(has))
        if make is None:
            self._found.add(f"{key} needs the keys of exactly one kind.", f"Give {_ALL_KINDS}.")
            return
        if "business_days" in has:
            place = f"{key}.business_days"
            has["business_days"] = checked(BUSINESS_DAYS, has["business_days"], place, self._found)
        if None not in has.values():
            self._made[name] = self._found.attempt(key, partial(make, name, has))


def definitions(granularities: Iterable[Granularity]) -> dict[tuple[str, ...], dict[str, Any]]:
    """The sections that define granularities, and those that they are made of, by their place."""
    own = list(dict.fromkeys(_own(granularities)))
    names = [granularity.name for granularity in own]
    if len(set(names)) < len(names):
        raise PlanError("two different granularities of one name cannot stand in one plan.")
    return {("calendar", granularity.name): _definition(granularity) for granularity in own}


def _own(granularities: Iterable[Granularity]) -> Iterator[Granularity]:
    for granularity in granularities:
        rule = granularity.rule
        if isinstance(rule, Grouped):
            yield from _own((rule.of,))
        elif isinstance(rule, Within):
            yield from _own((rule.of, rule.by))
        if rule is not None:
            yield granularity


def _definition(granularity: Granularity) -> dict[str, Any]:
    plain = cast(dict[str, Any], granularity.to_dict())
    rule = granularity.rule
    if isinstance(rule, Listed):
        return {"spans": plain["spans"]}
    if isinstance(rule, Grouped):
        return {"sizes": plain["sizes"], "of": rule.of.name, "anchor": plain["anchor"]}
    if isinstance(rule, Within):
        return {"of": rule.of.name, "within": rule.by.name}
    days = plain["business_days"]
    return {"business_days": {k: v for k, v in days.items() if v is not None}}
