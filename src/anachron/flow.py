"""The whole flow, and the only place that knows all of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from anachron.errors import InputError, PlanError
from anachron.guarantees import Guarantee
from anachron.schema import Schema

if TYPE_CHECKING:
    from anachron.auditing.history import FeedPast, History, SeriesPast
    from anachron.auditing.verdict import Verdict
    from anachron.feeds import Publisher, Standing
    from anachron.ledger import Entry
    from anachron.plan import Plan
    from anachron.release import Release

__all__ = ["Progress", "audit", "open", "publish", "publish_plan", "report", "standing"]

Progress = Callable[[str, float], None]
"""Hears what is being done, and which share of the work is done."""


def publish(
    table: object,
    schema: Schema,
    guarantee: Guarantee,
    *,
    ledger: str | PathLike[str] = "ledger",
    to: str | PathLike[str] = "releases",
    csv: bool = False,
    progress: Progress | None = None,
) -> Release:
    """Publish a table under a guarantee, or raise and write nothing.

    Parameters
    ----------
    table
        A file (CSV, TSV, Parquet, Arrow), a database table, or a dataframe of any kind.
    schema
        Which column plays which role.
    guarantee
        What is promised.
    ledger
        The folder that remembers what was published. It is made if it is not there, and
        belongs to the publisher alone.
    to
        The folder that receives the release, as ``0001``, ``0002``, …
    csv
        Also write the release as CSV.
    progress
        Called with what is being done and the share of the work that is done.

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
    from anachron.engines.local.table import read
    from anachron.guarantees import KPAnonymity, Reposition
    from anachron.ledger import Ledger
    from anachron.plan.misfits import misfits
    from anachron.publishing import Work, make

    tell = progress or (lambda _what, _share: None)
    if schema.series and not isinstance(guarantee, KPAnonymity):
        raise PlanError(list(misfits(schema, guarantee)))
    tell("reading the table", 0.0)
    with closing(read(table, schema)) as held:
        work = Work(held, schema, guarantee, csv, tell)
        if isinstance(guarantee, Reposition):
            from anachron import feeds

            return feeds.publish(work, Path(ledger), Path(to))
        with Ledger.open(Path(ledger)).publishing(Path(to)) as publication:
            return make(work, publication)


def publish_plan(plan: Plan, *, progress: Progress | None = None) -> Release:
    """Publish what a plan says."""
    return publish(
        plan.table,
        plan.schema,
        plan.guarantee,
        ledger=plan.ledger,
        to=plan.releases,
        csv=plan.csv,
        progress=progress,
    )


def open(plan: Plan | str | PathLike[str], *, progress: Progress | None = None) -> Publisher:  # noqa: A001
    """Open a feed, to push snapshot after snapshot.

    Parameters
    ----------
    plan
        A plan with a :class:`Reposition` guarantee, or its file. Its table is not read.
    progress
        Called with what is being done and the share of the work that is done.

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
    from anachron.feeds import Publisher
    from anachron.guarantees import Reposition
    from anachron.plan import Plan
    from anachron.publishing import Work

    opened = plan if isinstance(plan, Plan) else Plan.read(plan)
    if not isinstance(opened.guarantee, Reposition):
        raise PlanError("only feeds are opened: the plan needs the method 'reposition'.")
    tell = progress or (lambda _what, _share: None)
    work = Work(None, opened.schema, opened.guarantee, opened.csv, tell)
    return Publisher(work, ledger=opened.ledger, to=opened.releases)


def standing(ledger: str | PathLike[str]) -> Standing | None:
    """Say where the feed of a ledger stands: what waits, and when it is due; None without one."""
    from anachron import feeds
    from anachron.ledger import Ledger

    return feeds.standing(Ledger.open(Path(ledger), create=False))


def audit(
    release: Release | str | PathLike[str],
    *,
    table: object | None = None,
    schema: Schema | None = None,
    ledger: str | PathLike[str] | None = None,
) -> Verdict:
    """Check a release against what it promises, trusting nothing that made it.

    Parameters
    ----------
    release
        A release, or its folder.
    table
        The table it was made from, if you hold it. Without it, only what the published
        files show can be checked; people cannot be counted.
    schema
        The roles of the table's columns. Not needed with a ledger, which remembers them.
    ledger
        The ledger, if you hold it: the files are compared with what it recorded.

    Returns
    -------
    Verdict
        Whether the promise holds, with what was measured.

    Example
    -------
    >>> import anachron as an, pyarrow as pa, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> visits = pa.table({"who": ["a", "b", "c"], "when": ["2024-05-01"] * 3})
    >>> schema = an.Schema(subject="who", time="when")
    >>> release = an.publish(visits, schema, an.TimeGranularity(k=3),
    ...                      ledger=folder + "/ledger", to=folder + "/releases")
    >>> an.audit(release, table=visits, schema=schema).holds
    True
    """
    from anachron.auditing.run import verify
    from anachron.engines.local.load import load

    opened = _release(release)
    entry, history = _remembered(opened, ledger)
    if table is None:
        return verify(opened, entry=entry, history=history)
    if schema is None:
        if entry is None:
            raise InputError("to audit with the table, give its schema, or the ledger.")
        schema = Schema.from_dict(entry.plan["schema"])
    with closing(load(table, schema)) as microdata:
        return verify(opened, microdata=microdata, entry=entry, history=history)


def report(
    release: Release | str | PathLike[str],
    path: str | PathLike[str],
    *,
    ledger: str | PathLike[str] | None = None,
    table: object | None = None,
    schema: Schema | None = None,
) -> Path:
    """Write a certificate for a release: one HTML file that needs nothing else.

    Parameters
    ----------
    release
        A release, or its folder.
    path
        The file to write; one that exists is replaced.
    ledger, table, schema
        As for :func:`audit`. With the ledger, the certificate also tells what else was on
        offer and why finer granularities fail; with the table, how many people there are
        in the smallest group.

    Returns
    -------
    Path
        The file.

    Example
    -------
    >>> import anachron as an, pyarrow as pa, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> visits = pa.table({"who": ["a", "b", "c"], "when": ["2024-05-01"] * 3})
    >>> release = an.publish(visits, an.Schema(subject="who", time="when"),
    ...                      an.TimeGranularity(k=3), ledger=folder + "/ledger",
    ...                      to=folder + "/releases")
    >>> an.report(release, folder + "/certificate.html", ledger=folder + "/ledger").name
    'certificate.html'
    """
    from anachron.release.durable import write_text
    from anachron.reporting.html import html

    opened = _release(release)
    verdict = audit(opened, table=table, schema=schema, ledger=ledger)
    entry, _ = _remembered(opened, ledger)
    explanation = entry.explanation if entry is not None else opened.explanation
    return write_text(Path(path), html(opened, verdict, explanation))


def _release(given: Release | str | PathLike[str]) -> Release:
    from anachron.release import Release

    return given if isinstance(given, Release) else Release(Path(given))


def _remembered(
    release: Release, ledger: str | PathLike[str] | None
) -> tuple[Entry | None, History | FeedPast | SeriesPast | None]:
    """What the ledger recorded of a release, and of those before it."""
    if ledger is None:
        return None, None
    from anachron.auditing.history import remembered
    from anachron.ledger import Ledger

    held = Ledger.open(Path(ledger), create=False)
    entries = held.entries()
    if not 1 <= release.number <= len(entries):
        raise InputError(
            f"the ledger does not know release {release.number}. "
            "Give the ledger it was published with."
        )
    entry = entries[release.number - 1]
    return entry, remembered(held, entries[: release.number])
