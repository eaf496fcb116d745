"""What Reposition is compared with: suppression only, and merging snapshots in time.

Both are the paper's own alternatives (Section I). They are plans of the same form, so the same
measures apply to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from anachron.arrays import Array
from anachron.methods.reposition.eligible import is_eligible, kept
from anachron.methods.reposition.window import Batch, Due

__all__ = ["merging", "runs", "suppression"]


def suppression(arrived: Sequence[Array], ell: Fraction) -> list[Due]:
    """Publish of each snapshot the most that is l-eligible, and no record later."""
    return [_run(arrived, home, home, ell) for home in range(len(arrived))]


def merging(arrived: Sequence[Array], ell: Fraction) -> list[Due]:
    """Publish runs of consecutive snapshots as one, each at the position of its last snapshot.

    So a record's distance is how long it waits; it is not limited by a window. The time that is
    published with it is the run's, from the position after the run before.
    """
    dues = []
    first = 0
    for last in runs(arrived, ell):
        dues += [_nothing(position) for position in range(first, last)]
        dues.append(_run(arrived, first, last, ell))
        first = last + 1
    return dues


def runs(arrived: Sequence[Array], ell: Fraction) -> list[int]:
    """Part a feed into the shortest runs that are l-eligible; give the last snapshot of each.

    A rest that is not joins the runs before it until they are together. If even the whole feed
    is not, the rest is a run by itself, and some of its records must be suppressed.
    """
    lasts: list[int] = []
    first = 0
    total = _total([])
    for last, counts in enumerate(arrived):
        total = _total([total, counts])
        if is_eligible(total, ell):
            lasts.append(last)
            first, total = last + 1, _total([])
    if first < len(arrived):
        joined = _joining(arrived, lasts, ell)
        lasts = [*lasts[:joined], len(arrived) - 1]
    return lasts


def _joining(arrived: Sequence[Array], lasts: list[int], ell: Fraction) -> int:
    """Give how many runs can stay as they are when the rest joins the others."""
    begins = [0, *(last + 1 for last in lasts)]
    total = _total(arrived[begins[-1] :])
    for staying in reversed(range(len(lasts))):
        total = _total([total, *arrived[begins[staying] : begins[staying + 1]]])
        if is_eligible(total, ell):
            return staying
    return len(lasts)


def _run(arrived: Sequence[Array], first: int, last: int, ell: Fraction) -> Due:
    """Publish snapshots as one; what must be suppressed is suppressed oldest first."""
    total = _total(arrived[first : last + 1])
    excess = total - kept(total, ell)
    rows: list[tuple[int, int, int]] = []
    lost: list[tuple[int, int, int]] = []
    for home in range(first, last + 1):
        counts = arrived[home]
        hidden = np.minimum(counts, excess[: len(counts)])
        excess[: len(counts)] -= hidden
        for part, found in ((rows, counts - hidden), (lost, hidden)):
            part += [(home, value, int(found[value])) for value in np.flatnonzero(found).tolist()]
    batch = Batch.of(rows)
    return Due(last, batch.home, batch.value, batch.count, Batch.of(lost))


def _nothing(position: int) -> Due:
    none = Batch.of([])
    return Due(position, none.home, none.value, none.count)


def _total(snapshots: Sequence[Array]) -> Array:
    total = np.zeros(max((len(counts) for counts in snapshots), default=0), dtype=np.int64)
    for counts in snapshots:
        total[: len(counts)] += counts
    return total
