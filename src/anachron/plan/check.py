"""Check the sections of a plan, and gather all that is wrong, so that no mistake hides the next.

What was found is named by its type, never repeated: a plan may hold values of the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime, time
from difflib import get_close_matches
from typing import Any, Literal, TypeVar, get_origin

from anachron.errors import InputError, PlanError, Problem
from anachron.parts.shapes import Steps, wrong
from anachron.plan.sections import MUST, Key, Section

__all__ = ["Faults", "checked", "did_you_mean", "tables"]

T = TypeVar("T")

_MOST = 100
"""So many problems at once are more than anybody mends at once."""

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


class Faults:
    """What is wrong so far."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def add(self, what: str, remedy: str | None = None) -> None:
        """Remember a problem of the plan."""
        self._remember(Problem(what, remedy=remedy))

    def attempt(self, key: str, make: Callable[[], T], keys: Iterable[str] = ()) -> T | None:
        """Make something; if that is refused, remember why, under the path of the key.

        ``keys`` are the keys below it: a problem that begins with one of them is about that one.
        """
        try:
            return make()
        except InputError as error:
            for problem in error.problems:
                first = re.match(r"\w+", problem.what)
                joint = "." if first and first[0] in keys else ": "
                self._remember(replace(problem, what=f"{key}{joint}{problem.what}"))
            return None

    def _remember(self, problem: Problem) -> None:
        if problem not in self.problems:
            self.problems.append(problem)
        if len(self.problems) >= _MOST:
            raise PlanError("has further problems, which are not looked for.")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the nearest known name, or list them all."""
    names = list(known)
    near = get_close_matches(name, names, n=1)
    if near:
        return f"Did you mean {near[0]!r}?"
    return f"Known: {', '.join(names)}."


def checked(section: Section, given: Any, place: str, found: Faults) -> dict[str, Any] | None:
    """Give what a section holds; if it is not there or not right, nothing."""
    if given is None or not _is_table(given, place, found):
        return None
    before = len(found.problems)
    for name, key in section.keys.items():
        path = f"{place}.{name}"
        if name in given:
            for steps in wrong(given[name], key.holds.type):
                found.add(_refusal(key, path, given[name], steps))
        elif key.default is MUST:
            found.add(f"the key '{path}' is missing.", f"It is {key.holds.expects}.")
    # A misspelt key must not be ignored.
    for name in given:
        if name not in section.keys:
            found.add(f"unknown key '{place}.{name}'.", did_you_mean(name, section.keys))
    return dict(given) if len(found.problems) == before else None


def tables(
    section: Section, given: Any, place: str, found: Faults
) -> tuple[dict[str, dict[str, Any]], frozenset[str]]:
    """Give a section that holds one table for each name; and the names that are not right."""
    if not _is_table(given, place, found):
        return {}, frozenset()
    read = {name: checked(section, one, f"{place}.{name}", found) for name, one in given.items()}
    right = {name: one for name, one in read.items() if one is not None}
    return right, frozenset(read.keys() - right.keys())


def _is_table(given: Any, place: str, found: Faults) -> bool:
    if isinstance(given, Mapping):
        return True
    found.add(f"{place} must be a table, found {_words(given)}.", f"Write it under [{place}].")
    return False


def _refusal(key: Key, path: str, value: Any, steps: Steps) -> str:
    expected = key.holds.expects
    if get_origin(key.holds.type) is Literal:
        return f"{path} must be {expected}."
    if isinstance(value, Mapping) and steps:
        # Of a table, the entry that is wrong.
        path, value, expected = f"{path}.{steps[0]}", value[steps[0]], key.holds.each
        steps = steps[1:]
    what = f"found {_words(value)}"
    if steps:
        place = int(steps[0])
        what = f"item {place + 1} is {_words(value[place])}"
    return f"{path} must be {expected}; {what}."


def _words(value: object) -> str:
    if value == "":
        return "empty"
    return _WORDS.get(type(value), "something else")
