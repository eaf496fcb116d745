"""The certificate of an event table that was published once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anachron.reporting.granularity.closing import check_yourself, columns, content
from anachron.reporting.granularity.events import gather
from anachron.reporting.granularity.limits import limits
from anachron.reporting.granularity.opening import done, figures, header, promised, ruling
from anachron.reporting.granularity.reasons import reasons
from anachron.reporting.markup import Markup
from anachron.reporting.parts import measured

if TYPE_CHECKING:
    from anachron.auditing.verdict import Verdict
    from anachron.release import Release

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
    limits,
    columns,
    check_yourself,
)
"""The page, from top to bottom."""


def page(release: Release, verdict: Verdict, explanation: Mapping[str, Any] | None) -> list[Markup]:
    """Write every section of the certificate."""
    paper = gather(release, verdict, explanation)
    return [section(paper) for section in SECTIONS]
