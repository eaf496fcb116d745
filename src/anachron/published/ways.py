"""The ways to publish a column: one small class for each.

A way knows under which names a column stands in the published tables, says itself as plain values
for the description of a release, takes exactly what it would say, and says itself in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, ClassVar, Self

from anachron.calendar.definitions import Granularity
from anachron.errors import InputError
from anachron.published.strict import Misfit, at, decimal, entries, keys, same, texts, whole

__all__ = [
    "AsItIs",
    "Bins",
    "Content",
    "Envelope",
    "Granules",
    "Interval",
    "LeftOut",
    "Ordered",
    "Parents",
    "Prefix",
    "Snapshots",
    "Way",
    "Word",
    "bounds",
]


def bounds(column: str) -> tuple[str, str]:
    """The columns that hold the ends of an interval."""
    return f"{column}_low", f"{column}_high"


@dataclass(frozen=True)
class Way:
    """How a column of the schema is published."""

    role: ClassVar[str] = "quasi"
    step: ClassVar[str | None] = None
    """Its word in the description, where the role alone does not say it."""

    column: str

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it is published as."""
        return self._names()

    def words(self, name: str, time_zone: str) -> str:
        """Say what a published column means."""
        return self._sentences(time_zone)[self.names.index(name)]

    def said(self) -> dict[str, Any]:
        """Say it as plain values."""
        step = {} if self.step is None else {"step": self.step}
        return {"role": self.role, "published": list(self.names), **step, **self._own()}

    def _own(self) -> dict[str, Any]:
        return {}

    @classmethod
    def taken(cls, column: str, given: Any, place: str) -> Self:
        """Take exactly what this way says of a column, or tell where it is something else."""
        parts = cls._parts()
        step = () if cls.step is None else ("step",)
        found = keys(given, place, ("role", "published", *step, *parts))
        read = {key: take(found[key], at(place, key)) for key, take in parts.items()}
        way = cls(column, **read, **cls._seen(found))
        for key, said in way.said().items():
            same(found[key], said, at(place, key))
        return way

    @classmethod
    def tells(cls, given: Mapping[str, Any]) -> bool:
        """Whether what is said has the keys of this way."""
        return set(cls._parts()) <= set(given)

    @classmethod
    def _parts(cls) -> dict[str, Any]:
        """The keys that only this way has, and how each is read."""
        return {}

    @classmethod
    def _seen(cls, _found: Mapping[str, Any]) -> dict[str, Any]:
        """What follows from how it is said."""
        return {}

    def _names(self) -> tuple[str, ...]:
        return (self.column,)

    def _sentences(self, _zone: str) -> tuple[str, ...]:
        return (f"The value of {self.column!r} as it is.",)


@dataclass(frozen=True)
class AsItIs(Way):
    """Quasi values as they are."""

    step: ClassVar[str | None] = "as it is"


@dataclass(frozen=True)
class Content(Way):
    """Sensitive values, which are published as they are."""

    role: ClassVar[str] = "sensitive"


@dataclass(frozen=True)
class LeftOut(Way):
    """Not at all."""

    step: ClassVar[str | None] = "left out"

    def _names(self) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True)
class Prefix(Way):
    """The first characters of texts."""

    step: ClassVar[str | None] = "prefix"

    length: int

    def _own(self) -> dict[str, Any]:
        return {"length": self.length}

    @classmethod
    def _parts(cls) -> dict[str, Any]:
        return {"length": whole}

    def _sentences(self, _zone: str) -> tuple[str, ...]:
        return (f"The first {self.length} characters of {self.column!r}.",)


@dataclass(frozen=True)
class Parents(Way):
    """Labels, each of which stands for several values."""

    step: ClassVar[str | None] = "parents"

    covers: Mapping[str, tuple[str, ...]] = field(hash=False)

    def _own(self) -> dict[str, Any]:
        return {"covers": {label: list(values) for label, values in self.covers.items()}}

    @classmethod
    def _parts(cls) -> dict[str, Any]:
        return {"covers": _covers}

    def _sentences(self, _zone: str) -> tuple[str, ...]:
        return (f"The group of values that {self.column!r} belongs to.",)


def _covers(given: Any, place: str) -> dict[str, tuple[str, ...]]:
    held = enumerate(entries(given, place).items())
    return {label: tuple(texts(values, at(place, n))) for n, (label, values) in held}


