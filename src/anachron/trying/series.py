"""What a table of series comes to."""

from __future__ import annotations

from dataclasses import dataclass

from anachron.trying.figures import Figures, Trying, cost, risk
from anachron.trying.rehearsing import Rehearsed, rehearsing

__all__ = ["SERIES", "SeriesFigures"]


@dataclass(frozen=True)
class SeriesFigures(Figures):
    """What a release of series comes to."""

    chance: float = risk("find a row", share=True)
    """To find the row of a person whose values and shape are known, at most."""
    value_chance: float | None = risk("a value", share=True)
    """To find the person's sensitive value, at most, in any column of such values."""
    published: int = cost("series")
    """Series in the release."""
    left_out: int = cost("left out")
    """Series that are suppressed, or dropped for their gaps."""
    value_loss: float = cost("value loss")
    """Mean over the published series: the width of an envelope."""
    pattern_loss: float = cost("shape loss")
    """Mean over the published series: 0 if shapes are kept, 1 if nothing of them is."""
    mean_level: float = cost("letters")
    """Mean level of the published patterns."""
    groups: int = cost("groups")
    subgroups: int = cost("patterns", narrow=False)
    """Sets of people who share envelope and pattern."""


def _figures(rehearsed: Rehearsed) -> SeriesFigures:
    told = rehearsed[0][-1]
    published = told["series"] - told["suppressed"]
    levels = sum(int(level) * many for level, many in told["levels"].items())
    breach = told["breach"]
    return SeriesFigures(
        chance=breach["by_count"],
        value_chance=max((one["by_count"] for one in breach["values"].values()), default=None),
        published=published,
        left_out=told["suppressed"] + told["dropped"],
        value_loss=told["value_loss"] / max(published, 1),
        pattern_loss=told["pattern_loss"] / max(published, 1),
        mean_level=levels / max(published, 1),
        groups=told["groups"],
        subgroups=told["subgroups"],
    )


SERIES = Trying(SeriesFigures, rehearsing(_figures))
