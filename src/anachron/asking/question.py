"""What a question asks, as frozen values: aggregates, conditions, groups.

A condition is true or false of a record, never unknown: where SQL would say unknown (a comparison
with a null), the record is not counted, and the condition is false. So a leaf is a set of values
of one column, with or without null, and ``NOT`` has been carried into the leaves already.

=================  =====================================================================
column holds       its leaves
=================  =====================================================================
whole numbers      :class:`Ranges`, with whole ends that belong to it
other numbers      :class:`Ranges`, ends as the column stores its numbers
the time           :class:`Ranges`, microseconds since 1970 UTC, from start up to before end
dates              :class:`Ranges`, days since 1970, from start up to before end
instants           :class:`Ranges`, microseconds since 1970 UTC, from start up to before end
texts              :class:`Among` or :class:`Begins`
booleans, others   :class:`Among`
series             :class:`ValueIn`, :class:`FeatureIn`, :class:`Similar`
=================  =====================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

__all__ = [
    "EVERYTHING",
    "NOTHING",
    "Aggregate",
    "All",
    "Among",
    "Any",
    "Begins",
    "Condition",
    "FeatureIn",
    "Grouping",
    "Leaf",
    "Number",
    "Question",
    "Ranges",
    "SeriesLeaf",
    "Similar",
    "Span",
    "ValueIn",
    "leaves",
]

Number = int | float | Decimal


@dataclass(frozen=True)
class Span:
    """The numbers between two ends; None is without end."""

    low: Number | None = None
    high: Number | None = None
    low_closed: bool = True
    """Whether the low end itself belongs to it."""
    high_closed: bool = True

    def holds(self, value: Number) -> bool:
        """Whether a number lies in the span."""
        if self.low is not None and (
            value < self.low or (value == self.low and not self.low_closed)
        ):
            return False
        return self.high is None or value < self.high or (value == self.high and self.high_closed)


@dataclass(frozen=True)
class Ranges:
    """The column lies in one of some spans."""

    column: str
    spans: tuple[Span, ...]
    """Disjoint and ascending."""
    nulls: bool = False
    """Whether a record without a value counts too."""


@dataclass(frozen=True)
class Among:
    """The column is one of some values; or none of them, where ``inside`` is false."""

    column: str
    values: frozenset[object]
    inside: bool = True
    nulls: bool = False
    """Whether a record without a value counts too."""


@dataclass(frozen=True)
class Begins:
    """The text begins with one of some prefixes; or with none, where ``inside`` is false."""

    column: str
    prefixes: tuple[str, ...]
    """Ascending, none the beginning of another."""
    inside: bool = True
    nulls: bool = False
    """Whether a record without a value counts too."""


Weights = tuple[tuple[str, float], ...]
"""Times and their coefficients, in the order of time, no coefficient 0."""


@dataclass(frozen=True)
class ValueIn:
    """The weighted sum of values of a series lies in one of some spans."""

    weights: Weights
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class FeatureIn:
    """The weighted sum of z-normalised values of a series, its shape, lies in one of some spans."""

    weights: Weights
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Similar:
    """The shape of a series is within ``delta`` of that of a sequence; or is not."""

    sequence: tuple[float, ...]
    """One number for each time whose pattern is published, in the order of time."""
    delta: float
    inside: bool = True


@dataclass(frozen=True)
class All:
    """All parts are true; without parts, everything is."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Any:
    """One part at least is true; without parts, nothing is."""

    parts: tuple[Condition, ...]


Leaf = Ranges | Among | Begins
SeriesLeaf = ValueIn | FeatureIn | Similar
Condition = Leaf | SeriesLeaf | All | Any

EVERYTHING = All(())
NOTHING = Any(())


@dataclass(frozen=True)
class Aggregate:
    """What is to be told of the records: how many, or the sum or mean of a column."""

    kind: Literal["count", "sum", "avg"] = "count"
    column: str | None = None

    @property
    def title(self) -> str:
        """What it is called, if it is not given a name."""
        return f"{self.kind}({self.column or '*'})"


@dataclass(frozen=True)
class Grouping:
    """Tell it apart by a column; a time by its published granules, or those of a granularity."""

    column: str
    granularity: str | None = None


@dataclass(frozen=True)
class Question:
    """A question as it is understood."""

    text: str
    aggregates: tuple[Aggregate, ...]
    where: Condition = EVERYTHING
    groupings: tuple[Grouping, ...] = ()
    titles: tuple[str, ...] = ()
    """How the person who asks calls each aggregate."""


def leaves(condition: Condition) -> tuple[Leaf | SeriesLeaf, ...]:
    """All leaves of a condition, from left to right."""
    if isinstance(condition, All | Any):
        return tuple(leaf for part in condition.parts for leaf in leaves(part))
    return (condition,)
