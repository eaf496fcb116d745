"""What of a promise may change from one release of a history to the next, and what may not.

A register and a feed are histories: their releases tell of the same people, who are protected
by what stays the same. Tables of events and of series are published each for itself, under one
method; there every part may change, and what must not meet twice are people at the same time.

The parts are compared as plain values, as ledgers and releases hold them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

__all__ = ["HISTORIES", "NEVER", "PARTS", "Change", "Part", "changes", "lasts", "parts_of"]

HISTORIES = ("invariance", "reposition")
"""The methods whose releases are one history."""

FREELY, NEVER = "freely", "never"
PATIENCE = ("refuse", "recycle", "drop")


@dataclass(frozen=True)
class Part:
    """One part of a schema or a guarantee, and how it may change."""

    name: str
    may: str
    """How it may change: freely, never, or in which way."""
    why: str
    follows: Callable[[Any, Any], bool]
    """Whether a value may follow another one, which it does not equal."""
    planned: bool = True
    """Whether a feed rests on it from its first push on, and not only from its first release."""


@dataclass(frozen=True)
class Change:
    """A part that is not as it was."""

    name: str
    """With the parts that it is within: ``then.orders``."""
    part: Part
    allowed: bool

    def __str__(self) -> str:
        """Say what may be done instead, and why."""
        if self.part.may == NEVER:
            return f"{self.name} must not change in a history of releases: {self.part.why}"
        return f"{self.name} may change only so: {self.part.may}; {self.part.why}"


def _free(name: str, why: str) -> Part:
    return Part(name, FREELY, why, lambda _before, _after: True)


def _fixed(name: str, why: str) -> Part:
    return Part(name, NEVER, why, lambda _before, _after: False)


def _multiples(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Every width is a whole number of times what it was; whole numbers have 1 by themselves."""
    widths = {c: (Decimal(before.get(c, 1)), Decimal(after.get(c, 1))) for c in {*before, *after}}
    return all(new >= old and new % old == 0 for old, new in widths.values())


def _extended(before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> bool:
    """Every order begins with what it was."""
    return before.keys() == after.keys() and all(
        after[column][: len(order)] == order for column, order in before.items()
    )


def _more(before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> bool:
    """Whatever could become what still can. An empty list of changes says that any can."""
    if not before or not after:
        return not after
    return all(set(others) <= set(after.get(value, ())) for value, others in before.items())


def _later(*words: str) -> Callable[[Any, Any], bool]:
    return lambda before, after: words.index(before) <= words.index(after)


_GRID = (
    Part(
        "widths",
        "to a whole multiple",
        "then every bound lies on the grid of before, and no two releases together are finer",
        _multiples,
        planned=False,
    ),
    Part(
        "orders",
        "values may be added at the end",
        "each value keeps its place, so that an interval means the same in all releases",
        _extended,
        planned=False,
    ),
    _free("domains", "they weigh intervals, and move no bound: grids begin at 0 whatever they are"),
)

PARTS: Mapping[str, tuple[Part, ...]] = {
    "schema": (
        _fixed("subject", "people are recognised by it"),
        _fixed("time", "snapshots are told by it"),
        _fixed("quasi", "releases with other columns, laid together, tell more than each promises"),
        _fixed("sensitive", "the sets that people keep are made of its values"),
        _fixed("series", "they are the values that are published"),
        _fixed("time_zone", "the same time would lie in another snapshot"),
        _fixed("time_unit", "the same number would be another time"),
        _free("spelling", "it decides what one table may hold; by what people are recognised is "
              "recorded with the first release, and a spelling that contradicts it is refused"),
    ),
    "invariance": (
        _fixed("m", "people keep the sets that they have: a larger m they would break, and a "
               "smaller one promises less than they were given"),
        _fixed("mode", "it says what nobody can learn from the releases together, the first "
               "one included"),
        _free("balance", "it decides how many counterfeits are used, not what remains possible"),
        _free("when_ineligible", "it decides whether some people are held back or nobody is "
              "published, and each release says which"),
        *_GRID,
        Part(
            "values",
            "values may be added",
            "a set is made of values that could occur when it was drawn, and they still can",
            lambda before, after: set(before or ()) <= set(after or ()),
            planned=False,
        ),
        Part(
            "changes",
            "changes may be added, or all allowed",
            "a set that left m possible values still does when more can become what, and may "
            "not when less can",
            _more,
            planned=False,
        ),
    ),
    "reposition": (
        _fixed("l", "records that wait are planned by it"),
        _fixed("window", "records that wait are planned by it"),
        _fixed("snapshot", "a time would lie in two snapshots, or in none"),
        _fixed("solver", "what is planned is its memory"),
        _fixed("first", "it decides how a feed begins, and this one has begun"),
        _fixed("mu", "records that wait are planned by it"),
        _fixed("beta", "records that wait are planned by it"),
        Part("late", "from refuse to recycle to drop", "a record that was left out once cannot "
             "be asked for later", _later(*PATIENCE)),
        Part("repeated", "from refuse to one", "a record that was left out once cannot be asked "
             "for later", _later("refuse", "one")),
        # The parts of an m-invariance are looked at one by one.
        Part("then", "an m-invariance as one may itself", "records of one feed are published in "
             "one way", lambda _before, _after: False),
        Part("careful", "from not to be", "who was promised it is promised it to the end",
             lambda _before, after: after is True),
        *_GRID,
    ),
}  # fmt: skip
"""Each part of a schema and of the guarantees of histories. Said here and nowhere else."""


def parts_of(method: str) -> tuple[Part, ...]:
    """The parts of a guarantee by its method; empty where each release stands for itself."""
    return PARTS[method] if method in HISTORIES else ()


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """Say what differs between two plans (schema and guarantee) of a history, as far as given."""
    method = after["guarantee"]["method"]
    if before["guarantee"]["method"] != method or method not in HISTORIES:
        return ()
    found: list[Change] = []
    if "schema" in before and "schema" in after:
        found += _compared(PARTS["schema"], before["schema"], after["schema"])
    return (*found, *_compared(PARTS[method], before["guarantee"], after["guarantee"]))


def lasts(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether a guarantee may follow another in a history. What is malformed may not."""
    if before.get("method") != after.get("method"):
        return False
    try:
        differing = changes({"guarantee": before}, {"guarantee": after})
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        return False
    return all(change.allowed for change in differing)


def _compared(
    parts: tuple[Part, ...], before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Change]:
    for part in parts:
        old, new = before.get(part.name), after.get(part.name)
        if old == new:
            continue
        inner = _then(old, new) if part.name == "then" else None
        if inner is None:
            yield Change(part.name, part, part.follows(old, new))
        for change in inner or ():
            yield Change(f"{part.name}.{change.name}", change.part, change.allowed)


def _then(before: Any, after: Any) -> list[Change] | None:
    """What differs between two m-invariances; None if they are not both one."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return None
    return list(_compared(PARTS["invariance"], before, after))
