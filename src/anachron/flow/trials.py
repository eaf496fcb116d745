"""Try: what promises would give, before anything is published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from anachron.flow.evidence import Progress
from anachron.progress import heard
from anachron.scratch import near
from anachron.stopping import stoppable

if TYPE_CHECKING:
    from anachron.plan import Plan
    from anachron.trying.trial import Trial

__all__ = ["trial"]


@stoppable()
def trial(
    plan: Plan | str | PathLike[str],
    over: Mapping[str, Iterable[Any]] | None = None,
    *,
    table: object = None,
    past: bool = True,
    as_of: str | None = None,
    max_views: int | None = None,
    accept: str | Iterable[str] = (),
    progress: Progress | None = None,
) -> Trial:
    """Say what a plan would give, with what risk and at what cost, and write nothing.

    The table is read once for all settings. No ledger is made, changed or locked; one that is there
    is read, since the next release of a register or of a feed rests on it.

    Parameters
    ----------
    plan
        A plan, or its file. Its own setting is always among those that are tried.
    over
        Values to try, by the part of the promise that they are for: ``{"k": [2, 5, 10]}``. Of
        several parts, all combinations are tried.
    table
        Try this table instead of the plan's: a file, a database table, or a dataframe.
    past
        Whether to take into account what is published already. Without it, settings are tried as
        for a first release.
    as_of, max_views, accept
        As in :func:`publish`.
    progress
        As for :func:`publish`.

    Returns
    -------
    Trial
        A row for each minimal answer of each setting, with the one marked that would be published.
        A setting that cannot be kept is a row, too, with the reason. The figures are those that
        publishing this setting would have.

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
    >>> an.trial(plan, {"k": [2, 3]}, table=visits)
    Trial of 2 settings of granularity: 6 rows of 5 people
    <BLANKLINE>
            time  fewest                left
        k     by  people  chance  days   out  groups
    >*  2   week       2    50 %     7     0       3
     *  2  month       2    50 %    30     0       2
    x   3
        no view on offer keeps the promise. The nearest, by month, still leaves 2
        people in 1 groups that break it (2 of 6 rows, 33.3 %). Nothing was
        published. Offer coarser granularities, give quasi columns ladders, allow
        max_suppressed of at least 2/6, or lower k (now 3).
    <BLANKLINE>
    > would be published   * the plan's own   x cannot be kept
    There is no ledger yet: this is what a first release would be.
    Nothing was written. A trial is for the owner of the table alone.
    """
    from anachron.making.refusing import accepted
    from anachron.plan import Plan
    from anachron.trying.run import tried

    opened = plan if isinstance(plan, Plan) else Plan.read(plan)
    if isinstance(table, str | PathLike):
        table = opened.with_table(table).table
    elif table is None:
        table = opened.table
    with near(opened.ledger), heard(progress, "trial") as tell:
        return tried(
            opened,
            over or {},
            table,
            past=past,
            as_of=as_of,
            max_views=max_views,
            accept=accepted(accept),
            tell=tell,
        )
