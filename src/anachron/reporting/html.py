"""The certificate as one HTML page: no script, no address, nothing to fetch."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from anachron.reporting import granularity, invariance, patterns, reposition
from anachron.reporting.certificate import title_of
from anachron.reporting.markup import Markup, tag

if TYPE_CHECKING:
    from anachron.auditing.verdict import Verdict
    from anachron.release import Release

__all__ = ["html"]

METHODS = {
    "granularity": granularity.page,
    "invariance": invariance.page,
    "patterns": patterns.page,
    "reposition": reposition.page,
}
"""The sections of a page, by what is promised."""


def html(release: Release, verdict: Verdict, explanation: Mapping[str, Any] | None) -> str:
    """Write the certificate of a release.

    Parameters
    ----------
    release
        The release that the certificate is about.
    verdict
        What the audit of it gave.
    explanation
        The record of how it came about from the owner's ledger; ``None`` if it is not at hand.

    Returns
    -------
    str
        A page that needs nothing but itself. The same arguments give the same bytes.
    """
    sections = METHODS[release.guarantee["method"]](release, verdict, explanation)
    title = title_of(release)
    return Template(_file("template.html")).substitute(
        title=escape(f"{title}: promise {'kept' if verdict.holds else 'not kept'}"),
        style=_file("style.css"),
        body="\n".join([*sections, _footer(release.number)]),
    )


def _footer(number: int) -> Markup:
    text = f"Certificate of release {number}, written by Anachron."
    return tag("footer", f"{text} This page needs no network and runs no program.")


def _file(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
