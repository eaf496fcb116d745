"""How large the groups of a release are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Size", "sizes"]

MOST_SIZES = 40


@dataclass(frozen=True)
class Size:
    """How many groups have from ``low`` up to ``high`` rows."""

    low: int
    high: int
    groups: int
    rows: int


def sizes(counted: Sequence[tuple[int, int]]) -> tuple[Size, ...]:
    """Join group sizes into bins that grow, where there are too many to show one by one."""
    if not counted:
        return ()
    smallest, largest = counted[0][0], counted[-1][0]
    edges = list(range(smallest, largest + 2))
    if len(edges) > MOST_SIZES + 1:
        edges = [e for e in _growing(largest) if e > smallest]
        edges.insert(0, smallest)
    found = []
    for low, high in pairwise(edges):
        inside = [(n, many) for n, many in counted if low <= n < high]
        groups = sum(many for _, many in inside)
        found.append(Size(low, high - 1, groups, sum(n * many for n, many in inside)))
    return tuple(found)


def _growing(largest: int) -> list[int]:
    """Round numbers, each about one and a half times the one before, beyond the largest."""
    edges = [1, 2, 3, 5, 7]
    scale = 10
    while edges[-1] <= largest:
        edges += [scale, scale * 3 // 2, scale * 2, scale * 3, scale * 5, scale * 7]
        scale *= 10
    return edges[: next(i for i, e in enumerate(edges) if e > largest) + 1]
