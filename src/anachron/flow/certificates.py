"""Report: one page that tells what was promised, done and measured."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from anachron.errors import InputError
from anachron.flow.attacks import attacked
from anachron.flow.evidence import Evidence, Progress, evidence
from anachron.progress import Tell, between, heard
from anachron.schema import Schema
from anachron.stopping import stoppable

if TYPE_CHECKING:
    from anachron.attacking.finding import Finding
    from anachron.measuring.utility import Utility
    from anachron.release import Release

__all__ = ["report"]


@stoppable()
def report(
    release: Release | str | PathLike[str],
    path: str | PathLike[str],
    *,
    ledger: str | PathLike[str] | None = None,
    table: object | None = None,
    schema: Schema | None = None,
    attacks: bool = False,
    questions: int = 0,
    progress: Progress | None = None,
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
    attacks
        Whether to try all attacks that apply, and show what came of them. Who is unique by all that
        is published is always counted; and what a feed by anatomy teaches is always tried, if the
        table and the ledger are given: its columns are exact.
    questions
        How many random questions of a kind to ask, to show how good the answers are; it takes
        the table. 0: none.
    progress
        True to show how far it is, False not to; or a function that is called with what is being
        done and the share of the work that is done. If not given, a notebook shows it.

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
    from anachron.auditing.run import verify
    from anachron.release.durable import write_text
    from anachron.reporting.html import html

    with (
        heard(progress, "report") as tell,
        evidence(release, table=table, schema=schema, ledger=ledger) as shown,
    ):
        verdict = verify(
            shown.release,
            microdata=shown.microdata,
            entry=shown.entry,
            history=shown.past,
            tell=between(tell, 0.0, 0.3),
        )
        explanation = shown.release.explanation if shown.entry is None else shown.entry.explanation
        findings = _tried(shown, attacks, between(tell, 0.3, 0.6))
        measured = _measured(shown, questions, between(tell, 0.6, 0.9)) if questions else None
        tell("writing the certificate", 0.9)
        page = html(shown.release, verdict, explanation, findings, measured, past=shown.past)
        return write_text(Path(path), page)


def _tried(shown: Evidence, everything: bool, tell: Tell) -> tuple[Finding, ...]:
    """Try what was asked for; in any case, what no certificate may be silent about."""
    from anachron.attacking.known import methods_of
    from anachron.attacking.run import applying

    if everything:
        return attacked(shown, tell=tell)
    promise = shown.release.guarantee
    always = {"uniqueness"} | ({"learning"} if promise.get("then") == "anatomy" else set())
    tried = [name for name in applying(methods_of(promise)) if name in always]
    return attacked(shown, tried, tell=tell) if tried else ()


def _measured(shown: Evidence, questions: int, tell: Tell) -> Utility:
    from anachron.measuring.asked import Wanted
    from anachron.measuring.run import measure

    if shown.microdata is None:
        raise InputError("how good answers are is only told with the table: give it.")
    return measure(
        shown.release,
        Wanted(questions),
        microdata=shown.microdata,
        past=shown.past,
        tell=tell,
    )
