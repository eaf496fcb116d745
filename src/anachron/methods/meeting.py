"""Refuse people whom an earlier release of a ledger shows at a time that would be shown again."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from anachron.arrays import Array
from anachron.errors import AlreadyPublished
from anachron.methods.doubts import ask_about_strangers, known_at
from anachron.methods.outcome import Past
from anachron.schema import Schema

__all__ = ["refuse_known"]


def refuse_known(
    people: pa.Array,
    first: Array,
    until: Array,
    schema: Schema,
    past: Past,
    accept: Collection[str],
    remedy: str,
) -> None:
    """Refuse people who already stand in a release at the same time, or who may.

    Parameters
    ----------
    people
        The pseudonyms of those whom the release to come would show.
    first, until
        From when (included) to when (excluded) each of them would appear.
    schema
        By what they are told apart.
    past
        The releases before.
    accept
        What the owner says in advance about doubts.
    remedy
        Why two such releases must not be, and what to do instead.
    """
    if not len(people):
        return
    times = int(first.min()), int(until.max())
    number = past.unlike(schema, *times)
    if number is not None:
        raise AlreadyPublished(
            f"release {number} covers a time that this release would cover again, and nobody can "
            f"tell whether it shows the same people: {_why(schema)}. {remedy}"
        )
    known = past.overlapping(people, first, until)
    if known:
        number, many = next(iter(known.items()))
        raise AlreadyPublished(
            f"{many:,} people of this table already stand in release {number}, for a time that "
            f"this release would cover again. {remedy}"
        )
    last = known_at(people, times, past.state())
    if last is not None:
        ask_about_strangers(last[0], len(people), last[1], accept)


def _why(schema: Schema) -> str:
    if schema.each_row:
        return "each row is a person here, and no column says who"
    return f"there people are told apart in another way than by {schema.person}"
