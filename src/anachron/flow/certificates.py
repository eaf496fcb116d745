"""Report: one page that tells what was promised, done and measured."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from anachron.errors import InputError
from anachron.flow.attacks import attacked
from anachron.flow.blame import blamed
from anachron.flow.evidence import Evidence, Progress, Where, check_sound, evidence
from anachron.identity import Identity
from anachron.progress import Tell, between, heard
from anachron.schema import Schema
from anachron.stopping import stoppable

if TYPE_CHECKING:
    from anachron.attacking.finding import Finding
    from anachron.measuring.utility import Utility
    from anachron.release import Release

__all__ = ["TWIN", "report"]

TWIN = ".jsonld"
"""How the file ends that holds the certificate for programs, beside the page."""


@stoppable()
def report(
    release: Release | Where,
    path: str | PathLike[str],
    *,
    ledger: str | PathLike[str] | None = None,
    table: object | None = None,
    schema: Schema | None = None,
    attacks: bool = False,
    questions: int = 0,
    language: str = "en",
    title: str = "",
    publisher: str = "",
    recipient: str = "",
    purpose: str = "",
    contact: str = "",
    licence: str = "",
    progress: Progress | None = None,
) -> Path:
    """Write a certificate for a release: one HTML file that needs nothing else.

    Its twin for programs, JSON-LD, is written beside it, with the ending ``.jsonld``.

    Parameters
    ----------
    release
        A release, or its folder.
    path
        The file to write; one that exists is replaced, and so is its twin.
    ledger, table, schema
        As for :func:`audit`. With the ledger, the certificate also tells what else was on
        offer and why finer granularities fail; with the table, how many people there are
        in the smallest group.
    attacks
        Whether to try all attacks that apply, and show what came of them. Who is unique by all that
        is published is always counted; and what a release by anatomy teaches is always tried, if
        the table and the ledger are given: its columns are exact.
    questions
        How many random questions of a kind to ask, to show how good the answers are; it takes
        the table. 0: none.
    language
        The language of the page: ``"en"`` or ``"de"``. The twin has none.
    title, publisher, recipient, purpose, contact, licence
        What the table is called, who publishes it, for whom and for what, where questions go and
        under which terms it may be used: printed as it is, and "not stated" where it is not. A
        plan keeps it for the command line, in its section ``[certificate]``.
    progress
        True to show how far it is, False not to; or a function that is called with what is being
        done and the share of the work that is done. If not given, a notebook shows it.

    Returns
    -------
    Path
        The page.

    Example
    -------
    >>> import anachron as an, pyarrow as pa, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> visits = pa.table({"who": ["a", "b", "c"], "when": ["2024-05-01"] * 3})
    >>> release = an.publish(visits, an.Schema(subject="who", time="when"),
    ...                      an.TimeGranularity(k=3), ledger=folder + "/ledger",
    ...                      to=folder + "/releases")
    >>> page = an.report(release, folder + "/certificate.html", ledger=folder + "/ledger",
    ...                  publisher="Surgery of Pisa", language="de")
    >>> page.name, "Surgery of Pisa" in page.with_suffix(".jsonld").read_text()
    ('certificate.html', True)
    """
    from anachron.auditing.run import verify
    from anachron.release.durable import write_text
    from anachron.release.read import vouched
    from anachron.reporting.certificate import Proof
    from anachron.reporting.html import page, paper_of
    from anachron.reporting.languages import language as known
    from anachron.reporting.twin import twin

    known(language)  # refused before anything is done
    identity = Identity(title, publisher, recipient, purpose, contact, licence)
    with (
        heard(progress, "report") as tell,
        evidence(release, table=table, schema=schema, ledger=ledger, judged=True) as shown,
    ):
        verdict = verify(
            shown.release,
            microdata=shown.microdata,
            entry=shown.entry,
            history=shown.past,
            tell=between(tell, 0.0, 0.3),
        )
        # Of a release that does not hold, the certificate says so; but it must be a release.
        if verdict.holds:
            vouched(shown.release)
        else:
            check_sound(shown.release, shown.entry)
        with blamed((shown.release,)):
            findings = _tried(shown, attacks, between(tell, 0.3, 0.6))
            measured = _measured(shown, questions, between(tell, 0.6, 0.9)) if questions else None
            tell("writing the certificate", 0.9)
            entry = shown.entry
            explanation = shown.release.explanation if entry is None else entry.explanation
            recorded = None if entry is None else entry.committed_at
            proof = Proof(verdict, explanation, findings, measured, shown.past, identity, recorded)
            paper = paper_of(shown.release, proof)
            written, for_programs = page(paper, language), twin(paper)
        write_text(Path(path).with_suffix(TWIN), for_programs)
        return write_text(Path(path), written)


def _tried(shown: Evidence, everything: bool, tell: Tell) -> tuple[Finding, ...]:
    """Try what was asked for; in any case, what no certificate may be silent about."""
    from anachron.attacking.known import methods_of
    from anachron.attacking.run import applying

    if everything:
        return attacked(shown, tell=tell)
    apart = shown.release.form.layout.apart
    always = {"uniqueness"} | ({"learning"} if apart else set())
    tried = [name for name in applying(methods_of(shown.release.guarantee)) if name in always]
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
