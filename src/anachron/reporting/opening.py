"""The opening of a certificate: is the promise kept, what does it leave open, what is to decide.

A tick alone would be read as "safe". So the opening has three lights, and this is what they stand
on: the page prints it in a language, and its twin for programs states it as it is. Findings are
read by what they say of themselves, so that a further attack shows by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from anachron.attacking.finding import Finding
    from anachron.reporting.certificate import Certificate

__all__ = ["DECISIONS", "Decision", "Exposure", "Opening", "State", "Withheld", "opening"]

State = Literal["kept", "not refuted", "not kept"]
Decision = Literal["stop", "prove", "attack", "weigh", "withheld", "state", "keep", "law"]
DECISIONS: dict[Decision, str] = {
    "stop": "the release must not be handed on",
    "prove": "the promise is to be proven with the original rows",
    "attack": "attacks are to be tried",
    "weigh": "what attacks find beyond the promise is to be weighed",
    "withheld": "whether those who are missing may be missing",
    "state": "recipient and purpose are to be stated",
    "keep": "this certificate holds figures for the owner only",
    "law": "whether the release is anonymous in the sense of the law",
}
"""What may be left to decide, for programs; the page says it in a language."""
LARGEST = 3
"""So many exposures stand in the opening; the others in the table of attacks."""


@dataclass(frozen=True)
class Exposure:
    """What an attack finds against which nothing is promised."""

    attack: str
    title: str
    exposed: int
    people: int
    sampled: bool

    @property
    def share(self) -> Fraction:
        """Of the people who were looked at."""
        return Fraction(self.exposed, max(self.people, 1))


@dataclass(frozen=True)
class Withheld:
    """Some who were in the table, and are not in the release."""

    what: Literal["people held back", "people left out", "rows left out", "records left out",
                  "records waiting", "records dropped", "records refused",
                  "series left out"]  # fmt: skip
    number: int
    of: int


@dataclass(frozen=True)
class Opening:
    """What the three lights of a certificate say."""

    state: State
    checks: int
    failed: tuple[str, ...]
    """What the checks are about that fail."""
    tried: int
    """How many attacks were tried."""
    broken: tuple[str, ...]
    """The titles of those that break the promise."""
    exposures: tuple[Exposure, ...]
    """What is beyond the promise, the largest shares first."""
    withheld: tuple[Withheld, ...]
    decisions: tuple[Decision, ...]

    @property
    def largest(self) -> tuple[Exposure, ...]:
        """Those that the opening names."""
        return self.exposures[:LARGEST]


def opening(paper: Certificate[Any, Any]) -> Opening:
    """Work out what the three lights say."""
    proof, verdict = paper.proof, paper.proof.verdict
    state: State = "not kept"
    if proof.kept:
        state = "kept" if paper.proven else "not refuted"
    beyond = [_exposure(found) for found in proof.findings if found.holds is None and found.exposed]
    beyond.sort(key=lambda one: (-one.share, -one.exposed, one.attack))
    withheld = tuple(one for one in paper.withheld if one.number)
    return Opening(
        state=state,
        checks=len(verdict.checks),
        failed=tuple(check.about for check in verdict.failures),
        tried=len(proof.findings),
        broken=tuple(found.title for found in proof.broken_by),
        exposures=tuple(beyond),
        withheld=withheld,
        decisions=_decisions(paper, state, bool(beyond), bool(withheld)),
    )


def _exposure(found: Finding) -> Exposure:
    return Exposure(
        found.attack, found.title, found.exposed, found.people, found.sampled is not None
    )


def _decisions(
    paper: Certificate[Any, Any], state: State, beyond: bool, withheld: bool
) -> tuple[Decision, ...]:
    proof = paper.proof
    if state == "not kept":
        return ("stop",)
    needed: dict[Decision, bool] = {
        "prove": state == "not refuted",
        "attack": not proof.findings,
        "weigh": beyond,
        "withheld": withheld,
        "state": not (proof.identity.recipient and proof.identity.purpose),
        "keep": proof.explanation is not None or bool(proof.findings),
        "law": True,
    }
    return tuple(one for one, there in needed.items() if there)
