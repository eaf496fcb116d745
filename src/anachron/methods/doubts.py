"""Stop and ask: a table that looks as if its people or values were written in another way.

Folding recognises what is spelled differently. It cannot know that P7 is now P07, or that codes
were replaced by words. Then everybody would be taken for somebody new, or for changed, and be
published once more in another way: the release alone would keep its promise, and with those before
it give people away. So publication stops, tells its owner in counts what was seen, and goes on only
if told to.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, get_args

from anachron.errors import Doubtful
from anachron.streamed import Streamed, met

__all__ = ["ACCEPTABLE", "Acceptable", "ask_about_changes", "ask_about_strangers", "known_at"]

Acceptable = Literal["strangers", "changes"]
"""What an owner can be asked about."""
ACCEPTABLE: frozenset[Acceptable] = frozenset(get_args(Acceptable))
FEWEST = 10
"""Of fewer people than these, all may well be new, or have changed."""


def ask_about_strangers(known: int, here: int, before: int, accept: Collection[str]) -> None:
    """Stop if nobody is known of so many, although so many others could be."""
    if "strangers" in accept or known or min(here, before) < FEWEST:
        return
    raise Doubtful(
        f"none of the {here:,} people of this table is known, although the ledger remembers "
        f"{before:,}. Are the subjects written in another way than before? Then the same people "
        "would be published as others, and both releases together give them away. Nothing was "
        "published. Write the subjects as before; or, if these are other people, say so: "
        'accept = "strangers", or --accept strangers on the command line.'
    )


def ask_about_changes(changed: int, known: int, accept: Collection[str]) -> None:
    """Stop if more than half of those who are known have another value than before."""
    if "changes" in accept or known < FEWEST or 2 * changed <= known:
        return
    raise Doubtful(
        f"{changed:,} of the {known:,} known people of this table have another sensitive value "
        "than before. Are the values written in another way? Then people would get other sets of "
        "values without need, and all releases together give them away. Nothing was published. "
        "Write the values as before; or, if so many did change, say so: "
        'accept = "changes", or --accept changes on the command line.'
    )


def known_at(
    wanted: Streamed, times: tuple[int, int], state: Streamed | None
) -> tuple[int, int] | None:
    """How many of some people the last release knows, and how many it holds; None at other times.

    A state without times holds its people at all times.
    """
    if state is None or not state.rows or "subject" not in state.schema.names:
        return None
    span = state.span()
    if span is not None and (times[1] <= span[0] or span[1] <= times[0]):
        return None
    return sum(known.num_rows for known, _ in met(wanted, state)), state.rows
