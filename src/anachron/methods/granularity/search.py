"""Find the least nodes of a partial order that hold: Algorithm 1 of Mascetti et al. (2006).

Notes
-----
The paper walks upwards from the finest granularity and does not climb beyond one that holds,
because what is coarser holds too (its Property 1). We use the property in both directions:
what holds settles everything coarser, what fails settles everything finer. And we test chains
in the middle first, as Flash does (Kohlmayer et al., 2012), so that a chain of n nodes costs
about log n tests. The set of least nodes is the same.

Where rows may be left out *and* shares are bounded, the property is lost: merging a group that
obeys with one that does not may lose the rows of both. Then every node is tested.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from anachron.methods.granularity.lattice import Lattice

__all__ = ["FAILS", "HOLDS", "UNKNOWN", "classify", "least"]

States = npt.NDArray[np.int8]

UNKNOWN, HOLDS, FAILS = 0, 1, -1


def classify(lattice: Lattice, holds: Callable[[int], bool], *, monotone: bool) -> States:
    """Say of every node whether it holds, with as few tests as the order allows."""
    states = np.full(len(lattice), UNKNOWN, dtype=np.int8)
    if not monotone:
        for node in range(len(lattice)):
            states[node] = HOLDS if holds(node) else FAILS
        return states
    for node in np.argsort(lattice.rank, kind="stable"):
        while states[node] == UNKNOWN:
            _bisect(lattice, _chain(lattice, int(node), states), states, holds)
    return states


def least(lattice: Lattice, states: States) -> list[int]:
    """The nodes that hold and have no finer one that does."""
    found: list[int] = []
    settled = states != HOLDS
    for node in np.argsort(lattice.rank, kind="stable"):
        if not settled[node]:
            found.append(int(node))
            settled |= lattice.coarser(int(node))
    return found


def _chain(lattice: Lattice, node: int, states: States) -> list[int]:
    """Climb from a node through nodes not settled yet, as far as there are any."""
    chain = [node]
    while True:
        up = [n for n in lattice.directly_coarser(chain[-1]) if states[n] == UNKNOWN]
        if not up:
            return chain
        chain.append(up[0])


def _bisect(
    lattice: Lattice, chain: list[int], states: States, holds: Callable[[int], bool]
) -> None:
    """Find where on the chain the promise begins to hold, and settle what follows from it."""
    low, high = 0, len(chain)
    while low < high:
        middle = (low + high) // 2
        node = chain[middle]
        if holds(node):
            states[lattice.coarser(node)] = HOLDS
            high = middle
        else:
            states[lattice.finer(node)] = FAILS
            low = middle + 1
