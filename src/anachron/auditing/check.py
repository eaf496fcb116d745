"""A check is declared, and not written out: what it is about, and what was promised.

A declared check is a small function that says only what is wrong. Its parameters are what it needs:
they are looked up by name among what is at hand, and where one of them is missing (no ledger, no
microdata, files that cannot be read) the check is not asked. The judge does the rest for all: it
writes what was promised and measured, and names places to look at.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast, overload

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check

__all__ = [
    "AS_PROMISED",
    "SHOWN",
    "Declared",
    "Figures",
    "Found",
    "Wrong",
    "check",
    "every",
    "fraction",
    "groups_named",
    "measured",
    "releases_named",
    "such_as",
    "witnesses",
]

SHOWN = 5
"""How many places a check names at most."""
AS_PROMISED = "as promised"
Wrong = Mapping[str, Flags | bool | int]
"""What can be wrong, in words, and whether it is: of which groups, how often, or at all.

Groups are named after the words, and counts come before them.
"""
Figures = dict[str, int | str]
"""What is measured along the way: counts and shares, no personal values."""
_Needs = ParamSpec("_Needs")
_Answer = TypeVar("_Answer", bound=Check | None, covariant=True)


@dataclass(frozen=True, eq=False)
class Found:
    """What a check found."""

    wrong: Wrong
    fine: str = AS_PROMISED
    """What was measured, if nothing is wrong."""
    groups: Array | None = None
    """The numbers of the groups that flags are about: those that are wrong are named."""
    where: tuple[str, ...] = ()
    """Other places to look at."""
    promised: str = ""
    """What was promised, where that depends on more than the promise."""
    about: str = ""
    """Likewise, what the check is about."""

    @property
    def measured(self) -> str:
        """What is wrong, or what was measured if nothing is."""
        return "; ".join(self._texts()) or self.fine

    @property
    def witnesses(self) -> tuple[str, ...]:
        """Some places in which something is wrong."""
        flags = [how for how in self.wrong.values() if isinstance(how, np.ndarray)]
        named = () if self.groups is None else witnesses(self.groups, *flags)
        return (*named, *self.where)

    def _texts(self) -> Iterator[str]:
        for text, how in self.wrong.items():
            if isinstance(how, np.ndarray):
                if how.any():
                    yield text if self.groups is None else text + such_as(self.groups, how)
            elif how:
                yield text if isinstance(how, bool | np.bool_) else f"{how:,} {text}"


def measured(text: str, right: bool, where: tuple[str, ...] = (), *, promised: str = "") -> Found:
    """Find what is told in the same words whether it is right or not."""
    return Found({text: not right}, text, where=where, promised=promised)


@dataclass(frozen=True, eq=False)
class Declared(Generic[_Needs, _Answer]):
    """A check as it is declared: it can be judged for whatever is at hand."""

    name: str
    about: str
    """What it is about, in plain words. Here and in what is promised, braces stand for needs."""
    promised: str
    find: Callable[_Needs, Found | None]
    """Says what is wrong; None where there is nothing to be checked."""

    def ask(self, *given: _Needs.args, **named: _Needs.kwargs) -> _Answer:
        """Judge, given all that is needed; None where there is nothing to be checked."""
        found = self.find(*given, **named)
        return cast(_Answer, None if found is None else self._judged(found, given, named))

    def _judged(
        self, found: Found, given: tuple[object, ...], named: Mapping[str, object]
    ) -> Check:
        things = inspect.signature(self.find).bind(*given, **named).arguments
        return Check(
            self.name,
            not any(np.any(how) for how in found.wrong.values()),
            found.promised or self.promised.format(**things),
            found.measured,
            found.about or self.about.format(**things),
            found.witnesses,
        )

    def holds(self, *given: _Needs.args, **named: _Needs.kwargs) -> bool:
        """Tell whether nothing is wrong."""
        answer = self.ask(*given, **named)
        return answer is None or answer.holds


class _Declaring(Protocol):
    """What turns a function into a check: one that always answers, or one that may not."""

    @overload
    def __call__(self, find: Callable[_Needs, Found]) -> Declared[_Needs, Check]: ...

    @overload
    def __call__(self, find: Callable[_Needs, Found | None]) -> Declared[_Needs, Check | None]: ...


def check(name: str, about: str, promised: str = "") -> _Declaring:
    """Declare a check: its name, what it is about, and what was promised.

    What was promised is the first paragraph of the function's docstring, if it is not given here
    and :class:`Found` does not say it.
    """

    def declared(find: Callable[..., Found | None]) -> Declared[..., Any]:
        said = inspect.cleandoc(find.__doc__ or "").partition("\n\n")[0]
        return Declared(name, about, promised or " ".join(said.split()), find)

    return cast(_Declaring, declared)


def every(groups: Array) -> Flags:
    """Flags for groups of which each is wrong."""
    return np.ones(len(groups), dtype=bool)


def such_as(number: Array, wrong: Flags) -> str:
    """Name some of the groups in which a check fails, by number."""
    if not wrong.any():
        return ""
    some = ", ".join(str(n) for n in number[wrong][:SHOWN])
    return f" ({int(wrong.sum()):,} groups, such as {some})"


def witnesses(number: Array, *wrong: Flags) -> tuple[str, ...]:
    """Name some of the groups in which a check fails in any of these ways, as places to look at."""
    if not wrong:
        return ()
    return groups_named(number[np.logical_or.reduce(wrong)].tolist())


def groups_named(number: Iterable[int]) -> tuple[str, ...]:
    """Name the first of these groups as places to look at."""
    return tuple(f"group {n}" for n in islice(dict.fromkeys(number), SHOWN))


def releases_named(names: Iterable[str]) -> tuple[str, ...]:
    """Name the first of these releases as places to look at."""
    return tuple(f"release {name}" for name in islice(names, SHOWN))


def fraction(share: Fraction) -> str:
    """Write a share, or a chance, as an exact fraction and as a percentage."""
    return f"{share} ({float(share):.2%})"
