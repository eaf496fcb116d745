"""Choose the view to publish: the least general one for which the promise holds.

==============  ===============================================================
``gen_m``       people in the smallest group (Definition 5)
``gen_s``       sum over groups of the people in each (Definition 6, repaired)
``gen_c``       the pair (gen_m, gen_s): less general is smaller gen_m, then
                larger gen_s (Definition 7 and the order after it)
==============  ===============================================================

Notes
-----
Definition 6 sums over tuples; Example 3, Theorem 3 and Procedure 2 of the paper sum over
groups, and only that is monotone, so we do. ``gen_c`` can call the coarser of two
incomparable granularities less general; the ``resolution`` metric compares the mean length of
a granule over the rows instead. Ties fall to the shorter granules, then to the name.

The answer is chosen among the *least* nodes that hold. Without suppression a node of least
``gen_c`` is always among them (Theorem 4). With suppression ``gen_c`` is not monotone, and
choosing among the least nodes is what keeps time fine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from anachron.engines.base import Table
from anachron.errors import GuaranteeError
from anachron.guarantees import TimeGranularity
from anachron.methods.granularity.counting import Counting
from anachron.methods.granularity.effort import Effort, check_effort, effort
from anachron.methods.granularity.lattice import Lattice
from anachron.methods.granularity.offer import Offer, offer
from anachron.methods.granularity.search import States, classify, least
from anachron.methods.granularity.view import Counts, Tally

__all__ = ["LeastView", "Search", "check_people", "expected", "least_views", "nearest", "plan",
           "why_not"]  # fmt: skip

T = TypeVar("T", bound=Tally)


@dataclass(frozen=True)
class LeastView:
    """A least view that holds, and what it costs."""

    node: int
    counts: Tally
    loss: Fraction
    """What the quasi columns lose."""

    @property
    def gen_c(self) -> tuple[int, int]:
        """The paper's measure of how general the view is."""
        return self.counts.smallest, self.counts.people

    @property
    def mean_length(self) -> Fraction:
        """Mean length of a granule over the rows that are in one, in microseconds."""
        return Fraction(self.counts.length, max(self.counts.rows - self.counts.outside, 1))


@dataclass(frozen=True, eq=False)
class Search:
    """Everything a search found out."""

    offer: Offer
    counting: Counting
    states: States
    counts: dict[int, Counts]
    answers: tuple[LeastView, ...]
    """All least views that hold, the one to publish first."""


def plan(
    table: Table,
    promise: TimeGranularity,
    told: Callable[[int, int], None] | None = None,
    max_views: int | None = None,
) -> Search:
    """Search the lattice of views; raise if none holds.

    ``told`` hears of every test, and how many there will be about.
    """
    check_people(table, promise)
    on_offer = offer(table, promise)
    lattice = on_offer.lattice
    about = expected(table, promise, lattice)
    check_effort(about, max_views)
    counting = Counting(table, promise.k, promise.max_share)
    counts: dict[int, Counts] = {}

    def count(node: int) -> Counts:
        counts[node] = counting.counts(lattice.view(node))
        if told:
            told(len(counts), about.tests)
        return counts[node]

    states, answers = least_views(lattice, promise, count)
    if not answers:
        raise GuaranteeError(why_not(lattice, promise, *nearest(counts)))
    for node in lattice.directly_finer(answers[0].node):
        # The order alone says that these fail; a person wants to know by how much.
        if node not in counts:
            count(node)
    return Search(on_offer, counting, states, counts, answers)


def check_people(table: Table, promise: TimeGranularity) -> None:
    """Refuse a table of fewer people than every group must have."""
    if table.subjects < promise.k:
        raise GuaranteeError(
            f"the table holds {table.subjects:,} different people, fewer than k = {promise.k:,}. "
            "Nothing was published. Lower k, or gather more people."
        )


def expected(table: Table, promise: TimeGranularity, lattice: Lattice) -> Effort:
    """Estimate what a search will cost."""
    return effort(lattice, table.rows, monotone=_is_monotone(promise))


def least_views(
    lattice: Lattice, promise: TimeGranularity, count: Callable[[int], Tally]
) -> tuple[States, tuple[LeastView, ...]]:
    """Find all least views that hold, the one to publish first; ``count`` tells what one has."""
    counts: dict[int, Tally] = {}

    def holds(node: int) -> bool:
        counts[node] = count(node)
        return _holds(counts[node], promise)

    states = classify(lattice, holds, monotone=_is_monotone(promise))
    answers = [LeastView(n, counts[n], lattice.loss(n)) for n in least(lattice, states)]
    return states, tuple(sorted(answers, key=_key(lattice, promise)))


def _is_monotone(promise: TimeGranularity) -> bool:
    """Whether what holds settles everything coarser."""
    return not (promise.max_suppressed > 0 and promise.max_share is not None)


def _holds(counts: Tally, promise: TimeGranularity) -> bool:
    limit = promise.max_suppressed
    return (
        counts.groups > 0 and counts.lost_rows * limit.denominator <= counts.rows * limit.numerator
    )


def _key(lattice: Lattice, promise: TimeGranularity) -> Callable[[LeastView], Any]:
    """The total order on answers: the least general first."""

    def key(answer: LeastView) -> Any:
        smallest, people = answer.gen_c
        if promise.metric == "paper":
            metric: tuple[Any, ...] = (smallest, -people, answer.mean_length)
        else:
            metric = (answer.mean_length, -people)
        name = lattice.order.names[lattice.time[answer.node]]
        steps = tuple(int(step) for step in lattice.steps[answer.node])
        if promise.ladders and promise.keep == "time":
            return (answer.mean_length, answer.loss, *metric, name, steps)
        if promise.ladders and promise.keep == "quasi":
            return (answer.loss, *metric, name, steps)
        return (*metric, answer.loss, name, steps)

    return key


def nearest(counts: Mapping[int, T]) -> tuple[int, T]:
    """The view that loses the fewest rows."""
    return min(counts.items(), key=lambda item: (item[1].lost_rows, item[0]))


def why_not(lattice: Lattice, promise: TimeGranularity, node: int, best: Counts) -> str:
    """Say how far the nearest view is from holding, and what would help."""
    name = lattice.order.names[lattice.time[node]]
    share = 100 * best.lost_rows / best.rows
    return (
        f"no view on offer keeps the promise. The nearest, by {name}, still leaves "
        f"{best.failing_people:,} people in {best.failing_groups:,} groups that break it"
        + (f" and {best.outside:,} rows in no granule" if best.outside else "")
        + f" ({best.lost_rows:,} of {best.rows:,} rows, {share:.3g} %). Nothing was published. "
        f"Offer coarser granularities, give quasi columns ladders, allow max_suppressed of at "
        f"least {best.lost_rows}/{best.rows}, or lower k (now {promise.k})."
    )
