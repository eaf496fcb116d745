"""Parts: how the fields of a schema, a promise or a plan are declared, taken and given back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from fractions import Fraction
from inspect import Parameter, signature
from typing import Any, Self

from anachron.errors import PlanError, Problem
from anachron.parts.numbers import written
from anachron.parts.shapes import Holds

__all__ = ["NEVER", "UNREAD", "Kind", "Lasting", "Part", "Plain", "Reading", "Value", "defaults",
           "freely", "never", "onwards", "part", "parts_of", "spread"]  # fmt: skip

NEVER = "never"

UNREAD: Any = object()
"""Stands for a part that could not be read, and whose problems are told elsewhere."""


def _same(value: Any) -> Any:
    return value


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) else str(getattr(value, "name", value))


@dataclass(frozen=True)
class Kind:
    """What a part can be, and how it goes in and out."""

    holds: Holds
    """What a plan file may hold for it."""
    read: Callable[[str, Any], Any]
    """From the name of the part, and what was given, to what is kept; or a PlanError."""
    unfold: Callable[[Any], Any] = _same
    """From what is kept, which is frozen, to dictionaries where there are names."""
    restore: Callable[[Any], Any] = _same
    """From plain values to what can be given."""
    toml: Callable[[Any], Any] | None = None
    """From what is kept to what stands in a plan file, if that is something of its own."""
    show: Callable[[Any], str] = _shown
    """From what is kept to a few words of it."""
    within: type[Any] | None = None
    """The promise that it may be, as a table of a plan."""
    none: str | None = None
    """What a plan says for None, where that is not what is left unsaid."""


@dataclass(frozen=True)
class Lasting:
    """How a part may change from one release of a history to the next, and why."""

    may: str
    """How it may change: freely, never, or in which way."""
    why: str
    follows: Callable[[Any, Any], bool]
    """Whether a plain value may follow another one, which it does not equal."""
    planned: bool = True
    """Whether a feed rests on it from its first push on, and not only from its first release."""


def freely(why: str) -> Lasting:
    """Any value may follow any other."""
    return Lasting("freely", why, lambda _before, _after: True)


def never(why: str) -> Lasting:
    """The first value stays."""
    return Lasting(NEVER, why, lambda _before, _after: False)


def onwards(words: tuple[str, ...], why: str) -> Lasting:
    """From each word to those after it, and not back."""
    may = f"from {' to '.join(words)}"
    return Lasting(may, why, lambda before, after: words.index(before) <= words.index(after))


@dataclass(frozen=True)
class Part:
    """One part of a schema, a promise or a plan."""

    kind: Kind
    lasting: Lasting | None = None
    """How it may change in a history; None where there are no histories."""
    optional: bool = False
    """Whether it may be None."""
    shown: bool = False
    """Whether it belongs to the representation, if it says something."""
    only_with: str | None = None
    """The part without which it has no meaning."""
    before: Any = UNREAD
    """What it was before there was such a part: ledgers and releases do not mention it then. Or,
    from all parts by name, what it was."""
    by_column: str = ""
    """What each of its entries is called, if they are for quasi columns."""
    of_times: bool = False
    """Whether its entries are names of times of series."""
    remark: str = ""
    """What is to be said of it in a plan file, beside what it means."""
    written: Callable[[Any], bool] = lambda _: True
    """Whether it has a place in the plan of a promise, if it holds anything."""

    def unsaid(self, others: Mapping[str, Any]) -> Any:
        """What it is where it is not mentioned, beside the others."""
        return self.before(others) if callable(self.before) else self.before


def part(kind: Kind | Part, lasting: Lasting | None = None, **more: Any) -> Any:
    """Declare what a field keeps: a part that others have too; or its kind, and what else is so."""
    declared = kind if isinstance(kind, Part) else Part(kind, lasting, **more)
    return field(metadata={"part": declared})


def parts_of(of: type[Any]) -> dict[str, Part]:
    """The parts that a class declares, by name."""
    return {f.name: f.metadata["part"] for f in fields(of)}


def defaults(of: type[Any]) -> dict[str, Any]:
    """What each part is if it is not given; those that must be given are not in it."""
    told = signature(of).parameters.values()
    return {p.name: p.default for p in told if p.default is not Parameter.empty}


class Reading:
    """What was read so far, and what is wrong."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}
        """The parts that are right by themselves."""
        self.problems: list[Problem] = []

    def take(self, name: str, read: Callable[[str, Any], Any], given: Any) -> None:
        """Read a part and keep it; if it is refused, remember why."""
        try:
            self.kept[name] = read(name, given)
        except PlanError as error:
            self.problems.extend(error.problems)

    def add(self, what: str, remedy: str | None = None) -> None:
        """Remember a problem."""
        self.problems.append(Problem(what, remedy=remedy))

    def finish(self) -> dict[str, Any]:
        """Give what was read, or raise what is wrong."""
        if self.problems:
            raise PlanError(self.problems)
        return self.kept


class Value:
    """A frozen value made of parts.

    The ``__init__`` of a class says what can be given, and hands it to :meth:`_keep` as it is.
    """

    def _keep(self, given: Mapping[str, Any]) -> None:
        """Take what was given, or say all that is wrong with it."""
        reading = Reading()
        for name, part in parts_of(type(self)).items():
            value = given[name]
            if value is None and part.optional:
                reading.kept[name] = None
            elif value is not UNREAD:
                reading.take(name, part.kind.read, value)
        self._settle(reading)
        if any(value is UNREAD for value in given.values()):
            raise PlanError(reading.problems)
        # All at once: from then on it is frozen.
        vars(self).update(reading.finish())

    @classmethod
    def _settle(cls, reading: Reading) -> None:
        """Look at parts together: complete what follows from others, tell what does not fit."""


class Plain(Value):
    """A value that goes to ledgers and releases as plain values, and comes back."""

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain values, for plans, ledgers and releases."""
        return {
            name: spread(part.kind.unfold(value), _plain)
            for name, part in parts_of(type(self)).items()
            if (value := getattr(self, name)) != part.unsaid(vars(self))
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read back what :meth:`to_dict` gave."""
        parts = parts_of(cls)
        told = {n: p.unsaid(values) for n, p in parts.items() if p.before is not UNREAD}
        for name, value in values.items():
            known = name in parts and value is not None
            told[name] = parts[name].kind.restore(value) if known else value
        return cls(**told)


def spread(value: Any, write: Callable[[Any], Any]) -> Any:
    """Write everything in a value, which may be or hold lists and dictionaries."""
    if isinstance(value, dict):
        return {name: spread(one, write) for name, one in value.items()}
    if isinstance(value, tuple):
        return [spread(one, write) for one in value]
    return write(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return written(value)
    if isinstance(value, Fraction):
        return str(value)
    return value.to_dict() if hasattr(value, "to_dict") else value
