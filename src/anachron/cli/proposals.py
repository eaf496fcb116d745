"""What ``anachron init`` proposes, by method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from anachron.guarantees import Guarantee, KPAnonymity, MInvariance, Reposition, TimeGranularity
    from anachron.source.propose import Proposal

__all__ = ["EVENTS", "FEED", "REGISTER", "SERIES", "Given", "Proposing"]


@dataclass(frozen=True)
class Given:
    """What is known of a table before anybody looks at it."""

    table: str
    subject: str | None
    time: str | None
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]


@dataclass(frozen=True)
class Proposing:
    """How a plan for one method is proposed."""

    look: Callable[[Given], Proposal]
    """Gives each column a role."""
    promise: Callable[[int, Proposal], Guarantee]
    """Takes k, if the promise has one."""
    notes: Mapping[str, str]
    """What the keys of the promise are about."""
    is_feed: bool = False
    """Whether it can be published push by push."""


def _look_at_events(given: Given) -> Proposal:
    from anachron.source.propose import propose

    return propose(given.table, given.subject, given.time, given.quasi, given.sensitive)


def _granularity(k: int, found: Proposal) -> TimeGranularity:
    from anachron.guarantees import TimeGranularity
    from anachron.ladders import Ladder

    return TimeGranularity(
        k=k,
        granularities=found.granularities,
        ladders={c: Ladder.from_dict(values) for c, values in found.ladders.items()},
    )


def _look_at_register(given: Given) -> Proposal:
    from anachron.source.propose_register import propose_register

    if given.time:
        raise click.UsageError("--time has no meaning for a register of people.")
    return propose_register(given.table, given.subject, given.quasi, given.sensitive)


def _invariance(_k: int, found: Proposal) -> MInvariance:
    from anachron.guarantees import MInvariance

    # Of the first people, at most one in m may have the same value.
    m = 3 if len(found.values) >= 8 and 3 * found.most <= found.rows else 2
    return MInvariance(
        m=m,
        # With fewer values there may be no set for somebody whose value changes.
        mode="transparent" if len(found.values) >= 3 * m - 1 else "paper",
        widths=found.widths,
        orders=found.orders,
        values=found.values,
    )


def _look_at_feed(given: Given) -> Proposal:
    from anachron.source.propose import propose_feed

    return propose_feed(given.table, given.subject, given.time, given.quasi, given.sensitive)


def _reposition(_k: int, found: Proposal) -> Reposition:
    from anachron.guarantees import Reposition

    return Reposition(l=3, window=3, snapshot=found.granularities[0])


def _look_at_series(given: Given) -> Proposal:
    from anachron.source.propose_series import propose_series

    if given.quasi:
        raise click.UsageError("--quasi has no meaning for time series.")
    return propose_series(given.table, given.subject, given.time, given.sensitive)


def _patterns(k: int, found: Proposal) -> KPAnonymity:
    from anachron.guarantees import KPAnonymity

    step = found.granularities[0] if found.granularities else None
    return KPAnonymity(k=k, P=2, precision=found.precision, granularity=step)


EVENTS = Proposing(
    _look_at_events,
    _granularity,
    {
        "k": "At least so many people share each published combination.",
        "granularities": "Not finer than the times are recorded, and not coarser than "
        "twice the span of the table.",
        "max_suppressed": "A share of the rows, such as 0.01, may be left out to stay finer.",
    },
)
REGISTER = Proposing(
    _look_at_register,
    _invariance,
    {
        "m": "So many sensitive values remain possible for each person, in all releases.",
        "mode": "paper needs the fewest counterfeits; transparent tells nothing to whoever knows "
        "the\nalgorithm, and wants 3 m - 1 values; sticky never regroups people.",
        "when_ineligible": "New people with too many of one value: refuse the release, or hold "
        "the fewest back\n(in mode paper).",
        "widths": "The least width of a published interval, for columns with fractions.",
        "orders": "Texts in the order in which neighbours are alike. They are in alphabetical "
        "order now.",
        "values": "All values that there can be. These occur in the table: add those that may "
        "come.\nThey are published with the guarantee.",
    },
)
FEED = Proposing(
    _look_at_feed,
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
    is_feed=True,
)
SERIES = Proposing(
    _look_at_series,
    _patterns,
    {
        "k": "At least so many people share each published envelope of values.",
        "P": "At least so many people of a group share each published pattern.",
        "precision": "Published bounds are multiples of it.",
        "granularity": "What two neighbouring times are apart.",
        "gaps": "Series that miss a value: refuse, interpolate, trim or drop.",
    },
)
