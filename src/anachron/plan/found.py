"""The problems of a plan, gathered so that one mistake does not hide the next."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import TypeVar

from anachron.errors import InputError, Problem

__all__ = ["Found", "did_you_mean"]

T = TypeVar("T")


class Found:
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


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the nearest known name, or list them all."""
    names = list(known)
    near = get_close_matches(name, names, n=1)
    if near:
        return f"Did you mean {near[0]!r}?"
    return f"Known: {', '.join(names)}."
