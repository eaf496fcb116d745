"""Propose roles for a register of people, what its values can be, and how columns are published.

Unlike other proposals this one repeats what the table holds: the sensitive values, which a plan
declares, and the texts of quasi columns, which need an order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from math import floor, log10

from anachron.database import connected
from anachron.errors import InputError, Problem
from anachron.source.base import quoted, reading
from anachron.source.column_words import DIRECT, QUASI, SENSITIVE, says
from anachron.source.look import Column, Look, look
from anachron.source.propose import (
    MANY,
    NUMBERS,
    Proposal,
    about_subject,
    find_subject,
    require,
)
from anachron.source.read import open_source

__all__ = ["propose_register"]


def propose_register(
    table: str,
    subject: str | None = None,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
) -> Proposal:
    """Propose roles for a register: one row for each person, one sensitive column."""
    found = look(table, partial(find_subject, given=subject, time=None))
    given = [c for c in (subject,) if c is not None] + [*quasi, *sensitive]
    who = require(found, given, timed=True)[str(found.subject)]
    content = _content(found, sensitive, who)
    known = [c for c in found.columns if c.name in quasi or _is_known(c, who, content)]
    if not known:
        raise InputError(
            "no column looks like what outsiders know.",
            found.name,
            remedy="Name those that they may know with --quasi.",
        )
    texts = [c.name for c in known if c.kind not in NUMBERS]
    _check_few(found, [c for c in known if c.name in texts])
    held = _values(table, [content.name, *texts])
    counts = held.pop(content.name)
    return Proposal(
        found.rows,
        who.name,
        "",
        tuple(c.name for c in known),
        (content.name,),
        "auto",
        (),
        {},
        _reasons(found, who, content, known, given),
        values=tuple(counts),
        most=max(counts.values(), default=0),
        orders={name: tuple(some) for name, some in held.items()},
        widths={c.name: _width(c) for c in known if c.kind == "number"},
    )


def _content(found: Look, given: Sequence[str], who: Column) -> Column:
    """The one sensitive column."""
    if who.different < found.rows:
        raise InputError(
            "stands in several rows for some people.",
            found.name,
            who.name,
            remedy="A register has one row for each person: name another column with "
            "--subject, or take --for granularity or --for reposition.",
        )
    if len(given) > 1:
        raise InputError("A register has one sensitive column: name one with --sensitive.")
    named = [
        c
        for c in found.columns
        if (c.name in given if given else says(c.name, SENSITIVE) and c.name != who.name)
    ]
    if not named:
        raise InputError(
            "no column looks sensitive.", found.name, remedy="Name it with --sensitive."
        )
    if named[0].different > MANY:
        raise InputError(
            f"has {named[0].different:,} different values, too many to declare.",
            found.name,
            named[0].name,
            remedy="Publish classes of them instead.",
        )
    return named[0]


def _check_few(found: Look, texts: Sequence[Column]) -> None:
    problems = [
        Problem(
            f"has {c.different:,} different values, too many to put in an order.",
            found.name,
            c.name,
            remedy="Make classes of them, or name others with --quasi.",
        )
        for c in texts
        if c.different > MANY
    ]
    if problems:
        raise InputError(problems)


def _is_known(column: Column, who: Column, content: Column) -> bool:
    named = says(column.name, QUASI) and not says(column.name, DIRECT)
    named &= column.kind in NUMBERS or column.different <= MANY
    return named and column.different > 1 and column.name not in (who.name, content.name)


def _values(table: str, columns: Sequence[str]) -> dict[str, dict[str, int]]:
    """The different values of some columns, as texts in ascending order, and how often each is."""
    with connected() as con:
        source = open_source(table, con, list(columns))
        with reading(source.name):
            return {
                name: dict(
                    con.execute(
                        f"SELECT CAST({quoted(name)} AS VARCHAR) AS text, count(*) FROM "
                        f"{source.relation} WHERE {quoted(name)} IS NOT NULL GROUP BY 1 ORDER BY 1"
                    ).fetchall()
                )
                for name in columns
            }


def _width(column: Column) -> str:
    """A round number, about a hundredth of what the column spans."""
    return format(Decimal(10) ** (floor(log10(column.width or 1.0)) - 2), "f")


def _reasons(
    found: Look, who: Column, content: Column, known: Sequence[Column], given: Sequence[str]
) -> Mapping[str, str]:
    reasons = {
        c.name: "left out: the name says it may identify a person directly"
        if says(c.name, DIRECT)
        else "left out: make it quasi if it is to be published"
        for c in found.columns
    }
    reasons |= {
        c.name: f"{c.different:,} different values: the name says that outsiders may know it"
        for c in known
    }
    reasons[content.name] = (
        f"{content.different:,} different values: the name says that it is what the table is about"
    )
    reasons |= dict.fromkeys(given, "as you said")
    reasons[who.name] = about_subject(who, found.rows, who.name in given)
    return reasons | found.unread
