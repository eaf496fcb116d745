"""The certificate of an event table that was published once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anachron.reporting.answers import answers
from anachron.reporting.attacks import attacks
from anachron.reporting.granularity.closing import check_yourself, columns, content
from anachron.reporting.granularity.events import gather
from anachron.reporting.granularity.limits import limits
from anachron.reporting.granularity.opening import done, figures, header, promised, ruling
from anachron.reporting.granularity.reasons import reasons
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
    reasons,
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
