"""Look at a table and propose a role for each column, and a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from anachron.database import connected
from anachron.errors import InputError
from anachron.guarantees import Guarantee
from anachron.proposing.fitting import fitted, refuse_gaps
from anachron.proposing.ladders import unit_of
from anachron.proposing.look import Look, compared, look
from anachron.proposing.opening import opened, place
from anachron.proposing.promises import Promising
from anachron.proposing.proposal import Proposal
from anachron.proposing.roles import Name, Role
from anachron.proposing.shape import fitting
from anachron.proposing.sharing import shared
from anachron.proposing.uniqueness import identifying
from anachron.proposing.warnings import warnings_of
from anachron.registry import METHODS, MethodName
from anachron.schema import EACH_ROW, Schema
from anachron.scratch import near
from anachron.source.base import reading

__all__ = ["propose", "proposed"]


def propose(
    table: Any,
    method: MethodName | None = None,
    subject: str | Iterable[str] | None = None,
    time: str | None = None,
    quasi: str | Iterable[str] = (),
    sensitive: str | Iterable[str] = (),
    time_zone: str = "UTC",
    k: int = 5,
    time_format: str | None = None,
    stored_zone: str | None = None,
) -> Proposal:
    """Look at a table and propose a role for each column, with the reason.

    What is in doubt is proposed as quasi, or stays at home; nothing is published as it is unless
    its name says that the table is about it and hardly anybody is unique by it. No value of the
    table is repeated, but for those that a plan for a register declares.

    Parameters
    ----------
    table
        A file, a folder, the table of a database, or a table in memory.
    method
        ``"granularity"``, ``"invariance"``, ``"reposition"`` or ``"patterns"``; if not given, the
        one that fits the table.
    subject, time, quasi, sensitive
        Columns whose role you know. The subject may be several, or ``"each row"``.
    time_zone
        The zone whose clock and calendar are meant.
    k
        How many people must share what is published, where the promise is one of k.
    time_format
        How times are written, if not as ISO 8601: ``"%d.%m.%Y"``.
    stored_zone
        The zone whose clock the times in the table show, if it is not ``time_zone``.

    Example
    -------
    >>> import anachron as an
    >>> import pyarrow as pa
    >>> visits = pa.table({
    ...     "patient": [f"u{i % 40}" for i in range(120)],
    ...     "day": [f"2024-05-{1 + i % 28:02}" for i in range(120)],
    ...     "age": [20 + i % 40 for i in range(120)],
    ...     "diagnosis": [("flu", "burn", "cold")[i % 3] for i in range(120)],
    ...     "phone": [f"+49 30 {100_000 + i % 40}" for i in range(120)],
    ... })
    >>> found = an.propose(visits)
    >>> for role in found.roles:
    ...     print(f"{role.name:9} {role.column:9} {role.confidence}")
    subject   patient   sure
    time      day       likely
    quasi     age       likely
    sensitive diagnosis likely
    home      phone     sure
    >>> found.method, found.people
    ('granularity', 40)
    """
    said = _said(time, quasi, sensitive)
    given = _several(subject or ())
    return proposed(table, method, given, said, time_zone, k, time_format, stored_zone)


def proposed(
    table: Any,
    method: MethodName | None,
    subject: tuple[str, ...],
    said: Mapping[str, Name],
    time_zone: str,
    k: int,
    time_format: str | None,
    stored_zone: str | None,
    keep: Callable[[Look], None] = lambda _: None,
) -> Proposal:
    """Propose, given the roles that are known; ``keep`` sees the table while it is open."""
    time = next((column for column, role in said.items() if role == "time"), None)
    if method is not None and method not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}, found {method!r}.")
    clock = Clock(time_zone, time_format, stored_zone)
    # A plan that says nothing else keeps its ledger there.
    with near("ledger"), connected() as con:
        source, unreadable = opened(table, con, (time,) if time and time_format else ())
        with reading(source.name):
            found = look(con, source, said, subject, time_format)
            keep(found)
            name, fits = (method, "as you said") if method is not None else _fitting(found)
            promising: Promising = METHODS[name].proposal.load()
            found = fitted(found, promising, said)
            found = compared(shared(found, k, said) if promising.shares else found)
            columns = [column.name for part in _PUBLISHED for column in found.named(part)]
            content = found.who.unique(columns)
            unread = (Role(c, "home", "it cannot be read as it is", "sure") for c in unreadable)
            return Proposal(
                place(table),
                found.rows,
                found.person.count,
                name,
                fits,
                (*found.roles, *unread),
                identifying(found.who.unique, found.who.count, columns),
                content,
                warnings_of(found, content),
                *_promised(found, promising, clock, k),
            )


_PUBLISHED: tuple[Name, ...] = ("quasi", "sensitive")
"""What people can be told apart by, beside times and series."""


@dataclass(frozen=True)
class Clock:
    """How times are told, and in which zone they are meant."""

    time_zone: str
    time_format: str | None
    stored_zone: str | None


def _said(
    time: str | None, quasi: str | Iterable[str], sensitive: str | Iterable[str]
) -> dict[str, Name]:
    return {
        **dict.fromkeys(_several(quasi), "quasi"),
        **dict.fromkeys(_several(sensitive), "sensitive"),
        **({time: "time"} if time is not None else {}),
    }


def _several(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _fitting(found: Look) -> tuple[str, str]:
    series = [column.name for column in found.named("series")]
    secret = [column.name for column in found.named("sensitive") if found.even(column)]
    secret = secret if found.named("quasi") else []
    return fitting(found.rows, found.person.count, found.time, series, secret)


def _promised(
    found: Look, promising: Promising, clock: Clock, k: int
) -> tuple[Schema | None, Guarantee | None, str]:
    """A schema, and a promise to begin with, or what is missing for them."""
    schema = None
    try:
        schema = Schema(
            found.person.columns or EACH_ROW,
            found.time.name if found.time else None,
            [column.name for column in found.named("quasi")],
            [column.name for column in found.named("sensitive")],
            clock.time_zone,
            unit_of(found.time),
            [column.name for column in found.named("series")],
            time_format=clock.time_format if found.time else None,
            stored_zone=clock.stored_zone if found.time else None,
        )
        refuse_gaps(found)
        promise = promising.promise(k, found)
        if problems := list(promise.misfits(schema)):
            raise InputError(problems)
        return schema, promise, ""
    except InputError as error:
        return schema, None, str(error)
