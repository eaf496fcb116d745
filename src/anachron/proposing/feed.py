"""A feed of records: how diverse snapshots are to be, and how long they are."""

from __future__ import annotations

from anachron.errors import InputError
from anachron.guarantees import Reposition
from anachron.guarantees.reposition import Repeated
from anachron.proposing.columns import Facts, one
from anachron.proposing.ladders import DAYS, days, granularities, granule
from anachron.proposing.look import Look
from anachron.proposing.promises import Promising, clock, content
from anachron.source.base import quoted

__all__ = ["FEED"]

_ENOUGH = 100
"""So many records, about, make a snapshot worth publishing."""
_SNAPSHOTS = ("day", "week", "month", "quarter", "year")


def _reposition(_k: int, found: Look) -> Reposition:
    time, secret = clock(found), content(found)
    if not found.named("quasi"):
        raise InputError(
            "no column looks like what outsiders know.",
            found.name,
            remedy="A feed has at least one such column: name it with --quasi.",
        )
    offered = [n for n in granularities(time) if n in _SNAPSHOTS] or list(_SNAPSHOTS[:1])
    enough = (n for n in offered if found.rows * DAYS[n] >= _ENOUGH * days(time))
    # A value with more than one in l of all records cannot be published often enough.
    l = max(2, min(3, secret.filled // max(secret.top, 1)))  # noqa: E741
    snapshot = next(enough, offered[-1])
    return Reposition(l=l, window=3, snapshot=snapshot, repeated=_repeated(found, time, snapshot))


def _repeated(found: Look, time: Facts, snapshot: str) -> Repeated:
    """Whether somebody is in a snapshot twice: then one of their records is published."""
    if found.person.count == found.rows:
        return "refuse"
    by = ", ".join(map(quoted, found.person.columns))
    once = f"SELECT DISTINCT {by}, {granule(time, snapshot)} FROM {found.relation}"
    records = one(found.con, f"SELECT count(*) FROM ({once})")[0]
    return "one" if records < found.rows else "refuse"


FEED = Promising(
    _reposition,
    {
        "l": "No sensitive value has more than one in l of the records of a published group.\n"
        "A value that has more of all records cannot be published often enough: choose a smaller "
        "l.",
        "window": "Records are published at most window - 1 snapshots late. 1 moves nothing.",
        "snapshot": "The finest, from a day on, that has records enough.",
        "mu": "What a delay costs: linear, quadratic, or a list such as [0, 1, 3].",
        "beta": "What it costs to leave a record out.",
        "late": "Records that arrive after their snapshot: refuse, recycle or drop.",
        "repeated": "Several records of a person in a snapshot: refuse, or publish one.",
        "then": "anatomy publishes the quasi columns as they are; generalize as intervals.",
        "careful": "false tells more, and promises less to those who are published on time.",
    },
    one_sensitive=True,
    full=("sensitive",),
    is_feed=True,
)
