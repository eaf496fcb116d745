"""How the parts of a promise are read: numbers exactly, and all that is wrong at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TypeVar

from anachron.calendar.definitions import BUILT_IN, Granularity
from anachron.errors import InputError, PlanError, Problem

__all__ = ["Exact", "Reading", "decimal", "fraction", "granularity", "names", "ratio", "whole",
           "written"]  # fmt: skip

T = TypeVar("T")

Exact = int | float | str | Decimal | Fraction
"""A number that is taken as it is written: 0.1 means one tenth."""

LONG = 100
"""Longer texts are not read as numbers."""
SIMPLE = 10**6
"""A ratio of whole numbers up to this one can be compared with any count, exactly."""


class Reading:
    """Read the parts of a promise, and remember what is wrong with each."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def take(self, make: Callable[..., T], *given: object) -> T | None:
        """Make a part; if it is refused, remember why and give nothing."""
        try:
            return make(*given)
        except InputError as error:
            self.problems.extend(error.problems)
            return None

    def add(self, what: str, remedy: str | None = None) -> None:
        """Remember a problem."""
        self.problems.append(Problem(what, remedy=remedy))

    def choices(self, given: Mapping[str, object], known: Mapping[str, Iterable[str]]) -> None:
        """Check each word against those that are known."""
        for name, words in known.items():
            if given[name] not in tuple(words):
                self.add(f"{name} must be one of {', '.join(words)}.")

    def finish(self) -> None:
        """Raise what was found, if anything was."""
        if self.problems:
            raise PlanError(self.problems)


def fraction(name: str, value: object, such_as: str) -> Fraction:
    """Read a number exactly: 0.1 means one tenth, not the nearest binary fraction."""
    text = str(value).strip()
    try:
        # A long exponent would take for ever.
        if isinstance(value, bool) or len(text) > LONG or re.search(r"[eE][+-]?\d{3}", text):
            raise ValueError
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise PlanError(f"{name} must be a number such as {such_as}.") from None


def ratio(name: str, value: object, such_as: str) -> Fraction:
    """Read a ratio by which counts are compared."""
    number = fraction(name, value, such_as)
    if max(abs(number.numerator), number.denominator) > SIMPLE:
        raise PlanError(
            Problem(
                f"{name} has too many digits to compare counts with.",
                remedy="Write it as a ratio of small whole numbers, such as '7/3'.",
            )
        )
    return number


def decimal(name: str, value: object) -> Decimal:
    """Read a decimal number exactly."""
    text = str(value)
    try:
        number = Decimal(text if len(text) <= LONG else "none")
    except InvalidOperation:
        raise PlanError(f"{name} is not a number.") from None
    if not number.is_finite():
        raise PlanError(f"{name} is not finite.")
    if number and abs(number.adjusted()) > LONG:
        raise PlanError(f"{name} has too many digits.")
    return number


def written(number: Decimal) -> str:
    """Write equal numbers alike: a history is recognised by what its plan says."""
    return format(number.normalize(), "f")


def whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """Read a whole number within its bounds."""
    number = value if isinstance(value, int) and not isinstance(value, bool) else None
    if number is None or number < least or (most is not None and number > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most:,}"
        raise PlanError(f"{name} must be a whole number {bounds}, found {value!r}.")
    return number


def names(name: str, given: str | Iterable[str]) -> tuple[str, ...]:
    """Read a list of names, none twice."""
    found = (given,) if isinstance(given, str) else tuple(given)
    if not found or not all(isinstance(item, str) and item for item in found):
        raise PlanError(f"{name} must be a list of names.")
    if len(set(found)) < len(found):
        raise PlanError(f"{name} names one twice.")
    return found


def granularity(name: str, given: str | Granularity) -> Granularity:
    """Read a granularity: one by name, or your own."""
    if isinstance(given, Granularity):
        return given
    if given not in BUILT_IN:
        raise PlanError(
            Problem(
                f"{name} must be a granularity, or the name of a built-in one.",
                remedy=f"Built in: {', '.join(BUILT_IN)}.",
            )
        )
    return Granularity.named(given)
