"""What adversaries would find: every attack that was tried, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anachron.reporting.certificate import Certificate
from anachron.reporting.markup import Markup, join, mark, table, tag
from anachron.reporting.measured import value
from anachron.reporting.parts import section
from anachron.reporting.words import count, listing, plural

if TYPE_CHECKING:
    from anachron.attacking.finding import Finding

__all__ = ["attacks"]

SIGNS = {
    False: ("fails", "fails", "state failing"),
    True: ("holds", "holds", "state"),
    None: ("open", "not promised", "state open"),
}
"""The sign, the words and the look of each outcome."""

OWNER = (
    "For the owner only: whether a guess is right can be told only with the original rows and the "
    "ledger. People and releases stand in no figure, but the figures show where to look."
)


def attacks(paper: Certificate) -> Markup:
    """Show what was tried, what it found, and whether it was promised not to; if any was tried."""
    if not paper.proof.findings:
        return Markup("")
    # What breaks a promise first, what nothing was promised about last.
    findings = sorted(paper.proof.findings, key=lambda finding: list(SIGNS).index(finding.holds))
    head = ("", "attack, and what the adversary knows", "people exposed", "promised, and found")
    return section(
        "What adversaries would find",
        tag("p", _summary(findings)),
        tag("p", OWNER, class_="note"),
        table(head, map(_row, findings), class_="attacks"),
        _all_figures(findings),
    )


def _summary(findings: Sequence[Finding]) -> str:
    broken = [f.title for f in findings if f.holds is False]
    kept = sum(f.holds is True for f in findings)
    beyond = [f for f in findings if f.holds is None]
    tried = plural(len(findings), "attack was", "attacks were")
    said = [f"{tried} tried, from everyone’s point of view at once."]
    if broken:
        verb = "breaks" if len(broken) == 1 else "break"
        said.append(f"{len(broken)} of them {verb} the promise: {listing(broken)}.")
    elif kept:
        said.append(f"The promise covers {count(kept)} of them, and holds.")
    if beyond:
        rest = "the rest" if kept or broken else "them"
        found = "it finds" if len(beyond) == 1 else "they find"
        said.append(
            f"Nothing is promised against {rest}: what {found} is no breach, but is to be weighed."
        )
    return " ".join(said)


def _row(finding: Finding) -> tuple[str, ...]:
    sign, words, look = SIGNS[finding.holds]
    title = finding.title + (" (sampled)" if finding.sampled else "")
    return (
        tag("span", join(mark(sign, ""), " ", words), class_=look),
        join(tag("strong", title), tag("small", finding.about), _line("Knows", finding.knows)),
        _exposed(finding),
        join(
            _line("Promised", finding.promised),
            _line("Found", finding.measured),
            *_sampled(finding),
        ),
    )


def _line(lead: str, text: str) -> Markup:
    return tag("span", tag("b", f"{lead}: "), text, class_="line")


def _sampled(finding: Finding) -> list[Markup]:
    return [tag("small", f"Looked at: {finding.sampled}.")] if finding.sampled else []


def _exposed(finding: Finding) -> Markup:
    """How many, of how many, and the share as a bar."""
    share = finding.exposed / finding.people if finding.people else 0.0
    bar = tag(
        "svg",
        tag("rect", width=72, height=7, class_="all"),
        # One in thousands is still somebody.
        tag("rect", width=max(72 * share, 1.5) if finding.exposed else 0, height=7, class_="some"),
        class_="meter", viewBox="0 0 72 7", aria_hidden="true",
    )  # fmt: skip
    return join(count(finding.exposed), tag("small", f"of {count(finding.people)}"), bar)


def _all_figures(findings: Sequence[Finding]) -> Markup:
    rows = [
        (finding.title, key.replace("_", " "), _figure(said))
        for finding in findings
        for key, said in finding.figures.items()
    ]
    if not rows:
        return Markup("")
    data = table(("attack", "figure", "value"), rows, numeric=(2,))
    return tag("details", tag("summary", "All figures of the attacks"), data)


def _figure(said: float | str) -> str:
    return f"{said:,.4g}" if isinstance(said, float) else value(said)
