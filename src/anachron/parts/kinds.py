"""The kinds of parts that several promises have, or a schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, get_args

from anachron.calendar.definitions import BUILT_IN, Granularity
from anachron.errors import PlanError
from anachron.parts.numbers import bounds, decimal, whole
from anachron.parts.part import Kind, Reading
from anachron.parts.shapes import Holds, Number, Text

__all__ = ["FLAG", "GRANULARITY", "OWN", "SIZE", "Lists", "as_given", "by_name", "names", "one_of",
           "texts", "whole_number"]  # fmt: skip

Lists = tuple[tuple[str, tuple[str, ...]], ...]
"""Lists of texts, by name."""


def as_given(_: str, given: Any) -> Any:
    """Keep what was given."""
    return given


def whole_number(least: int, most: int | None = None, expects: str = "") -> Kind:
    """A whole number within bounds."""
    return Kind(Holds(expects or bounds(least, most), int), partial(whole, least=least, most=most))


def one_of(literal: Any) -> Kind:
    """One of the words of a ``Literal``."""
    words = ", ".join(get_args(literal))

    def read(name: str, given: Any) -> Any:
        if given not in get_args(literal):
            raise PlanError(f"{name} must be one of {words}.")
        return given

    return Kind(Holds(f"one of {words}", Text), read)


def _flag(name: str, given: Any) -> bool:
    if not isinstance(given, bool):
        raise PlanError(f"{name} must be true or false.")
    return given


def _size(name: str, given: Any) -> Decimal:
    found = decimal(name, given)
    if found <= 0:
        raise PlanError(f"{name} must be above 0.")
    return found


def names(expects: str) -> Kind:
    """A list of names, none twice."""

    def read(name: str, given: str | Iterable[str]) -> tuple[str, ...]:
        found = (given,) if isinstance(given, str) else tuple(given)
        if not found or not all(isinstance(item, str) and item for item in found):
            raise PlanError(f"{name} must be a list of names.")
        if len(set(found)) < len(found):
            raise PlanError(f"{name} names one twice.")
        return found

    return Kind(Holds(expects, list[Text]), read)


def _granularity(name: str, given: str | Granularity) -> Granularity:
    if isinstance(given, Granularity):
        return given
    if given not in BUILT_IN:
        raise PlanError(
            f"{name} must be a granularity, or the name of a built-in one.",
            remedy=f"Built in: {', '.join(BUILT_IN)}.",
        )
    return Granularity.named(given)


def texts(_: str, given: Iterable[Any]) -> tuple[str, ...]:
    """Read a list of texts."""
    return tuple(str(value) for value in given)


def by_name(read: Any, holds: Holds) -> Kind:
    """A table whose entries are read one by one, each with all that is wrong."""

    def read_all(name: str, given: Mapping[str, Any] | None) -> tuple[tuple[str, Any], ...]:
        reading = Reading()
        for entry, value in sorted((given or {}).items()):
            reading.take(entry, lambda entry, value: read(f"{name}.{entry}", value), value)
        return tuple(reading.finish().items())

    return Kind(holds, read_all, unfold=dict)


FLAG = Kind(Holds("true or false", bool), _flag)
SIZE = Kind(Holds("a number above 0", Number), _size)
OWN = "Your own are defined under `[calendar.NAME]`."
"""What is to be said of granularities in a plan."""
GRANULARITY = Kind(
    Holds("the name of a granularity", Text), _granularity, restore=Granularity.from_dict
)
