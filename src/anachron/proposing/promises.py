"""How promises are proposed: what a method can publish, and what it asks of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import floor, log10

from anachron.errors import InputError
from anachron.guarantees import Guarantee
from anachron.proposing.columns import Facts
from anachron.proposing.look import Look
from anachron.proposing.roles import MANY, Name
from anachron.proposing.words import says
from anachron.source.base import quoted

__all__ = ["Promising", "clock", "content", "counted", "one_row_each", "rounded"]


@dataclass(frozen=True)
class Promising:
    """How a promise of one method is proposed."""

    promise: Callable[[int, Look], Guarantee]
    """Takes k, if the promise has one. Raises what is missing for one that can be kept."""
    notes: Mapping[str, str]
    """What the keys of the promise are about."""
    has_time: bool = True
    has_quasi: bool = True
    has_series: bool = False
    one_sensitive: bool = False
    full: tuple[Name, ...] = ()
    """The roles of columns that may have no empty cells, beside subject and time."""
    on_axes: bool = False
    """Whether quasi columns become intervals, so that they must be numbers or texts."""
    shares: bool = False
    """Whether k people must share each combination of quasi values."""
    is_feed: bool = False
    """Whether it can be published push by push."""


def clock(found: Look) -> Facts:
    """The column of the time, which there must be."""
    if found.time is None:
        raise InputError("no column looks like a time.", found.name, remedy="Name it with --time.")
    return found.time


def content(found: Look) -> Facts:
    """The one sensitive column, which there must be."""
    for column in found.named("sensitive"):
        return column
    raise InputError("no column looks sensitive.", found.name, remedy=_which_one(found))


def _which_one(found: Look) -> str:
    """What to do where columns look sensitive and cannot be published, or where none does."""
    gaps = [c.name for c in found.named("home") if says(c.name, "secret") and found.empty(c)]
    if not gaps:
        return "Name it with --sensitive."
    return (
        f"{' and '.join(gaps)} would be, without empty cells: fill them in, or leave those rows "
        "out; or name another column with --sensitive."
    )


def counted(found: Look, column: Facts, purpose: str) -> dict[str, int]:
    """The different values of a column, as texts in ascending order, and how often each is."""
    if column.different > MANY:
        raise InputError(
            f"has {column.different:,} different values, too many to {purpose}.",
            found.name,
            column.name,
            remedy="Publish classes of them instead.",
        )
    it = quoted(column.name)
    return dict(
        found.con.execute(
            f"SELECT CAST({it} AS VARCHAR) AS text, count(*) FROM {found.relation} "
            f"WHERE {it} IS NOT NULL GROUP BY 1 ORDER BY 1"
        ).fetchall()
    )


def one_row_each(found: Look, what: str) -> None:
    """Ask for another person where somebody has several rows."""
    if found.person.count < found.rows:
        raise InputError(
            "some people have several rows.",
            found.name,
            remedy=f"{what} one row for each person: name another column with --subject, or, for "
            "events, their time with --time.",
        )


def rounded(width: float, digits: int) -> str:
    """A round number, so many digits below what a column spans."""
    return format(Decimal(10) ** (floor(log10(width or 1.0)) - digits), "f")
