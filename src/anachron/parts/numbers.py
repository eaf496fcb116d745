"""Numbers, taken and written exactly."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from anachron.errors import PlanError

__all__ = [
    "Exact",
    "bounds",
    "decimal",
    "fraction",
    "ratio",
    "short",
    "shortest",
    "whole",
    "written",
]

Exact = int | float | str | Decimal | Fraction
"""A number that is taken as it is written: 0.1 means one tenth."""

LONG = 100
"""Longer texts are not read as numbers."""
SIMPLE = 10**6
"""A ratio of whole numbers up to this one can be compared with any count, exactly."""


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
            f"{name} has too many digits to compare counts with.",
            remedy="Write it as a ratio of small whole numbers, such as '7/3'.",
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


def whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """Read a whole number within its bounds."""
    number = value if isinstance(value, int) and not isinstance(value, bool) else None
    if number is None or number < least or (most is not None and number > most):
        raise PlanError(f"{name} must be {bounds(least, most)}, found {value!r}.")
    return number


def bounds(least: int, most: int | None = None) -> str:
    """Name the whole numbers within bounds."""
    if most is None:
        return f"a whole number of at least {least}"
    return f"a whole number from {least} to {most:,}"


def written(number: Decimal) -> str:
    """Write equal numbers alike: a history is recognised by what its plan says."""
    return format(number.normalize(), "f")


def short(number: str) -> int | str:
    """Give a decimal as a whole number if it is one, or else as the text that it is."""
    value = Decimal(number)
    return int(value) if value == value.to_integral_value() else number


def shortest(number: Fraction) -> str:
    """Write a fraction as a decimal if that is exact and short."""
    decimal = f"{float(number):.15g}"
    return decimal if Fraction(decimal) == number else str(number)
