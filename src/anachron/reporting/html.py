"""The certificate as one HTML page: no script, no address, nothing to fetch.

All words stand in the templates of a language. Values enter them as text, whatever they hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from anachron.identity import Identity
from anachron.registry import METHODS
from anachron.reporting.certificate import Certificate, Proof, version
from anachron.reporting.charts import errors, group_sizes
from anachron.reporting.languages import Language, language
from anachron.reporting.messages import speaking
from anachron.reporting.tight import tight

if TYPE_CHECKING:
    from anachron.attacking.finding import Finding
    from anachron.auditing.history import FeedPast, History, TablePast
    from anachron.auditing.verdict import Verdict
    from anachron.measuring.utility import Utility
    from anachron.release import Release

__all__ = ["ENGLISH", "html", "page", "paper_of", "templates"]

ENGLISH = "en"


def html(
    release: Release,
    verdict: Verdict,
    explanation: Mapping[str, Any] | None,
    findings: Iterable[Finding] = (),
    utility: Utility | None = None,
    *,
    past: FeedPast | History | TablePast | None = None,
    identity: Identity | None = None,
    recorded: str | None = None,
    code: str = ENGLISH,
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
    identity
        Who publishes what, for whom.
    recorded
        When the ledger recorded the release.
    code
        The code of the language.

    Returns
    -------
    str
        A page that needs nothing but itself. The same arguments give the same bytes.
    """
    proof = Proof(
        verdict, explanation, tuple(findings), utility, past, identity or Identity(), recorded
    )
    return page(paper_of(release, proof), code)


def paper_of(release: Release, proof: Proof) -> Certificate[Any, Any]:
    """What the certificate of a release is written from."""
    paper: Certificate[Any, Any] = METHODS[release.guarantee["method"]].page.load()(release, proof)
    return paper


def page(paper: Certificate[Any, Any], code: str = ENGLISH) -> str:
    """Write a certificate in a language."""
    known = templates(paper.package, code)
    written = known.get_template(paper.template).render(
        paper=paper, proof=paper.proof, verdict=paper.proof.verdict
    )
    return tight(written)


@cache
def templates(package: str, code: str = ENGLISH) -> Environment:
    """What pages are written by: a method may bring templates of its own, beside those here."""
    spoken: Language = language(code, package)
    known = ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, __package__))])
    made = Environment(loader=known, autoescape=True, undefined=StrictUndefined)
    if code != ENGLISH:
        made.add_extension(speaking(spoken.text))
    made.filters |= spoken.words
    made.globals |= {
        "_": spoken.text, "errors": errors, "group_sizes": group_sizes, "language": code,
        "version": version(),
    }  # fmt: skip
    return made