@dataclass(frozen=True)
class Ends(Way):
    """Something between two ends, which belong to it."""

    def _names(self) -> tuple[str, ...]:
        return bounds(self.column)

    def _sentences(self, _zone: str) -> tuple[str, ...]:
        rest = f"value of an interval that holds {self.column!r}; it belongs to the interval."
        return f"Lowest {rest}", f"Highest {rest}"


@dataclass(frozen=True)
class Bins(Ends):
    """Numbers in bins of one width."""

    step: ClassVar[str | None] = "bins"

    width: Decimal
    origin: Decimal

    def _own(self) -> dict[str, Any]:
        return {"width": str(self.width), "origin": str(self.origin)}

    @classmethod
    def _parts(cls) -> dict[str, Any]:
        return {"width": decimal, "origin": decimal}


@dataclass(frozen=True)
class Interval(Ends):
    """Numbers in intervals on a grid."""

    step: ClassVar[str | None] = "interval"

    width: Decimal

    def _own(self) -> dict[str, Any]:
        return {"width": str(self.width)}

    @classmethod
    def _parts(cls) -> dict[str, Any]:
        return {"width": decimal}


@dataclass(frozen=True)
class Ordered(Ends):
    """Texts among neighbours in an order."""

    step: ClassVar[str | None] = "interval"

    order: tuple[str, ...]

    def _own(self) -> dict[str, Any]:
        return {"order": list(self.order)}

    @classmethod
    def _parts(cls) -> dict[str, Any]:
        return {"order": lambda given, place: tuple(texts(given, place))}

    def _sentences(self, _zone: str) -> tuple[str, ...]:
        rest = f"of the neighbouring values among which {self.column!r} is; it belongs to them."
        return f"First {rest}", f"Last {rest}"


@dataclass(frozen=True)
class Granules(Way):
    """Times as granules of the calendar: their labels, and where they start and end."""

    role: ClassVar[str] = "time"

    granularity: Granularity

    def _names(self) -> tuple[str, ...]:
        return self.column, f"{self.column}_start", f"{self.column}_end"

    def _own(self) -> dict[str, Any]:
        return {"granularity": self.granularity.to_dict()}

    @classmethod
    def _parts(cls) -> dict[str, Any]:
        return {"granularity": _granularity}

    def _sentences(self, zone: str) -> tuple[str, ...]:
        what = self.granularity.name.replace("_", " ")
        return (
            f"{self._event(what)}, by the clock and calendar of {zone}.",
            f"When that {what} starts; this instant belongs to it.",
            f"When that {what} ends; this instant no longer belongs to it.",
        )

    def _event(self, granule: str) -> str:
        return f"The {granule} of the event"


@dataclass(frozen=True)
class Snapshots(Granules):
    """Times as the snapshots of a feed, in which some events stand that happened before."""

    step: ClassVar[str | None] = "snapshot"

    def _event(self, granule: str) -> str:
        return f"The {granule} as part of which the event is published, its own or a later"


def _granularity(given: Any, place: str) -> Granularity:
    try:
        return Granularity.from_dict(given)
    except (InputError, KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise Misfit(place, "it is no granularity") from None


@dataclass(frozen=True)
class Envelope(Ends):
    """Values of series at a time, between those of a group; or nothing, or a part of a shape."""

    role: ClassVar[str] = "series"

    is_shown: bool
    """Whether its bounds are published."""
    pattern: bool
    """Whether it is one of the times that patterns cover."""

    def _names(self) -> tuple[str, ...]:
        return bounds(self.column) if self.is_shown else ()

    def _own(self) -> dict[str, Any]:
        return {"pattern": self.pattern}

    @classmethod
    def _parts(cls) -> dict[str, Any]:
        return {"pattern": _truth}

    @classmethod
    def _seen(cls, found: Mapping[str, Any]) -> dict[str, Any]:
        return {"is_shown": bool(found["published"])}


@dataclass(frozen=True)
class Word(Way):
    """The shape of a series: its letters, or from how many they are taken.

    It is said of no column: every release of series has these.
    """

    role: ClassVar[str] = "pattern"


def _truth(given: Any, place: str) -> bool:
    if type(given) is not bool:
        raise Misfit(place, "it is neither true nor false")
    return given
