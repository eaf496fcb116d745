"""Does a plan of (k, P)-anonymity keep its promises? Counted series by series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.oracle.patterns import word

Numbers = Sequence[Sequence[float]]


def faults(
    data: Numbers,
    group: Sequence[int],
    subgroup: Sequence[int],
    level: Sequence[int],
    envelope: tuple[Numbers, Numbers],
    k: int,
    P: int,
    max_level: int,
) -> list[str]:
    """What is wrong with a plan; an empty list if nothing is."""
    names = [i for i in range(len(data)) if group[i] >= 0]
    found = []
    if any((group[i] < 0) != (subgroup[i] < 0) for i in range(len(data))):
        found.append("a series is in a group or in a subgroup only")
    if len(data) - len(names) >= P:
        found.append("P series or more are suppressed")
    if min(Counter(group[i] for i in names).values()) < k:
        found.append("a group is smaller than k")
    if len({(subgroup[i], group[i]) for i in names}) > len({subgroup[i] for i in names}):
        found.append("a subgroup is in two groups")
    own = {i: word(data[i], level[i]) for i in names if 1 <= level[i] <= max_level}
    if len(own) < len(names):
        found.append("a level is outside 1 … max_level")
    published = {s: (level[i], own[i]) for i in names for s in [subgroup[i]]}
    if any(published[subgroup[i]] != (level[i], own[i]) for i in names):
        found.append("a series is published with a word that is not its own")
    if min(Counter((group[i], *published[subgroup[i]]) for i in names).values()) < P:
        found.append("a pattern of a group is shared by fewer than P")
    low, high = envelope
    for i in names:
        g = group[i]
        if any(not a <= x <= b for a, x, b in zip(low[g], data[i], high[g], strict=True)):
            found.append("an envelope does not cover a member")
            break
    return found
