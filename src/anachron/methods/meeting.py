"""Refuse people whom an earlier release of a ledger shows at a time that would be shown again."""

from __future__ import annotations

from collections.abc import Collection

from anachron.errors import AlreadyPublished
from anachron.methods.doubts import ask_about_strangers, known_at
from anachron.methods.outcome import Past
from anachron.schema import Schema
from anachron.streamed import Streamed

__all__ = ["refuse_known"]


def refuse_known(
    wanted: Streamed,
    schema: Schema,
    past: Past,
    accept: Collection[str],
    remedy: str,
) -> None:
    """Refuse people who already stand in a release at the same time, or who may.

    Parameters
    ----------
    wanted
        The pseudonyms of those whom the release to come would show, in ascending order, and from
        when (included) to when (excluded) each of them would appear.
    schema
        By what they are told apart.
    past
        The releases before.
    accept
        What the owner says in advance about doubts.
    remedy
        Why two such releases must not be, and what to do instead.
    """
    times = wanted.span()
    if times is None:
        return
    number = past.unlike(schema, *times)
    if number is not None:
        raise AlreadyPublished(
            f"release {number} covers a time that this release would cover again, and nobody can "
            f"tell whether it shows the same people: {_why(schema)}. {remedy}"
        )
    known = past.overlapping(wanted)
    if known:
        number, many = next(iter(known.items()))
        raise AlreadyPublished(
            f"{many:,} people of this table already stand in release {number}, for a time that "
            f"this release would cover again. {remedy}"
        )
    last = known_at(wanted, times, past.state())
    if last is not None:
        ask_about_strangers(last[0], wanted.rows, last[1], accept)


def _why(schema: Schema) -> str:
    if schema.each_row:
        return "each row is a person here, and no column says who"
    return f"there people are told apart in another way than by {schema.person}"
