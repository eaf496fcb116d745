"""How long a search will take, before it begins: some plans would never end.

Notes
-----
Whatever the order of the tests, all least views that hold and all greatest ones that fail must be
tested; each is an antichain of the lattice. On tables of many shapes their sum was between one
and one and a half times the number of views of the most frequent rank, so that is the estimate.
Where nothing follows from anything (rows may be left out *and* shares are bounded), all views are.
"""

from __future__ import annotations

from dataclasses import dataclass

from anachron.errors import PlanError
from anachron.methods.granularity.lattice import Lattice

__all__ = ["Effort", "check_effort", "effort"]

LONGEST = 600
"""Seconds that a search may take unless somebody insists."""
LARGEST = 2_000_000
"""Views that fit into memory without a thought."""
_SECONDS_PER_TEST, _SECONDS_PER_ROW = 1e-3, 1e-7
"""On one core of a common machine; the estimate is rough."""


@dataclass(frozen=True)
class Effort:
    """What a search is estimated to cost."""

    views: int
    tests: int
    seconds: float

    def __str__(self) -> str:
        minutes = self.seconds / 60
        long = f"{minutes:,.0f} minutes" if minutes < 600 else f"{minutes / 60:,.0f} hours"
        tested = f"about {self.tests:,} must be tested"
        return f"{self.views:,} views, of which {tested}, in about {long}"


def effort(lattice: Lattice, rows: int, *, monotone: bool) -> Effort:
    """Estimate what it takes to classify all views of a lattice."""
    views = len(lattice)
    tests = min(views, lattice.widest() * 3 // 2) if monotone else views
    return Effort(views, tests, tests * (_SECONDS_PER_TEST + rows * _SECONDS_PER_ROW))


def check_effort(found: Effort, max_views: int | None) -> None:
    """Refuse a search that takes too long, unless so many views were asked for."""
    if max_views is None and found.seconds <= LONGEST and found.views <= LARGEST:
        return
    if max_views is not None and found.views <= max_views:
        return
    raise PlanError(
        f"the ladders and granularities span {found}. Nothing was searched. Give fewer columns a "
        "ladder, shorten ladders, or offer fewer granularities: each step less divides the time. "
        f"To search all the same, publish with max_views={found.views}."
    )
