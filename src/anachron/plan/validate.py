"""Check one section of a plan against its keys, and say what is wrong in plain words.

What was found is named by its type, never repeated: a plan may hold values of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any, TypeVar

from pydantic import ValidationError

from anachron.plan.found import Found, did_you_mean
from anachron.plan.keys import Section, each, expects

__all__ = ["section", "subtables"]

S = TypeVar("S", bound=Section)

_WORDS = {
    bool: "true or false",
    str: "text",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
    date: "a date",
    datetime: "a date with a time",
    time: "a time of day",
}


def section(model: type[S], given: Any, key: str, found: Found) -> S | None:
    """Read one section; if it is not given or not right, give nothing."""
    if given is None or not _is_table(given, key, found):
        return None
    try:
        return model.model_validate(given)
    except ValidationError as errors:
        for error in _once(errors, given):
            _report(model, error, given, key, found)
        return None


def _once(errors: ValidationError, given: Mapping[str, Any]) -> list[Any]:
    """One error for each key, or entry of a table: what may hold several types has several."""
    once: dict[Any, Any] = {}
    told = errors.errors(include_url=False, include_context=False, include_input=False)
    for error in _of_its_type(told, given):
        place = error["loc"][:1]
        if isinstance(given.get(place[0]), Mapping):
            place = error["loc"][:2]
        once.setdefault(place, error)
        if len(place) == 2 and len(error["loc"]) > len(once[place]["loc"]):
            once[place] = error
    return list(once.values())


def _of_its_type(told: Sequence[Any], given: Mapping[str, Any]) -> Iterator[Any]:
    """Of a list or table that might also be something else, what is wrong inside it."""

    def inside(error: Any) -> bool:
        name, *steps = error["loc"]
        marks: dict[Any, str] = {list: "list[", dict: "dict["}
        mark = marks.get(type(given.get(name)))
        return bool(mark and len(steps) > 1 and str(steps[0]).startswith(mark))

    better = {error["loc"][0] for error in told if inside(error)}
    for error in told:
        name, *steps = error["loc"]
        if inside(error):
            yield {**error, "loc": (name, *steps[1:])}
        elif name not in better:
            yield error


def subtables(
    model: type[S], given: Any, key: str, found: Found
) -> tuple[dict[str, S], frozenset[str]]:
    """Read a section that holds one table for each name; and the names that are not right."""
    if not _is_table(given, key, found):
        return {}, frozenset()
    read = {name: section(model, value, f"{key}.{name}", found) for name, value in given.items()}
    right = {name: value for name, value in read.items() if value is not None}
    return right, frozenset(read.keys() - right.keys())


def _is_table(given: Any, key: str, found: Found) -> bool:
    if isinstance(given, Mapping):
        return True
    found.add(f"{key} must be a table, found {_words(given)}.", f"Write it under [{key}].")
    return False


def _report(
    model: type[Section], error: Mapping[str, Any], given: Mapping[str, Any], key: str, found: Found
) -> None:
    name = str(error["loc"][0])
    path = f"{key}.{name}"
    if error["type"] == "extra_forbidden":
        found.add(f"unknown key '{path}'.", did_you_mean(name, model.model_fields))
        return
    expected = expects(model, name)
    if error["type"] == "missing":
        found.add(f"the key '{path}' is missing.", f"It is {expected}.")
        return
    if error["type"] == "literal_error":
        found.add(f"{path} must be {expected}.")
        return
    value, steps = given[name], list(error["loc"][1:])
    if isinstance(value, Mapping) and steps and steps[0] in value:
        # Of a table, the entry that is wrong.
        entry = str(steps.pop(0))
        path, value, expected = f"{path}.{entry}", value[entry], each(model, name)
    items = [step for step in steps if isinstance(step, int)]
    if items and isinstance(value, list):
        what = f"item {items[0] + 1} is {_words(value[items[0]])}"
    else:
        what = f"found {_words(value)}"
    found.add(f"{path} must be {expected}; {what}.")


def _words(value: object) -> str:
    if value == "":
        return "empty"
    return _WORDS.get(type(value), "something else")
