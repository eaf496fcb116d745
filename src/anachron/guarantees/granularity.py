"""The promise for event tables: k people share each published combination."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from anachron.calendar.definitions import BUILT_IN, Granularity
from anachron.errors import PlanError, Problem
from anachron.guarantees.reading import fraction
from anachron.ladders import Ladder

__all__ = ["KEEP", "METRICS", "TimeGranularity"]

METRICS = ("paper", "resolution")
KEEP = ("time", "quasi", "neither")
SHARE = "0.01 or '1/100'"


@dataclass(frozen=True)
class TimeGranularity:
    """Every published combination of quasi values and time covers at least k people.

    The time column is generalised to the least general of the offered granularities
    (and quasi columns along their ladders) for which that holds.

    Parameters
    ----------
    k
        How many different people share each published combination, at least.
    granularities
        The granularities on offer: names of built-in ones, or your own. All fourteen
        built-in ones unless said otherwise.
    metric
        ``"paper"`` compares answers by (smallest group, sum of groups) as Mascetti et al.
        do; ``"resolution"`` prefers the smallest mean length of a granule over the rows.
    max_suppressed
        The share of rows that may be left out to stay finer, from 0 up to but not
        including 1. Text and fractions are taken exactly.
    max_share
        If given, no person owns more than this share of the rows of a group.
    ladders
        How far each quasi column may be generalised. A column without one stays as it is.
    keep
        With ladders: what to keep fine when both could give way, ``"time"``, ``"quasi"``
        or ``"neither"`` (then the metric alone decides).

    Example
    -------
    >>> import anachron as an
    >>> an.TimeGranularity(k=5, granularities=["day", "week", "month"], max_suppressed="0.01")
    TimeGranularity(k=5, granularities=day|week|month, metric='paper', max_suppressed=1/100)
    """

    method: ClassVar[str] = "granularity"

    k: int
    granularities: tuple[Granularity, ...]
    metric: str = "paper"
    max_suppressed: Fraction = Fraction(0)
    max_share: Fraction | None = None
    ladders: tuple[tuple[str, Ladder], ...] = ()
    keep: str = "time"

    def __init__(
        self,
        *,
        k: int,
        granularities: Iterable[str | Granularity] = BUILT_IN,
        metric: str = "paper",
        max_suppressed: int | float | str | Fraction = 0,
        max_share: int | float | str | Fraction | None = None,
        ladders: Mapping[str, Ladder] | None = None,
        keep: str = "time",
    ) -> None:
        values = {
            "k": k,
            "granularities": _granularities(granularities),
            "metric": metric,
            "max_suppressed": fraction("max_suppressed", max_suppressed, SHARE),
            "max_share": None if max_share is None else fraction("max_share", max_share, SHARE),
            "ladders": tuple(sorted(dict(ladders or {}).items())),
            "keep": keep,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        problems = list(_problems(self))
        if problems:
            raise PlanError(problems)

    def __repr__(self) -> str:
        names = "|".join(granularity.name for granularity in self.granularities)
        text = f"TimeGranularity(k={self.k}, granularities={names}, metric={self.metric!r}"
        if self.max_suppressed:
            text += f", max_suppressed={self.max_suppressed}"
        if self.max_share is not None:
            text += f", max_share={self.max_share}"
        if self.ladders:
            text += f", ladders={'|'.join(name for name, _ in self.ladders)}, keep={self.keep!r}"
        return text + ")"

    def to_dict(self) -> dict[str, Any]:
        """Give the guarantee as plain values, for plans, ledgers and releases."""
        return {
            "method": self.method,
            "k": self.k,
            "granularities": [g.to_dict() for g in self.granularities],
            "metric": self.metric,
            "max_suppressed": str(self.max_suppressed),
            "max_share": None if self.max_share is None else str(self.max_share),
            "ladders": {name: ladder.to_dict() for name, ladder in self.ladders},
            "keep": self.keep,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TimeGranularity:
        """Read back what :meth:`to_dict` gave."""
        rest = {key: value for key, value in values.items() if key != "method"}
        rest["granularities"] = [Granularity.from_dict(g) for g in rest["granularities"]]
        rest["ladders"] = {n: Ladder.from_dict(s) for n, s in rest["ladders"].items()}
        return cls(**rest)


def _granularities(given: Iterable[str | Granularity]) -> tuple[Granularity, ...]:
    if isinstance(given, str | Granularity):
        given = (given,)
    return tuple(Granularity.named(g) if isinstance(g, str) else g for g in given)


def _problems(promise: TimeGranularity) -> Iterable[Problem]:
    if isinstance(promise.k, bool) or not isinstance(promise.k, int) or promise.k < 2:
        yield Problem(f"k must be a whole number of at least 2, found {promise.k!r}.")
    names = [granularity.name for granularity in promise.granularities]
    if not names:
        yield Problem("granularities is empty.", remedy="Offer at least one, such as 'month'.")
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Problem(f"granularity {name!r} is offered twice.")
    if promise.metric not in METRICS:
        yield Problem(f"metric must be one of {', '.join(METRICS)}.")
    if promise.keep not in KEEP:
        yield Problem(f"keep must be one of {', '.join(KEEP)}.")
    if not 0 <= promise.max_suppressed < 1:
        yield Problem("max_suppressed must be at least 0 and less than 1.")
    if promise.max_share is not None and not 0 < promise.max_share <= 1:
        yield Problem("max_share must be more than 0 and at most 1.")
