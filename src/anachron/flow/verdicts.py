"""Audit: does a release, a history of releases or any table keep its promise?"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from anachron.flow.evidence import (
    Place,
    Progress,
    Where,
    evidence,
    holds_releases,
    roles_of,
    rows_of,
)
from anachron.progress import between, heard
from anachron.release.read import Release
from anachron.schema import Schema
from anachron.scratch import near
from anachron.stopping import stoppable
from anachron.stores import placed

if TYPE_CHECKING:
    from anachron.auditing.foreign import Claim
    from anachron.auditing.verdict import Verdict

__all__ = ["audit", "audit_history", "audit_table"]


@stoppable()
def audit(
    release: Release | Where,
    *,
    table: object | None = None,
    schema: Schema | None = None,
    ledger: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Check a release against what it promises, trusting nothing that made it.

    Parameters
    ----------
    release
        A release, its folder, or its address in a store. For a folder of releases, the verdict is
        about all of them together.
    table
        The table it was made from, if you hold it. Without it, only what the published
        files show can be checked; people cannot be counted.
    schema
        The roles of the table's columns. Not needed with a ledger, which remembers them.
    ledger
        The ledger, if you hold it: the files are compared with what it recorded.
    progress
        True to show how far it is, False not to; or a function that is called with what is being
        done and the share of the work that is done. If not given, a notebook shows it.

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

    if not isinstance(release, Release) and holds_releases(release):
        return audit_history(release, table=table, schema=schema, ledger=ledger, progress=progress)[
            -1
        ]
    with heard(progress, "audit") as tell:
        tell("reading the table", 0.0)
        with evidence(
            release, table=table, schema=schema, ledger=ledger, judged=True, passing=True
        ) as shown:
            return verify(
                shown.release,
                microdata=shown.microdata,
                entry=shown.entry,
                history=shown.past,
                tell=between(tell, 0.2, 1.0),
            )


@stoppable()
def audit_history(
    folder: Where,
    *,
    table: object | None = None,
    schema: Schema | None = None,
    ledger: Place | None = None,
    progress: Progress | None = None,
) -> tuple[Verdict, ...]:
    """Check all releases in a folder, each for itself and all together.

    Parameters
    ----------
    folder
        The folder with the releases ``0001``, ``0002``, …
    table
        All records of a feed, or the table that one of the releases was made from; the ledger
        tells which.
    schema
        The roles of the table's columns. Not needed with a ledger, which remembers them.
    ledger
        The ledger, if you hold it. Only with it can people be followed from release to release.
    progress
        As for :func:`audit`.

    Returns
    -------
    tuple[Verdict, ...]
        One verdict for each release, in order, and the last for the history.

    Example
    -------
    >>> import anachron as an, pyarrow as pa, tempfile
    >>> from anachron.flow import audit_history
    >>> folder = tempfile.mkdtemp()
    >>> schema = an.Schema(subject="who", quasi="age", sensitive="ill")
    >>> for people in (["a", "b", "c", "d"], ["a", "b", "e", "f"]):
    ...     register = pa.table({"who": people, "age": [1, 2, 3, 4], "ill": ["x", "y", "x", "y"]})
    ...     release = an.publish(register, schema, an.MInvariance(m=2),
    ...                          ledger=folder + "/ledger", to=folder + "/releases")
    >>> *releases, history = audit_history(folder + "/releases", ledger=folder + "/ledger")
    >>> len(releases), history.holds, history.figures["smallest_candidate_set"]
    (2, True, 2)
    """
    from anachron.auditing.whole import passes_all, verify_history
    from anachron.ledger import Ledger

    held = None if ledger is None else Ledger.open(Path(ledger), create=False)
    with near(ledger), heard(progress, "audit") as tell:
        if table is None:
            return verify_history(placed(folder), ledger=held, tell=tell)
        tell("reading the table", 0.0)
        entries = [] if held is None else held.entries()
        roles = roles_of(schema, entries[-1] if entries else None)
        with rows_of(table, roles, passing=passes_all(placed(folder))) as microdata:
            told = between(tell, 0.2, 1.0)
            return verify_history(placed(folder), ledger=held, microdata=microdata, tell=told)


@stoppable()
def audit_table(table: object, claim: Claim) -> Verdict:
    """Check a table that any tool wrote against what is claimed of it.

    Parameters
    ----------
    table
        A file (CSV, TSV, Parquet, Arrow), a database table, or a dataframe of any kind.
    claim
        What it is claimed to be, and which column plays which role.

    Returns
    -------
    Verdict
        Whether the claim holds; its witnesses name rows of the table.

    Example
    -------
    >>> import pyarrow as pa
    >>> from anachron.auditing.foreign import Claim
    >>> from anachron.flow import audit_table
    >>> table = pa.table({"who": ["a", "b", "a", "a"], "age": ["20-29", "20-29", "3*", "3*"]})
    >>> verdict = audit_table(table, Claim("k-anonymity", "age", k=2, subject="who"))
    >>> verdict.holds, verdict.checks[0].witnesses
    (False, ('group of row 3',))
    """
    from anachron.auditing.foreign import verify_table

    return verify_table(table, claim)
