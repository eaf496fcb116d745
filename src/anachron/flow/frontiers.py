"""Explore: which promise to choose, by risk and loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from anachron.flow.evidence import Place, Progress
from anachron.progress import heard
from anachron.scratch import near
from anachron.stopping import stoppable

if TYPE_CHECKING:
    from anachron.exploring.cache import Cache
    from anachron.exploring.frontier import Frontier
    from anachron.exploring.point import Point
    from anachron.plan import Plan

__all__ = ["frontier"]


@stoppable()
def frontier(
    plan: Plan | Place | Sequence[Plan | Place],
    over: Mapping[str, Iterable[Any]] | None = None,
    *,
    risk: str | Sequence[str] | None = None,
    loss: str | Sequence[str] | None = None,
    table: object = None,
    past: bool = True,
    as_of: str | None = None,
    max_views: int | None = None,
    accept: str | Iterable[str] = (),
    each: Callable[[Point], None] | None = None,
    cache: Cache | Place | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """Lay out candidates for a promise by what they risk and what they lose, and write nothing.

    Every least answer of every setting is a point: weeks beside months, if neither is finer. The
    table is read once for all settings of a plan. No ledger is made, changed or locked.

    Parameters
    ----------
    plan
        A plan, or its file; or several, whose promises are compared by what they have in common.
        The setting of each is always among the candidates.
    over
        Values to try, by the part of the promise that they are for, in all combinations, as for
        :func:`trial`. If it is not given, a few dozen that suit the method. Of several plans, a
        part is tried in those whose promise has it.
    risk, loss
        What is drawn; of a list, the first is drawn and all are measured. What figures tell is
        measured always; the rest needs a release, which is rehearsed and thrown away:

        ==============  ===================================================================
        risk            what it is, and which methods have it
        ==============  ===================================================================
        ``group``       people in the smallest group: events
        ``row``         chance to find somebody's row: events, series
        ``value``       largest chance to know a sensitive value: all; of events, rehearsed
        ``unique``      share of people who are alone by all that is published: all, rehearsed
        ``attack``      largest share of people whom an attack exposes: all, rehearsed
        ==============  ===================================================================

        ================  =================================================================
        loss              what it is, and which methods have it
        ================  =================================================================
        ``time``          mean length of a published granule, in days: events
        ``quasi``         what quasi columns lose on their ladders: events
        ``left_out``      share of rows, people, records or series not published: all
        ``counterfeits``  share of rows of nobody: registers, m-invariant feeds
        ``delay``         mean delay, in snapshots: feeds
        ``moving``        what mu and beta say of all records: feeds
        ``values``        mean width of an envelope: series
        ``shapes``        mean loss of a pattern: series
        ``windows``       median error of counts in windows of time: events, feeds, rehearsed
        ``trends``        median error of changes between windows: events, feeds, rehearsed
        ``weekdays``      error of the profile of weekdays: events, feeds, rehearsed
        ``lags``          error of how days resemble those before: events, feeds, rehearsed
        ``questions``     median error of random questions, as of :func:`utility`: all, rehearsed
        ================  =================================================================
    table, past, as_of, max_views, accept
        As for :func:`trial`.
    each
        Hears of each point as soon as it is ready.
    cache
        Where figures of points are kept, and looked up before they are found again: a folder, or
        a ``Cache`` in memory. It holds figures only, by digests of table, plan and setting.
    progress
        As for :func:`publish`.

    Returns
    -------
    Frontier
        The points: a table, a chart, and for each the plan that publishes it. What was measured
        is what publishing that plan gives.

    Example
    -------
    >>> import anachron as an, pyarrow as pa
    >>> visits = pa.table({
    ...     "patient": ["u1", "u2", "u1", "u4", "u5", "u6"],
    ...     "ward": ["q1", "q1", "q1", "q1", "q2", "q2"],
    ...     "day": ["2006-01-03", "2006-01-03", "2006-01-11", "2006-01-12",
    ...             "2006-02-07", "2006-02-10"],
    ... })
    >>> plan = an.Plan(
    ...     "visits.csv",
    ...     an.Schema(subject="patient", time="day", quasi="ward"),
    ...     an.TimeGranularity(k=2, granularities=["day", "week", "month"]),
    ... )
    >>> found = an.frontier(plan, {"k": [2, 3], "max_suppressed": [0, "1/3"]}, table=visits)
    >>> for point in found:
    ...     print(point.number, point.title, point.risks.get("group"), point.losses.get("time"))
    1 k = 2, max_suppressed = 0, by week 2 7.0
    2 k = 2, max_suppressed = 0, by month 2 30.0
    3 k = 2, max_suppressed = 1/3, by week 2 7.0
    4 k = 2, max_suppressed = 1/3, by month 2 30.0
    5 k = 3, max_suppressed = 0 None None
    6 k = 3, max_suppressed = 1/3, by month 3 30.0
    >>> [one.name for one in found.use(2).guarantee.granularities]     # all that is finer fails
    ['day', 'month']
    """
    from anachron.exploring.run import Wish, explored
    from anachron.making.refusing import accepted
    from anachron.plan import Plan

    given = [plan] if isinstance(plan, Plan | str | PathLike) else list(plan)
    plans = [one if isinstance(one, Plan) else Plan.read(one) for one in given]
    wish = Wish(over, risk, loss, table, past, as_of, max_views, accepted(accept))
    with near(plans[0].ledger if plans else None), heard(progress, "frontier") as tell:
        return explored(plans, wish, each=each, cache=cache, tell=tell)
