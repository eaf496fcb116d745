"""What is wished for, what a method brings to it, and what is handed over at each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import pyarrow as pa

from anachron.auditing.history import FeedPast, History, TablePast
from anachron.engines.base import Table
from anachron.guarantees import Guarantee
from anachron.ledger import Before, Entry
from anachron.methods.outcome import Explanation, Outcome, Record
from anachron.progress import Tell
from anachron.schema import Schema

__all__ = ["Course", "Due", "Past", "Seen", "Waiting", "Work"]

Past = History | FeedPast | TablePast | None
Asked = TypeVar("Asked", bound=Guarantee, contravariant=True)
New = TypeVar("New")
Promise = TypeVar("Promise", bound=Guarantee, covariant=True)


@dataclass(frozen=True, eq=False)
class Work(Generic[Promise]):
    """A wish to publish: the roles of the columns, what is promised, and how it is to be done."""

    schema: Schema
    guarantee: Promise
    csv: bool
    tell: Tell
    max_views: int | None = None
    """Search so many views, however long it takes."""
    as_of: str | None = None
    """The name by which everybody knows this release of a register."""
    accept: frozenset[str] = frozenset()
    """What the owner was asked about, or would be, and takes as it is."""

    @property
    def plan(self) -> dict[str, Any]:
        """What the ledger remembers of the wish."""
        schema, guarantee = self.schema.to_dict(), self.guarantee.to_dict()
        named = {} if self.as_of is None else {"as_of": self.as_of}
        return {"schema": schema, "guarantee": guarantee, "csv": self.csv, **named}


@dataclass(frozen=True, eq=False)
class Seen(Generic[New]):
    """What a ledger knows of what it is given."""

    again: tuple[Entry, ...] = ()
    """The releases that were made of it before, and are given again."""
    new: New | None = None
    """What of it is to be planned; None if nothing is."""
    lost: New | None = None
    """What the release was made of, if its folder is gone."""


@dataclass(frozen=True, eq=False)
class Due:
    """A release that is to be written, verified and remembered."""

    name: str
    """What the ledger knows the snapshot by."""
    outcome: Outcome[Explanation]
    past: Past
    """What the audit needs of the past."""
    rows: Table | None
    """The rows that the audit compares the release with, if they are at hand."""
    beside: Record
    """What the owner is told beside what the method explains."""
    memory: pa.Table | None = None
    """What a feed remembers from now on."""
    more: bool = False
    """Whether another transaction of the ledger must follow."""
    done: float = 1.0
    """Which share of the course is done with it."""


@dataclass(frozen=True, eq=False)
class Waiting:
    """A push of which nothing is due yet."""

    memory: pa.Table
    """What the feed remembers from now on."""
    more: bool
    """Whether another transaction of the ledger must follow."""
    done: float = 1.0
    """Which share of the course is done with it."""


class Course(Protocol[Asked, New]):
    """How something is published: as a table by itself, the next state of a register, a push, …"""

    @property
    def one(self) -> bool:
        """Whether each transaction takes the next snapshot only."""
        ...

    def recognise(self, work: Work[Asked], publication: Before) -> Seen[New]:
        """Tell what was published before, and refuse what the ledger cannot take."""
        ...

    def plan(self, work: Work[Asked], new: New, publication: Before) -> Due | Waiting:
        """Carry out the method."""
        ...
