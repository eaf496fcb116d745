"""What a table of events comes to under many promises, from one look at each view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anachron.engines.local.table import LocalTable
from anachron.errors import GuaranteeError
from anachron.guarantees import TimeGranularity
from anachron.ledger.imagined import Imagined
from anachron.making.conduct import courses
from anachron.making.course import Work
from anachron.making.refusing import refuse_spelling
from anachron.methods.granularity.apply import remembered
from anachron.methods.granularity.choose import (
    check_people,
    expected,
    least_views,
    nearest,
    why_not,
)
from anachron.methods.granularity.counting import Counting
from anachron.methods.granularity.effort import check_effort
from anachron.methods.granularity.explain import least_told, titles
from anachron.methods.granularity.lattice import Lattice
from anachron.methods.granularity.offer import offer
from anachron.methods.granularity.sizes import Sizes, Sizing
from anachron.methods.granularity.view import Counts, Tally, View
from anachron.trying.figures import Figures, Trying, answer, cost, risk

__all__ = ["EVENTS", "EventsFigures"]

Key = tuple[Any, ...]
"""A view by what it is: a granularity, and the step of each ladder."""
Edge = Sequence[str]
"""A granularity, and one that is directly coarser."""


@dataclass(frozen=True)
class EventsFigures(Figures):
    """What one least view comes to."""

    granularity: str = answer("time by")
    steps: str = answer("quasi by", narrow=False)
    """The step of each ladder, in words."""
    smallest_group: int = risk("fewest people")
    """People in the smallest group."""
    chance: float = risk("chance", share=True)
    """To pick the row of somebody who is known to be in a group, at most."""
    mean_length_days: float = cost("days")
    """Mean length of a published granule over the rows."""
    quasi_loss: float | None = cost("quasi loss")
    """What quasi columns lose: 0 as they are, 1 for each that is left out; None without ladders."""
    left_out: int = cost("left out")
    """Rows that are suppressed."""
    left_out_share: float = cost("share", share=True, narrow=False)
    groups: int = cost("groups")
    people_in_groups: int = cost("people in groups", narrow=False)
    """Sum over the groups of the people in each."""
    rungs: Mapping[str, int] = field(default_factory=dict)
    """The number of the step of each ladder that has several."""
    finer: tuple[str, ...] = ()
    """The granularities that were searched and are as fine or finer, by their names."""

    @classmethod
    def of(
        cls, least: Mapping[str, Any], ladders: Mapping[str, Sequence[str]], edges: Sequence[Edge]
    ) -> EventsFigures:
        """Read what a ledger holds of an answer."""
        smallest, people = least["gen_c"]
        steps = (f"{column}: {ladders[column][step]}" for column, step in least["steps"].items())
        return cls(
            granularity=least["granularity"],
            steps="; ".join(steps),
            smallest_group=smallest,
            chance=1 / smallest,
            mean_length_days=least["mean_length_days"],
            quasi_loss=float(least["quasi_loss"]) if ladders else None,
            left_out=least["suppressed_rows"],
            left_out_share=float(least["suppressed_share"]),
            groups=least["groups"],
            people_in_groups=people,
            rungs=dict(least["steps"]),
            finer=_upto(least["granularity"], edges),
        )


def _upto(name: str, edges: Sequence[Edge]) -> tuple[str, ...]:
    """A granularity, and all from which steps to the next coarser ones lead to it."""
    found, before = {name}, set[str]()
    while found != before:
        before = found
        found = found | {fine for fine, coarse in edges if coarse in found}
    return tuple(sorted(found))


def _told(explanation: Mapping[str, Any]) -> list[EventsFigures]:
    ladders, edges = explanation["ladders"], explanation["order"]["edges"]
    return [EventsFigures.of(one, ladders, edges) for one in explanation["answers"]]


class _Events:
    """A table, and whatever was looked at: for one setting, and for all that follow."""

    def __init__(
        self, table: LocalTable, works: Sequence[Work[TimeGranularity]], ledger: Imagined
    ) -> None:
        self._table, self._ledger = table, ledger
        shares = any(work.guarantee.max_share is not None for work in works)
        self._sizing = Sizing(table, shares=shares)
        self._lattices: dict[Key, Lattice] = {}
        self._views: dict[Key, View] = {}
        self._same: dict[Key, Any] = {}
        self._sizes: dict[Key, Sizes] = {}
        self._people: dict[Key, Callable[[int], int]] = {}

    def __call__(self, work: Work[TimeGranularity]) -> Sequence[EventsFigures]:
        """Search as publishing does, and refuse what it refuses."""
        refuse_spelling(work, self._ledger)
        if self._ledger.entries:
            [course] = courses(work, self._table, end=True)
            seen = course.recognise(work, self._ledger)
            if seen.new is None:
                return _told(seen.again[0].explanation)
        promise = work.guarantee
        check_people(self._table, promise)
        lattice = self._lattice(promise)
        check_effort(expected(self._table, promise, lattice), work.max_views)
        counts: dict[int, Tally] = {}

        def count(node: int) -> Tally:
            sizes = self._looked_at(lattice, promise, node)
            counts[node] = sizes.tally(promise.k, promise.max_share)
            return counts[node]

        _, answers = least_views(lattice, promise, count)
        if not answers:
            raise GuaranteeError(self._why_not(lattice, promise, *nearest(counts)))
        if self._ledger.entries:
            self._refuse_known(work, lattice, answers[0].node)
        ladders, names = titles(self._table, lattice), lattice.order.names
        edges = [(names[i], names[j]) for i, j in lattice.order.directly_coarser()]
        told = (least_told(self._table, lattice, one).to_dict() for one in answers)
        return [EventsFigures.of(one, ladders, edges) for one in told]

    def _lattice(self, promise: TimeGranularity) -> Lattice:
        key = (promise.granularities, promise.ladders)
        if key not in self._lattices:
            self._lattices[key] = offer(self._table, promise).lattice
        return self._lattices[key]

    def _looked_at(self, lattice: Lattice, promise: TimeGranularity, node: int) -> Sizes:
        key = _key(lattice, promise, node)
        if key not in self._sizes:
            self._sizes[key] = self._sizing.sizes(self._view(key, lattice, node))
        return self._sizes[key]

    def _view(self, key: Key, lattice: Lattice, node: int) -> View:
        """The view; of lattices that have a part in common, with the very same part.

        What is sorted for one view serves others of the same recodings.
        """
        if key not in self._views:
            view, (granularity, *steps) = lattice.view(node), key
            time = self._same.setdefault((granularity,), view.time)
            recoded = zip(view.quasi, steps, strict=True)
            quasi = (self._same.setdefault((one.column, step), one) for one, step in recoded)
            self._views[key] = View(time, tuple(quasi))
        return self._views[key]

    def _why_not(self, lattice: Lattice, promise: TimeGranularity, node: int, best: Tally) -> str:
        key, share = _key(lattice, promise, node), promise.max_share
        if (key, share) not in self._people:
            view = self._view(key, lattice, node)
            self._people[key, share] = self._sizing.people(view, share)
        failing = self._people[key, share](promise.k)
        return why_not(lattice, promise, node, Counts(**vars(best), failing_people=failing))

    def _refuse_known(self, work: Work[TimeGranularity], lattice: Lattice, node: int) -> None:
        """Refuse people whom the ledger knows at these times, as publishing does."""
        promise = work.guarantee
        counting = Counting(self._table, promise.k, promise.max_share, self._sizing.pairing)
        view = self._view(_key(lattice, promise, node), lattice, node)
        remembered(counting.spans(view), work.schema, self._ledger, work.accept)


def _key(lattice: Lattice, promise: TimeGranularity, node: int) -> Key:
    name = lattice.order.names[lattice.time[node]]
    granularity = next(one for one in promise.granularities if one.name == name)
    steps = zip(lattice.ladders, lattice.steps[node], strict=True)
    return (granularity, *(rungs[step].step for rungs, step in steps))


EVENTS = Trying(EventsFigures, _Events, draws=False)
