"""The certificate of series that are published as envelopes and patterns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anachron.reporting.markup import Markup
from anachron.reporting.parts import measured
from anachron.reporting.patterns.closing import check_yourself, columns, content
from anachron.reporting.patterns.limits import limits
from anachron.reporting.patterns.opening import done, figures, header, promised, ruling
from anachron.reporting.patterns.series import gather
from anachron.reporting.patterns.story import story

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
    story,
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
