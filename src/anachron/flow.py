"""The whole flow, and the only place that knows all of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anachron.errors import AlreadyPublished, InputError, InternalError
from anachron.guarantees import Guarantee
from anachron.schema import Schema

if TYPE_CHECKING:
    from anachron.auditing.verdict import Verdict
    from anachron.engines.local.table import LocalTable
    from anachron.ledger import Entry, Publication
    from anachron.methods.granularity.apply import Outcome
    from anachron.plan import Plan
    from anachron.release import Release

__all__ = ["Progress", "audit", "publish", "publish_plan", "report"]

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
    from anachron.ledger import Ledger

    tell = progress or (lambda _what, _share: None)
    target = Path(to)
    tell("reading the table", 0.0)
    with closing(read(table, schema)) as held:
        snapshot = held.digest()
        wish = {"schema": schema.to_dict(), "guarantee": guarantee.to_dict(), "csv": csv}
        with Ledger.open(Path(ledger)).publishing(target) as publication:
            known = publication.find(snapshot)
            if known is not None:
                return _again(known, held, guarantee, wish, publication, tell)
            return _first_time(held, guarantee, wish, snapshot, publication, tell)


def _first_time(
    held: LocalTable,
    guarantee: Guarantee,
    wish: dict[str, Any],
    snapshot: str,
    publication: Publication,
    tell: Progress,
) -> Release:
    """Plan, write, verify, remember, expose."""
    from anachron.release import Release

    outcome, explanation = _planned(held, guarantee, tell)
    state = _remembered(outcome, publication)
    files = _staged(held, guarantee, outcome, publication, wish["csv"], tell)
    tell("recording in the ledger", 0.97)
    path = publication.commit(
        snapshot=snapshot, plan=wish, files=files, state=state, explanation=explanation
    )
    return Release(path, explanation=explanation)


def _again(
    known: Entry,
    held: LocalTable,
    guarantee: Guarantee,
    wish: dict[str, Any],
    publication: Publication,
    tell: Progress,
) -> Release:
    """Give back the release of a table that was published before, byte for byte."""
    from anachron.release import Release

    if known.plan != wish:
        raise AlreadyPublished(
            f"this very table was published before, as release {known.number}, with another "
            "schema or guarantee. Two different releases of one table intersect and give people "
            "away, so this one is refused. Use that release, or publish other rows."
        )
    if not known.path.exists():
        publication.redo(known)
        outcome, _ = _planned(held, guarantee, tell)
        _staged(held, guarantee, outcome, publication, wish["csv"], tell)
        publication.restore()
    release = Release(known.path, explanation=known.explanation)
    release.check_digests()
    return release


def _planned(
    held: LocalTable, guarantee: Guarantee, tell: Progress
) -> tuple[Outcome, dict[str, Any]]:
    from anachron.methods.granularity.apply import apply
    from anachron.methods.granularity.explain import explain
    from anachron.methods.granularity.plan import plan

    found = plan(held, guarantee, lambda n: tell(f"searching, {n} views tested", 0.3))
    tell("recoding the rows", 0.5)
    return apply(held, guarantee, found), explain(held, guarantee, found)


def _remembered(outcome: Outcome, publication: Publication) -> Any:
    """What the ledger keeps of the people in a release; refuses people it knows already."""
    import pyarrow as pa

    spans = outcome.spans
    people = publication.pseudonyms(spans.subject)
    overlapping = publication.overlapping(people, spans.first, spans.until)
    if overlapping:
        number, many = next(iter(overlapping.items()))
        raise AlreadyPublished(
            f"{many:,} people of this table already stand in release {number}, for a time that "
            "this release would cover again. Two releases of the same events intersect and give "
            "people away. Publish only rows that are later than that release covers."
        )
    return pa.table({"subject": people, "first": spans.first, "until": spans.until})


def _staged(
    held: LocalTable,
    guarantee: Guarantee,
    outcome: Outcome,
    publication: Publication,
    csv: bool,
    tell: Progress,
) -> dict[str, str]:
    """Write the release where nobody looks yet, and let the audit judge it."""
    from anachron.auditing.run import verify
    from anachron.release import Release
    from anachron.release.write import write

    folder = publication.stage()
    tell("writing the release", 0.6)
    description = {
        "number": publication.number,
        "previous": publication.previous,
        "guarantee": guarantee.to_dict(),
        "time_zone": held.schema.time_zone,
        "columns": outcome.columns,
        **outcome.facts,
    }
    files = write(folder, outcome.resources, description, csv)
    tell("verifying the release", 0.8)
    verdict = verify(Release(folder), microdata=held.loaded)
    if not verdict.holds:
        failed = ", ".join(check.name for check in verdict.checks if not check.holds)
        raise InternalError(
            f"the audit rejects the release before it was exposed ({failed}). Nothing was "
            "published. Please report this: it is a mistake of Anachron."
        )
    return files


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

    entry = _entry(opened := _release(release), ledger)
    if table is None:
        return verify(opened, entry=entry)
    if schema is None:
        if entry is None:
            raise InputError("to audit with the table, give its schema, or the ledger.")
        schema = Schema.from_dict(entry.plan["schema"])
    from anachron.engines.local.load import load

    with closing(load(table, schema)) as microdata:
        return verify(opened, microdata=microdata, entry=entry)


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
    entry = _entry(opened, ledger)
    explanation = entry.explanation if entry is not None else opened.explanation
    return write_text(Path(path), html(opened, verdict, explanation))


def _release(given: Release | str | PathLike[str]) -> Release:
    from anachron.release import Release

    return given if isinstance(given, Release) else Release(Path(given))


def _entry(release: Release, ledger: str | PathLike[str] | None) -> Entry | None:
    """What the ledger recorded of a release."""
    if ledger is None:
        return None
    from anachron.ledger import Ledger

    for entry in Ledger.open(Path(ledger), create=False).entries():
        if entry.number == release.number:
            return entry
    raise InputError(
        f"the ledger does not know release {release.number}. Give the ledger it was published with."
    )
