"""Promises as questions that a person can answer: which parts of one a page asks for, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from anachron.calendar.definitions import BUILT_IN
from anachron.errors import PlanError
from anachron.guarantees import Guarantee, MInvariance
from anachron.parts.numbers import shortest

__all__ = ["QUESTIONS", "Question", "answered"]

Kind = Literal["whole", "percent", "number", "one", "several"]


@dataclass(frozen=True)
class Question:
    """A part of a promise, and how it is asked for. The words of it stand in ``promise.html``."""

    part: str
    kind: Kind
    choices: tuple[str, ...] = ()
    optional: bool = False

    def given(self, promise: Guarantee) -> Any:
        """The answer that a promise has now, as a form holds it."""
        kept = getattr(promise, self.part)
        if self.kind == "several":
            return tuple(getattr(one, "name", one) for one in kept)
        if kept is None:
            return ""
        if self.kind == "percent":
            return shortest(100 * Fraction(kept))
        if isinstance(kept, MInvariance):
            return "invariance"
        return getattr(kept, "name", None) or (
            shortest(kept) if isinstance(kept, Fraction) else str(kept)
        )

    def offered(self, promise: Guarantee) -> tuple[str, ...]:
        """What can be answered: what is built in, and what the plan has of its own."""
        now = self.given(promise)
        own = now if isinstance(now, tuple) else (now,)
        return tuple(dict.fromkeys((*self.choices, *own)) if self.choices else ())

    def read(self, promise: Guarantee, said: list[str]) -> Any:
        """From what a form says to what a promise takes."""
        text = said[0].strip() if said else ""
        if self.kind == "several":
            known = {getattr(one, "name", one): one for one in getattr(promise, self.part)}
            return tuple(known.get(name, name) for name in said)
        if text == self.given(promise):
            return getattr(promise, self.part)
        if not text and self.optional:
            return None
        return _READ[self.kind](self.part, text)


def _whole(part: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise PlanError(f"{part} must be a whole number.")
    return int(text)


def _percent(part: str, text: str) -> Fraction:
    try:
        return Fraction(text.replace(",", ".").removesuffix("%").strip()) / 100
    except (ValueError, ZeroDivisionError):
        raise PlanError(f"{part} must be a share in percent.") from None


_READ: Mapping[Kind, Callable[[str, str], Any]] = {
    "whole": _whole,
    "percent": _percent,
    "number": lambda _, text: text.replace(",", "."),
    "one": lambda _, text: text,
}

QUESTIONS: Mapping[str, tuple[Question, ...]] = {
    "granularity": (
        Question("k", "whole"),
        Question("granularities", "several", BUILT_IN),
        Question("max_suppressed", "percent"),
        Question("max_share", "percent", optional=True),
        Question("keep", "one", ("time", "quasi", "neither")),
    ),
    "invariance": (
        Question("m", "whole"),
        Question("mode", "one", ("sticky", "transparent", "paper")),
        Question("when_ineligible", "one", ("refuse", "hold")),
    ),
    "reposition": (
        Question("l", "number"),
        Question("window", "whole"),
        Question("snapshot", "one", BUILT_IN),
        Question("late", "one", ("refuse", "recycle", "drop")),
        Question("repeated", "one", ("refuse", "one")),
        Question("then", "one", ("anatomy", "generalize")),
    ),
    "patterns": (
        Question("k", "whole"),
        Question("P", "whole"),
        Question("precision", "number", optional=True),
        Question("l", "whole", optional=True),
        Question("gaps", "one", ("refuse", "interpolate", "trim", "drop")),
    ),
}
"""By method. A part that is not asked for stays as the plan has it."""


def answered(promise: Guarantee, several: Callable[[str], list[str]]) -> Guarantee:
    """The promise with the answers of a form; ``several`` gives what it says of a part."""
    from anachron.trying.settings import with_parts

    changes = {
        question.part: question.read(promise, several(question.part))
        for question in QUESTIONS[promise.method]
    }
    return with_parts(promise, changes)
