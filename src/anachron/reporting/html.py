"""The certificate as one HTML page: no script, no address, nothing to fetch."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from anachron.reporting.certificate import Certificate, gather
from anachron.reporting.closing import check_yourself, columns, content
from anachron.reporting.limits import limits
from anachron.reporting.markup import Markup, tag
from anachron.reporting.opening import done, figures, header, measured, promised, ruling
from anachron.reporting.reasons import reasons

if TYPE_CHECKING:
    from anachron.auditing.verdict import Verdict
    from anachron.release import Release

__all__ = ["html"]

SECTIONS = (
    header,
    ruling,
    figures,
    promised,
    done,
    measured,
    reasons,
    content,
    limits,
    columns,
    check_yourself,
)
"""The page, from top to bottom."""


def html(release: Release, verdict: Verdict, explanation: Mapping[str, Any] | None) -> str:
    """Write the certificate of a release.

    Parameters
    ----------
    release
        The release that the certificate is about.
    verdict
        What the audit of it gave.
    explanation
        The record of the search from the owner's ledger; ``None`` if it is not at hand.

    Returns
    -------
    str
        A page that needs nothing but itself. The same arguments give the same bytes.
    """
    paper = gather(release, verdict, explanation)
    body = "\n".join(section(paper) for section in SECTIONS)
    return Template(_file("template.html")).substitute(
        title=escape(f"{paper.title}: promise {'kept' if verdict.holds else 'not kept'}"),
        style=_file("style.css"),
        body=f"{body}\n{_footer(paper)}",
    )


def _footer(paper: Certificate) -> Markup:
    text = f"Certificate of release {paper.number}, written by Anachron."
    return tag("footer", f"{text} This page needs no network and runs no program.")


def _file(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
