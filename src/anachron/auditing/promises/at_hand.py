"""What is at hand for an audit, whatever was promised."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, wraps
from types import NoneType
from typing import Any

from anachron.auditing.check import Declared, Figures
from anachron.auditing.reading.form import Form, is_legible
from anachron.auditing.reading.spelled import exact_of
from anachron.auditing.verdict import Check
from anachron.behind import Large, Microdata
from anachron.progress import Tell, silent
from anachron.release.read import Release

__all__ = ["AtHand", "Promise", "Way", "fitting", "ways_to_read"]

Way = Callable[..., Any]
"""How something follows from other things, which its parameters name."""


class AtHand:
    """What is at hand for an audit: what was given, and what follows from it.

    Everything has a name. ``ways`` tell how to come to it from other things; it is worked out when
    it is first asked for. What is not there is None, and so is all that needs it: a parameter with
    a default is not needed.
    """

    def __init__(self, ways: Mapping[str, Way], **given: Any) -> None:
        self._ways = ways
        self._there = given

    def __getitem__(self, name: str) -> Any:
        """Give what has this name, or None."""
        if name not in self._there:
            self._there[name] = self.follow(self._ways[name])
        return self._there[name]

    def things(self, way: Way) -> dict[str, Any] | None:
        """Give what a way takes; None if something that it needs is missing."""
        there = {name: self[name] for name in _taken(way)}
        if any(there[name] is None and needed for name, needed in _taken(way).items()):
            return None
        return {name: thing for name, thing in there.items() if thing is not None}

    def follow(self, way: Way) -> Any:
        """Give what a way leads to."""
        things = self.things(way)
        return None if things is None else way(**things)

    def rests_on(self, way: Way) -> set[str]:
        """Name all that must be given before a way can be followed."""
        steps = (self.rests_on(self._ways[n]) if n in self._ways else {n} for n in _taken(way))
        return set().union(*steps)


@lru_cache(maxsize=1024)
def _taken(way: Way) -> Mapping[str, bool]:
    """What a way takes, and whether it is needed: looked up hundreds of times in an audit."""
    parameters = inspect.signature(way).parameters
    return {name: one.default is one.empty for name, one in parameters.items()}


@dataclass(frozen=True)
class Promise:
    """All that is checked of a promise."""

    ways: Mapping[str, Way]
    """How what checks need follows from ``release``, ``microdata`` and ``history``."""
    checks: tuple[Declared[..., Any], ...]
    """In the order of the verdict."""
    figures: tuple[Callable[..., Figures], ...]
    """What is measured along the way; ``held`` are the names of the checks that hold."""
    past: type[object] = NoneType
    """What the ledger may remember of such a release."""
    passes: bool = False
    """Whether the table need not be held."""

    def judged(
        self,
        release: Release,
        microdata: Microdata | Large | None,
        history: object,
        tell: Tell = silent,
    ) -> tuple[tuple[Check, ...], Figures]:
        """Ask all checks for which enough is at hand; give their answers, and the figures."""
        held: set[str] = set()
        past = history if isinstance(history, self.past) else None
        given = {"release": release, "microdata": microdata, "history": past, "held": held}
        at_hand = AtHand(self.ways, **given)

        def ask(some: Iterable[Declared[..., Any]]) -> dict[Declared[..., Any], Check | None]:
            things = ((one, at_hand.things(one.find)) for one in some)
            return {one: None if these is None else one.ask(**these) for one, these in things}

        alone = [one for one in self.checks if at_hand.rests_on(one.find) == {"release"}]
        for one in alone:  # so that nothing is worked out twice
            at_hand.things(one.find)
        # What the release tells by itself is looked at beside the rest.
        with ThreadPoolExecutor(max_workers=1) as beside:
            first = beside.submit(ask, alone)
            rest = [one for one in self.checks if one not in alone]
            found: dict[Declared[..., Any], Check | None] = {}
            for at, one in enumerate(rest):
                tell(f"checking {one.name}", at / len(rest))
                found |= ask([one])
            found |= first.result()
        checks = tuple(answer for one in self.checks if (answer := found[one]) is not None)
        held.update(answer.name for answer in checks if answer.holds)
        figures: Figures = {}
        for way in self.figures:
            figures |= at_hand.follow(way) or {}
        return checks, figures


def ways_to_read(stated: Callable[[Release], Form | None]) -> dict[str, Way]:
    """Begin the ways of a promise: with what the description is stated to say."""
    return {
        "stated": stated,
        "described": lambda stated=None: stated is not None,
        "data": lambda stated: stated.tables[0],
        "second": lambda stated: next(iter(stated.tables[1:]), None),
        "third": lambda stated: next(iter(stated.tables[2:]), None),
        # All else that is read relies on files being as they are described.
        "form": lambda stated: stated if is_legible(stated) else None,
        "promise": lambda form: form.promise,
        "exact": lambda release: exact_of(release.description["anachron"]),
        "each_row": lambda release: release.description["anachron"].get("people") == "each row",
        # Microdata that may be others, and those that are the right ones.
        "offered": lambda form, microdata: form and microdata,
        "unaided": lambda table, history=None: table if history is None else None,
    }


def fitting(roles: Declared[..., Any]) -> Way:
    """Take the microdata that are offered, if their roles are right."""

    @wraps(roles.find)
    def table(**things: Any) -> Microdata | None:
        return things["offered"] if roles.holds(**things) else None

    return table
