"""The certificate of a feed that is published snapshot by snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anachron.reporting.answers import answers
from anachron.reporting.attacks import attacks
from anachron.reporting.invariance.story import story as people_of
from anachron.reporting.markup import Markup
from anachron.reporting.measured import measured
from anachron.reporting.reposition.closing import check_yourself, columns, content
from anachron.reporting.reposition.feed import gather
from anachron.reporting.reposition.limits import limits
from anachron.reporting.reposition.opening import done, figures, header, promised, ruling
from anachron.reporting.reposition.story import story

if TYPE_CHECKING:
    from anachron.release import Release
    from anachron.reporting.certificate import Proof

__all__ = ["page"]


def page(release: Release, proof: Proof) -> list[Markup]:
    """Write every section of the certificate, from top to bottom."""
    paper = gather(release, proof)
    opening = [part(paper) for part in (header, ruling, figures, promised, done)]
    people = [] if paper.register is None else [people_of(paper.register, "snapshot")]
    closing = [part(paper) for part in (content, answers, attacks, limits, columns, check_yourself)]
    return [*opening, measured(paper), story(paper), *people, *closing]
