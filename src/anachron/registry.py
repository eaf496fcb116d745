"""The methods, and where each room of the house keeps its part of them.

A part is named here and loaded when it is asked for, so that nothing is imported that is not
needed. Each room says for itself of what type its parts are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

__all__ = ["METHODS", "Method", "Part", "registered"]


@dataclass(frozen=True)
class Part:
    """Something that a room has for one method."""

    place: str
    """As ``module:name``, within ``anachron``."""

    def load(self) -> Any:
        """Import it."""
        module, name = self.place.split(":")
        return getattr(import_module(f"anachron.{module}"), name)


@dataclass(frozen=True)
class Method:
    """A way to publish, under one promise."""

    name: str
    courses: Part
    """How its releases are made."""


METHODS = {
    method.name: method
    for method in (
        Method("granularity", Part("making.tables:events")),
        Method("invariance", Part("making.tables:register")),
        Method("reposition", Part("making.feeds:feed")),
        Method("patterns", Part("making.tables:series")),
    )
}
"""By name, in the order in which they are offered."""


@contextmanager
def registered(method: Method) -> Iterator[None]:
    """Have one method more, for as long as the block lasts."""
    METHODS[method.name] = method
    try:
        yield
    finally:
        del METHODS[method.name]
