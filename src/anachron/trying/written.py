"""What to try, as a person writes it: a part of a promise, and its values."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import Any

from anachron.errors import PlanError

__all__ = ["read", "read_all"]


def read(text: str) -> tuple[str, list[Any]]:
    """Read what to try of a part: values between commas, or a list as plan files have it.

    >>> read("k=2,5,10")
    ('k', [2, 5, 10])
    >>> read('granularities=[["day", "week"], ["month"]]')
    ('granularities', [['day', 'week'], ['month']])
    """
    name, given, values = (part.strip() for part in text.partition("="))
    if not name or not given or not values:
        raise PlanError("takes a part and its values, such as k=2,5,10.")
    if not values.startswith("["):
        return name, [_value(one.strip()) for one in values.split(",")]
    try:
        found = tomllib.loads(f"values = {values}")["values"]
    except tomllib.TOMLDecodeError:
        raise PlanError(f"{name}=: the list is not one.") from None
    return name, list(found)


def read_all(texts: Iterable[str]) -> dict[str, list[Any]]:
    """Read what to try of each part; of one that is named twice, all of it."""
    parts: dict[str, list[Any]] = {}
    for text in texts:
        name, values = read(text)
        parts[name] = [*parts.get(name, []), *values]
    return parts


def _value(text: str) -> Any:
    """Whole numbers, yes and no, nothing, and all else as it is written: so it is taken exactly."""
    words = {"true": True, "false": False, "none": None}
    if text in words:
        return words[text]
    return int(text) if text.removeprefix("-").isdecimal() else text
