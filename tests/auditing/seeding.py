"""How privacy bugs are seeded into a good release, and what must come of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Spoil = Callable[[Any], Any]
"""Spoils a draft."""


@dataclass(frozen=True)
class Bug:
    """A bug, the check that must catch it, and all checks that fail for it: no more, no less.

    A bug that is caught for a wrong reason would show as a check that is not named here, or that
    is named and does not fail.
    """

    name: str
    spoil: Spoil
    check: str = ""
    also: frozenset[str] = frozenset()
    then: str = ""
    """How the release is published, where there are several ways."""


class Seeds:
    """The bugs of one kind of release."""

    def __init__(self, *ways: str) -> None:
        self.ways = ways or ("",)
        self.caught: list[Bug] = []
        self.refused: list[Bug] = []

    def caught_by(self, check: str, *also: str, **ways: tuple[str, ...]) -> Keep:
        """Bugs that this check must catch, while others fail, too.

        What fails in one way of publishing only is given under the name of the way.
        """
        there = {way: frozenset((*also, *ways.get(way, ()))) for way in self.ways}
        return Keep(self.caught, check, there)

    def only(self, way: str, check: str, *also: str) -> Keep:
        """The same in one way of publishing."""
        return Keep(self.caught, check, {way: frozenset(also)})

    def refuses(self, *ways: str) -> Keep:
        """Bugs for which the reader must refuse the description, before any audit."""
        return Keep(self.refused, "", dict.fromkeys(ways or self.ways, frozenset()))


@dataclass(frozen=True)
class Keep:
    """Keeps bugs that are given by name, or whatever it decorates."""

    bugs: list[Bug]
    check: str
    also: dict[str, frozenset[str]]

    def __call__(self, spoil: Spoil | None = None, /, **named: Spoil) -> Any:
        """Keep each bug once for each way of publishing."""
        if spoil is not None:
            named[spoil.__name__] = spoil
        for name, bug in named.items():
            self.bugs.extend(
                Bug(name, bug, self.check, more, way) for way, more in self.also.items()
            )
        return spoil


def put(**fields: Any) -> Spoil:
    """Give a draft other fields."""

    def spoil(bad: Any) -> None:
        vars(bad).update(fields)

    return spoil


def promised(**settings: Any) -> Spoil:
    """Promise something else."""
    return lambda bad: bad.promise.update(settings)


def both(*spoils: Spoil) -> Spoil:
    """Spoil a draft in several ways, one after the other."""

    def spoil(bad: Any) -> None:
        for one in spoils:
            one(bad)

    return spoil
