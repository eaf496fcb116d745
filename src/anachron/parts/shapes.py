"""What a plan file may hold for a key, as a type and in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from types import UnionType
from typing import Any, Literal, NewType, Union, get_args, get_origin

__all__ = ["Holds", "Moment", "Number", "Steps", "Text", "wrong"]

Text = NewType("Text", str)
"""A text that is not empty."""
Number = int | float | str
"""A number, or the text of one."""
Moment = date | str
"""A date, with or without a time, or the text of one."""
Steps = tuple[str | int, ...]
"""The way to a part of a value: the entry of a table, the item of a list."""

_ITSELF: list[Steps] = [()]


@dataclass(frozen=True)
class Holds:
    """What a key may hold."""

    expects: str
    """In words."""
    type: Any
    """As a type: plain ones, lists, dictionaries, unions; a tuple is a list of so many."""
    each: str = ""
    """What each entry is expected to be, if it is a table."""


def wrong(value: Any, kind: Any) -> list[Steps]:
    """Where a value is not of a type: nowhere, in itself, in an item of a list, or in entries."""
    of, inner = get_origin(kind), get_args(kind)
    if of in (Union, UnionType):
        told = [wrong(value, one) for one in inner]
        # If it is none of them, what is wrong inside the likeliest.
        return [] if [] in told else max(told, key=lambda steps: len(steps[0]))
    if of is dict and isinstance(value, dict):
        return [(name, *steps) for name, one in value.items() for steps in wrong(one, inner[1])]
    if of in (list, tuple) and isinstance(value, list):
        return _wrong_item(value, inner if of is tuple else inner * len(value))
    return [] if _is(value, of or kind, inner) else _ITSELF


def _wrong_item(values: list[Any], kinds: tuple[Any, ...]) -> list[Steps]:
    """The first item that is wrong; or the list itself, if it has not so many."""
    for place, (value, kind) in enumerate(zip(values, kinds, strict=False)):
        if steps := wrong(value, kind):
            return [(place, *steps[0])]
    return [] if len(values) == len(kinds) else _ITSELF


def _is(value: Any, kind: Any, words: tuple[Any, ...]) -> bool:
    if kind is Literal:
        return value in words
    if kind is Text:
        return isinstance(value, str) and value != ""
    if kind is Any:
        return True
    # In Python, true is a whole number; in a plan it is not.
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
