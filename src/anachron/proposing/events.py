"""Events in time: which granularities and ladders to offer at first."""

from __future__ import annotations

from anachron.errors import InputError
from anachron.guarantees import TimeGranularity
from anachron.ladders import Ladder
from anachron.proposing.ladders import granularities, ladder
from anachron.proposing.look import Look
from anachron.proposing.promises import Promising, clock
from anachron.proposing.sharing import LEFT_OUT, lonely

__all__ = ["EVENTS"]


def _granularity(k: int, found: Look) -> TimeGranularity:
    time, quasi = clock(found), found.named("quasi")
    alone = lonely(found.who, quasi, time, k)
    if alone > LEFT_OUT * found.rows:
        raise InputError(
            f"{alone:,} of {found.rows:,} rows would be shared by fewer than {k} people, however "
            "coarse all is.",
            found.name,
            remedy="Name fewer columns with --quasi, or a smaller number of people with -k.",
        )
    ladders = {column.name: ladder(column) for column in quasi}
    return TimeGranularity(
        k=k,
        granularities=granularities(time),
        max_suppressed=LEFT_OUT if alone else 0,
        ladders={name: Ladder.from_dict(of) for name, of in ladders.items() if of is not None},
    )


EVENTS = Promising(
    _granularity,
    {
        "k": "At least so many people share each published combination.",
        "granularities": "Not finer than the times are recorded, and not coarser than "
        "twice the span of the table.",
        "max_suppressed": "The share of the rows that may be left out, such as 0.01, because too "
        "few\npeople share them. Without it, nobody may be alone.",
    },
    shares=True,
)
