"""The promise for event tables: k people share each published combination."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

from anachron.calendar.definitions import BUILT_IN, Granularity
from anachron.errors import PlanError, Problem
from anachron.guarantees.promise import Promise, a_time, no_series
from anachron.ladders import Ladder
from anachron.parts.kinds import OWN, one_of, whole_number
from anachron.parts.numbers import fraction, shortest
from anachron.parts.part import Kind, part
from anachron.parts.shapes import Holds, Number, Text
from anachron.schema import Schema

__all__ = ["GRANULARITIES", "LADDERS", "TimeGranularity"]

Metric = Literal["paper", "resolution"]
Keep = Literal["time", "quasi", "neither"]


def _offered(name: str, given: Iterable[str | Granularity]) -> tuple[Granularity, ...]:
    if isinstance(given, str | Granularity):
        given = (given,)
    found = tuple(Granularity.named(g) if isinstance(g, str) else g for g in given)
    names = [granularity.name for granularity in found]
    problems = [
        Problem(f"granularity {one!r} is offered twice.")
        for one, times in sorted(Counter(names).items())
        if times > 1
    ]
    if not names:
        problems.append(Problem(f"{name} is empty.", remedy="Offer at least one, such as 'month'."))
    if problems:
        raise PlanError(problems)
    return found


def _share(expects: str, bounds: str, within: Callable[[Fraction], bool]) -> Kind:
    def read(name: str, given: object) -> Fraction:
        share = fraction(name, given, "0.01 or '1/100'")
        if not within(share):
            raise PlanError(f"{name} must be {bounds}.")
        return share

    return Kind(Holds(f"a share {expects}, as a number or as text", Number), read, toml=shortest)


GRANULARITIES = Kind(
    Holds("a list of names of granularities", list[Text]),
    _offered,
    restore=lambda plain: [Granularity.from_dict(one) for one in plain],
    show=lambda kept: "|".join(granularity.name for granularity in kept),
)
LADDERS = Kind(
    Holds("one table for each column", Any),
    lambda _, given: tuple(sorted(dict(given or {}).items())),
    unfold=dict,
    restore=lambda plain: {column: Ladder.from_dict(one) for column, one in plain.items()},
    show=lambda kept: "|".join(column for column, _ in kept),
)
_SUPPRESSED = _share(
    "from 0 to less than 1", "at least 0 and less than 1", lambda share: 0 <= share < 1
)
_OWNED = _share("above 0 and up to 1", "more than 0 and at most 1", lambda share: 0 < share <= 1)


@dataclass(frozen=True, init=False, repr=False)
class TimeGranularity(Promise):
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
    one_spelling: ClassVar[bool] = False
    lies_aside: ClassVar[bool] = True

    k: int = part(whole_number(2), shown=True)
    granularities: tuple[Granularity, ...] = part(GRANULARITIES, shown=True, remark=OWN)
    metric: Metric = part(one_of(Metric), shown=True)
    max_suppressed: Fraction = part(_SUPPRESSED, shown=True)
    max_share: Fraction | None = part(_OWNED, optional=True, shown=True)
    ladders: tuple[tuple[str, Ladder], ...] = part(
        LADDERS,
        shown=True,
        by_column="ladder",
        remark="They stand under `[guarantee.ladders.COLUMN]`.",
    )
    keep: Keep = part(one_of(Keep), shown=True, only_with="ladders")

    def __init__(
        self,
        *,
        k: int,
        granularities: Iterable[str | Granularity] = BUILT_IN,
        metric: Metric = "paper",
        max_suppressed: int | float | str | Fraction = 0,
        max_share: int | float | str | Fraction | None = None,
        ladders: Mapping[str, Ladder] | None = None,
        keep: Keep = "time",
    ) -> None:
        self._keep(locals())

    def _needs(self, schema: Schema) -> Iterator[Problem]:
        yield from no_series(schema, self.method)
        yield from a_time(schema)
