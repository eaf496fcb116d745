"""Publish: a table, a plan, or a feed push by push."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from anachron.errors import PlanError
from anachron.flow.evidence import Progress
from anachron.guarantees import Guarantee
from anachron.progress import between, heard, silent
from anachron.schema import Schema
from anachron.scratch import near
from anachron.stopping import stoppable
from anachron.stores import Address, placed

if TYPE_CHECKING:
    from anachron.making.publisher import Publisher, Standing
    from anachron.making.refusing import Acceptable
    from anachron.plan import Plan
    from anachron.plan.engine import Engine
    from anachron.release import Release

__all__ = ["open", "publish", "publish_plan", "standing"]


@stoppable()
def publish(
    table: object,
    schema: Schema,
    guarantee: Guarantee,
    *,
    ledger: str | PathLike[str] = "ledger",
    to: str | PathLike[str] | Address = "releases",
    csv: bool = False,
    as_of: str | None = None,
    max_views: int | None = None,
    accept: Acceptable | Iterable[Acceptable] = (),
    engine: Engine | str | None = None,
    progress: Progress | None = None,
) -> Release:
    """Publish a table under a guarantee, or raise and write nothing.

    Parameters
    ----------
    table
        A file (CSV, TSV, Parquet, Arrow), a database table, or a dataframe of any kind, also of
        Spark.
    schema
        Which column plays which role.
    guarantee
        What is promised.
    ledger
        The folder that remembers what was published. It is made if it is not there, and
        belongs to the publisher alone.
    to
        The folder that receives the release, as ``0001``, ``0002``, …; or a place in an object
        store, ``"s3://bucket/prefix"``.
    csv
        Also write the release as CSV. A table that was published without gets it beside the
        same release.
    as_of
        For :class:`MInvariance`: the name of the release, such as a date, which it states. The same
        table under the same name gives the same release; under another name always a new one,
        also if nothing changed, so that nobody learns from it that something did.
    max_views
        For :class:`TimeGranularity`: search up to so many combinations of granularity and ladder
        steps, however long it takes. If it is not given, a search that would take more than
        about ten minutes is refused, with an estimate.
    accept
        What would be :class:`Doubtful`, and is as it should be: ``"strangers"``, nobody of the
        table is known although some could be; ``"changes"``, most of those who are known have
        another sensitive value. A feed asks about neither: new people every day are normal.
    engine
        Which engine holds the rows: this process, or Spark, as ``"spark"`` or with its master
        ``"spark:local[4]"``. A DataFrame of Spark stays there in any case. The release is the same.
    progress
        True to show how far it is, False not to; or a function that is called with what is being
        done and the share of the work that is done. If not given, a notebook shows it.

    Returns
    -------
    Release
        The release. The same table, schema and guarantee again give the same release.

    Raises
    ------
    GuaranteeError
        If no view on offer keeps the promise.
    AlreadyPublished
        If people of this table were already published for the same time, in another way.
    Doubtful
        If the table looks as if people or values were written in another way than before.
    InputError
        If the table or the schema cannot be accepted.

    Example
    -------
    >>> import anachron as an, pyarrow as pa, tempfile
    >>> visits = pa.table({
    ...     "patient": ["u1", "u2", "u1", "u4", "u5", "u6"],
    ...     "ward": ["q1", "q1", "q1", "q1", "q2", "q2"],
    ...     "day": ["2006-01-03", "2006-01-03", "2006-01-11", "2006-01-12",
    ...             "2006-02-07", "2006-02-10"],
    ... })
    >>> folder = tempfile.mkdtemp()
    >>> release = an.publish(
    ...     visits,
    ...     an.Schema(subject="patient", time="day", quasi="ward"),
    ...     an.TimeGranularity(k=2, granularities=["day", "week", "month"]),
    ...     ledger=folder + "/ledger", to=folder + "/releases",
    ... )
    >>> sorted(set(release.table().column("day").to_pylist()))
    ['2006-W01', '2006-W02', '2006-W06']
    """
    from anachron.engines.opening import opened
    from anachron.making import conduct
    from anachron.making.course import Work
    from anachron.making.refusing import accepted, check_name
    from anachron.published.layouts import layout_of

    told = accepted(accept)
    unfit = schema.series and "series" not in layout_of(guarantee).how_many
    if (unfit or schema.each_row) and (problems := list(guarantee.misfits(schema))):
        raise PlanError(problems)
    check_name(as_of, guarantee)
    place = placed(to)
    with near(ledger), heard(progress, "publish") as tell:
        tell("reading the table", 0.0)
        work = Work(schema, guarantee, csv, between(tell, 0.1, 1.0), max_views, as_of, told)
        each, aside = guarantee.bytes_a_row, guarantee.lies_aside
        with opened(table, schema, each, engine, is_aside=aside) as held:
            return conduct.publish(work, held, Path(ledger), place)


def publish_plan(
    plan: Plan,
    *,
    as_of: str | None = None,
    max_views: int | None = None,
    accept: Iterable[str] = (),
    engine: Engine | str | None = None,
    progress: Progress | None = None,
) -> Release:
    """Publish what a plan says."""
    from anachron.making.refusing import accepted

    return publish(
        plan.table,
        plan.schema,
        plan.guarantee,
        ledger=plan.ledger,
        to=plan.releases,
        csv=plan.csv,
        as_of=as_of,
        max_views=max_views,
        accept=accepted(accept),
        engine=plan.engine if engine is None else engine,
        progress=progress,
    )


def open(plan: Plan | str | PathLike[str], *, progress: Progress | None = None) -> Publisher:  # noqa: A001
    """Open a feed, to push snapshot after snapshot.

    Parameters
    ----------
    plan
        A plan with a :class:`Reposition` guarantee, or its file. Its table is not read.
    progress
        As for :func:`publish`, for each push and for the end.

    Returns
    -------
    Publisher
        ``push(snapshot)`` gives the releases that became due, ``flush()`` ends the feed.

    Example
    -------
    >>> import anachron as an, pyarrow as pa, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> feed = an.open(an.Plan(
    ...     "visits.csv",
    ...     an.Schema(subject="who", time="day", quasi="ward", sensitive="diagnosis"),
    ...     an.Reposition(l=2, window=2),
    ...     ledger=folder + "/ledger", releases=folder + "/releases",
    ... ))
    >>> monday = {"who": ["a", "b", "c"], "ward": [1, 2, 3], "diagnosis": ["flu", "flu", "cold"]}
    >>> feed.push(pa.table({**monday, "day": ["2024-05-06"] * 3}))
    []
    >>> tuesday = {"who": ["d", "e"], "ward": [1, 2], "diagnosis": ["cold", "burn"]}
    >>> [release] = feed.push(pa.table({**tuesday, "day": ["2024-05-07"] * 2}))
    >>> release.table().column("day").to_pylist()
    ['2024-05-06', '2024-05-06']
    >>> [release] = feed.flush()
    >>> release.table().num_rows
    3
    """
    from anachron.guarantees import Reposition
    from anachron.making.course import Work
    from anachron.making.publisher import Publisher
    from anachron.plan import Plan

    opened = plan if isinstance(plan, Plan) else Plan.read(plan)
    if not isinstance(opened.guarantee, Reposition):
        raise PlanError(
            "only feeds are opened: the plan needs the method 'reposition'.",
            remedy="Publish tables of other methods with publish.",
        )
    work = Work(opened.schema, opened.guarantee, opened.csv, silent)
    return Publisher(work, ledger=opened.ledger, to=opened.releases, progress=progress)


def standing(ledger: str | PathLike[str]) -> Standing | None:
    """Say where the feed of a ledger stands: what waits, and when it is due; None without one."""
    from anachron.ledger import Ledger
    from anachron.making import publisher

    return publisher.standing(Ledger.open(Path(ledger), create=False))
