"""The certificate of a register that is released again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anachron.reporting.answers import answers
from anachron.reporting.attacks import attacks
from anachron.reporting.invariance.closing import check_yourself, columns, content
from anachron.reporting.invariance.limits import limits
from anachron.reporting.invariance.opening import done, figures, header, promised, ruling
from anachron.reporting.invariance.register import gather
from anachron.reporting.invariance.story import story
from anachron.reporting.markup import Markup
from anachron.reporting.measured import measured

if TYPE_CHECKING:
    from anachron.release import Release
    from anachron.reporting.certificate import Proof

__all__ = ["page"]

SECTIONS = (
    header,
    ruling,
    figures,
    promised,
    done,
    measured,
    story,
    content,
    answers,
    attacks,
    limits,
    columns,
    check_yourself,
)
"""The page, from top to bottom."""


def page(release: Release, proof: Proof) -> list[Markup]:
    """Write every section of the certificate."""
    paper = gather(release, proof)
    return [section(paper) for section in SECTIONS]
