"""Plain values that are exactly what is expected, or the place where they are not.

Nothing here is forgiving: whatever a description could hold beside what it must is a place where
somebody's data could stand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any
from zoneinfo import ZoneInfo

__all__ = [
    "Misfit",
    "at",
    "canonical",
    "decimal",
    "entries",
    "items",
    "keys",
    "parsed",
    "same",
    "text",
    "texts",
    "whole",
    "zone",
]

_LARGEST = 2**63 - 1
_DIGITS = 20
_LONGEST_NUMBER = 100
_PLAIN = re.compile(r"[A-Za-z_]\w{0,39}", re.ASCII)


class Misfit(Exception):
    """A value is not what it must be."""

    def __init__(self, place: str, what: str) -> None:
        super().__init__(f"{place}: {what}" if place else what)


def parsed(content: bytes) -> Any:
    """Read JSON in which no key stands twice, and numbers are whole and no longer than need be."""
    return json.loads(
        content,
        object_pairs_hook=_once,
        parse_int=_number,
        parse_float=_no_number,
        parse_constant=_no_number,
    )


def canonical(values: Mapping[str, Any]) -> bytes:
    """Write plain values in the one form that a description has."""
    text = json.dumps(values, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Misfit("", "a key stands twice in one place")
    return found


def _number(digits: str) -> int:
    return int(digits) if len(digits) <= _DIGITS else _no_number(digits)


def _no_number(_: str) -> int:
    raise Misfit("", "it holds a number that no release has")


def at(place: str, key: str | int) -> str:
    """Name a place within another. A key that is no plain word may be anything: it is not shown."""
    if isinstance(key, int):
        return f"{place}[{key}]"
    shown = key if _PLAIN.fullmatch(key) else "…"
    return f"{place}.{shown}" if place else shown


def keys(given: Any, place: str, expected: Iterable[str]) -> Mapping[str, Any]:
    """Take a mapping that has exactly these keys."""
    found = entries(given, place)
    known = set(expected)
    for number, key in enumerate(found, 1):
        if key not in known:
            raise Misfit(place, f"its key number {number} does not belong there")
    for key in sorted(known - set(found)):
        raise Misfit(at(place, key), "it is missing")
    return found


def entries(given: Any, place: str) -> Mapping[str, Any]:
    """Take a mapping."""
    if not isinstance(given, dict):
        raise Misfit(place, "it is no object")
    return given


def items(given: Any, place: str) -> list[Any]:
    """Take a list."""
    if not isinstance(given, list):
        raise Misfit(place, "it is no list")
    return given


def text(given: Any, place: str, pattern: str = ".*") -> str:
    """Take a text of a known form."""
    if not isinstance(given, str) or not re.fullmatch(pattern, given, re.DOTALL):
        raise Misfit(place, "it is no text of the form that is expected there")
    return given


def texts(given: Any, place: str) -> list[str]:
    """Take a list of texts, none of them twice."""
    found = [text(one, at(place, n)) for n, one in enumerate(items(given, place))]
    if len(set(found)) < len(found):
        raise Misfit(place, "a text stands twice in it")
    return found


def whole(given: Any, place: str, least: int = 0) -> int:
    """Take a whole number that a table could count to."""
    if type(given) is not int or not least <= given <= _LARGEST:
        raise Misfit(place, "it is no whole number that could be expected there")
    return given


def decimal(given: Any, place: str) -> Decimal:
    """Take a decimal number, written as a text."""
    try:
        if len(text(given, place)) > _LONGEST_NUMBER or not Decimal(given).is_finite():
            raise InvalidOperation
    except InvalidOperation:
        raise Misfit(place, "it is no decimal number") from None
    if str(Decimal(given)) != given:
        raise Misfit(place, "it is a number, but not written as Anachron writes it")
    return Decimal(given)


def zone(given: Any, place: str) -> str:
    """Take the name of a time zone."""
    try:
        return ZoneInfo(text(given, place)).key
    except (ValueError, OSError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        raise Misfit(place, "it is no time zone that is known here") from None


def same(given: Any, expected: Any, place: str) -> None:
    """Demand that a value is the one that Anachron would have written."""
    if type(given) is not type(expected):
        raise Misfit(place, "it is of another kind than expected")
    if isinstance(expected, dict):
        keys(given, place, expected)
        for key, value in expected.items():
            same(given[key], value, at(place, key))
    elif isinstance(expected, list):
        if len(given) != len(expected):
            raise Misfit(place, f"it has {len(given):,} items instead of {len(expected):,}")
        for number, (one, other) in enumerate(zip(given, expected, strict=True)):
            same(one, other, at(place, number))
    elif given != expected:
        raise Misfit(place, "it is not what Anachron writes there")
