"""The certificate as one HTML page: no script, no address, nothing to fetch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from anachron.registry import METHODS
from anachron.reporting.certificate import Proof, title_of
from anachron.reporting.markup import Markup, tag

if TYPE_CHECKING:
    from anachron.attacking.finding import Finding
    from anachron.auditing.history import FeedPast, History, SeriesPast
    from anachron.auditing.verdict import Verdict
    from anachron.measuring.utility import Utility
    from anachron.release import Release

__all__ = ["html"]


def html(
    release: Release,
    verdict: Verdict,
    explanation: Mapping[str, Any] | None,
    findings: Iterable[Finding] = (),
    utility: Utility | None = None,
    *,
    past: FeedPast | History | SeriesPast | None = None,
) -> str:
    """Write the certificate of a release.

    Parameters
    ----------
    release
        The release that the certificate is about.
    verdict
        What the audit of it gave.
    explanation
        The record of how it came about from the owner's ledger; ``None`` if it is not at hand.
    findings
        What attacks on it found. One that breaks a promise turns the whole page.
    utility
        How good its answers to random questions are.
    past
        What the ledger remembers. Of a register, it tells how many values are left for everyone
        from release to release.

    Returns
    -------
    str
        A page that needs nothing but itself. The same arguments give the same bytes.
    """
    proof = Proof(verdict, explanation, tuple(findings), utility, past)
    page: Callable[[Release, Proof], Iterable[Markup]]
    page = METHODS[release.guarantee["method"]].page.load()
    sections = page(release, proof)
    title = title_of(release)
    return Template(_file("template.html")).substitute(
        title=escape(f"{title}: promise {'kept' if proof.kept else 'not kept'}"),
        style=_file("style.css"),
        body="\n".join([*filter(None, sections), _footer(release.number)]),
    )


def _footer(number: int) -> Markup:
    return tag(
        "footer",
        f"Certificate of release {number}, written by Anachron. This page needs no network and "
        "runs no program. On a screen, the figures behind each chart can be unfolded.",
    )


def _file(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
