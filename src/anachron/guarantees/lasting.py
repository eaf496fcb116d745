"""What of a promise may change from one release of a history to the next, and what may not.

A register and a feed are histories: their releases tell of the same people, who are protected
by what stays the same. Tables of events and of series are published each for itself, under one
method; there every part may change, and what must not meet twice are people at the same time.

The parts are compared as plain values, as ledgers and releases hold them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from anachron.guarantees import promises
from anachron.parts.part import NEVER, Lasting, parts_of
from anachron.schema import Schema

__all__ = ["HISTORIES", "PARTS", "Change", "changes", "lasts"]


def _lasting(of: type[Any]) -> Mapping[str, Lasting]:
    return {name: p.lasting for name, p in parts_of(of).items() if p.lasting is not None}


HISTORIES = tuple(method for method, promise in promises().items() if _lasting(promise))
"""The methods whose releases are one history."""
PARTS: Mapping[str, Mapping[str, Lasting]] = {
    "schema": _lasting(Schema),
    **{method: _lasting(promises()[method]) for method in HISTORIES},
}
"""How each part of a schema and of the guarantees of histories may change, by its name."""


@dataclass(frozen=True)
class Change:
    """A part that is not as it was."""

    name: str
    """With the parts that it is within: ``then.orders``."""
    part: Lasting
    allowed: bool

    def __str__(self) -> str:
        """Say what may be done instead, and why."""
        if self.part.may == NEVER:
            return f"{self.name} must not change in a history of releases: {self.part.why}"
        return f"{self.name} may change only so: {self.part.may}; {self.part.why}"


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """Say what differs between two plans (schema and guarantee) of a history, as far as given."""
    method = after["guarantee"]["method"]
    if before["guarantee"]["method"] != method or method not in HISTORIES:
        return ()
    found: list[Change] = []
    if "schema" in before and "schema" in after:
        found += _compared("schema", before["schema"], after["schema"])
    return (*found, *_compared(method, before["guarantee"], after["guarantee"]))


def lasts(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether a guarantee may follow another in a history. What is malformed may not."""
    if before.get("method") != after.get("method"):
        return False
    try:
        differing = changes({"guarantee": before}, {"guarantee": after})
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        return False
    return all(change.allowed for change in differing)


def _compared(what: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    for name, part in PARTS[what].items():
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if name == "then" and isinstance(old, Mapping) and isinstance(new, Mapping):
            # Two promises of one method: what differs between them.
            for change in _compared(new["method"], old, new):
                yield Change(f"{name}.{change.name}", change.part, change.allowed)
        else:
            yield Change(name, part, part.follows(old, new))
