"""m-invariance as slowly and obviously as possible: searches instead of closed forms.

Shares no code with the method. Sets of values are frozensets here, tuples are named by numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product


def is_eligible(counts: Iterable[int], m: int) -> bool:
    counts = list(counts)
    return all(m * n <= sum(counts) for n in counts)


def alpha_beta(counts: Sequence[int], m: int) -> tuple[int, int] | None:
    """Lines 3 to 8 of Figure 3 by trial: smallest beta, then largest alpha by Inequalities 5-7."""
    n = sorted((c for c in counts if c), reverse=True)
    gamma = sum(n)
    for beta in range(m, len(n) + 1):
        following = n[beta] if beta < len(n) else 0
        for alpha in range(n[beta - 1], 0, -1):
            rest = gamma - alpha * beta
            if m * (n[0] - alpha) <= rest and m * following <= rest:
                return alpha, beta
    return None


def assigned(
    counts: Sequence[int], m: int, lots: Sequence[int]
) -> list[tuple[int, tuple[int, ...]]]:
    """Figure 3 with all values sorted anew in every iteration: (alpha, values that move)."""
    left, steps = list(counts), []
    while any(left):
        order = sorted(range(len(left)), key=lambda v: (-left[v], lots[v]))
        found = alpha_beta(left, m)
        assert found is not None
        alpha, beta = found
        for v in order[:beta]:
            left[v] -= alpha
        steps.append((alpha, tuple(sorted(order[:beta]))))
    return steps


def opened(
    people: Sequence[tuple[int, Iterable[int]]], supply: Sequence[int], m: int, lots: Sequence[int]
) -> list[tuple[int, ...]]:
    """Give each (value, values they had) a set of the values that most others could fill.

    All values are sorted anew for each person. No bucket lacks anything before.
    """
    left, settled = list(supply), []
    lacking: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for value, _ in people:
        left[value] += 1
    for value, had in people:
        place = next(
            (s for (v, s), n in lacking.items() if v == value and n and not {*had} & {*s}), None
        )
        if place is None:
            left[value] -= 1
            free = [v for v in range(len(left)) if v != value and v not in had]
            most = sorted(free, key=lambda v: (-left[v], lots[v]))[: m - 1]
            place = tuple(sorted([value, *most]))
            for other in most:
                left[other] -= 1
                lacking[other, place] += 1
        else:
            lacking[value, place] -= 1
            if not lacking[value, place]:
                del lacking[value, place]
        settled.append(place)
    return settled


def fewest_counterfeits(lacking: Sequence[int], new: Sequence[int], m: int) -> int | None:
    """Try every way to fill shortages with new tuples that leaves the others assignable."""
    best = None
    for y in product(*(range(min(d, n) + 1) for d, n in zip(lacking, new, strict=True))):
        if is_eligible((n - used for n, used in zip(new, y, strict=True)), m):
            needed = sum(lacking) - sum(y)
            best = needed if best is None else min(best, needed)
    return best


def fewest_held(lacking: Sequence[int], new: Sequence[int], m: int) -> int:
    """Try every way to hold new tuples back, the fewest first, until the rest can be placed."""
    for total in range(sum(new) + 1):
        for held in product(*(range(n + 1) for n in new)):
            left = [n - h for n, h in zip(new, held, strict=True)]
            if sum(held) == total and fewest_counterfeits(lacking, left, m) is not None:
                return total
    raise AssertionError


def greedy_fills(
    buckets: Sequence[tuple[Sequence[int], Mapping[int, int]]], new: Sequence[int], m: int
) -> list[dict[int, int]]:
    """The paper's balancing, a tuple at a time: how many new tuples of each value fill a bucket."""
    left = list(new)
    fills = []
    for signature, counts in buckets:
        height = max(counts.get(v, 0) for v in signature)
        filled: dict[int, int] = {}
        for v in sorted(signature):
            for _ in range(height - counts.get(v, 0)):
                without = [n - (i == v) for i, n in enumerate(left)]
                if left[v] and is_eligible(without, m):
                    left = without
                    filled[v] = filled.get(v, 0) + 1
        fills.append(filled)
    return fills


Member = tuple[int, tuple[Fraction | float, ...] | None, int]
"""(name, quasi values or None for a counterfeit, lot)."""


def joining(
    signatures: Sequence[Sequence[int]], people: Sequence[int], new: Sequence[int], m: int
) -> list[int]:
    """How many tuples of each of its values join each signature, one set after the other.

    The one with most people takes sets while the others stay m-eligible, then the next.
    """
    left, found = list(new), [0] * len(signatures)
    for at in sorted(range(len(signatures)), key=lambda at: (-people[at], at)):
        while True:
            after = [count - (value in signatures[at]) for value, count in enumerate(left)]
            if min(after) < 0 or not is_eligible(after, m):
                break
            left, found[at] = after, found[at] + 1
    return found


def split(lists: Sequence[Sequence[Member]]) -> list[list[Member]]:
    """Section 4.3 as printed: sort, try all schemes, take the best, go on with both halves."""
    height = len(lists[0])
    if height == 1:
        return [[members[0] for members in lists]]
    width = next(len(x) for members in lists for _, x, _ in members if x is not None)
    best = None
    for i in range(width):
        ordered = [sorted(members, key=lambda t: _before(t, i)) for members in lists]
        for cut in range(1, height):
            halves = [o[:cut] for o in ordered], [o[cut:] for o in ordered]
            cost = cut * _sides(halves[0]) + (height - cut) * _sides(halves[1])
            offered = (cost, abs(2 * cut - height), i, cut)
            if best is None or offered < best[0]:
                best = offered, halves
    assert best is not None
    return split(best[1][0]) + split(best[1][1])


def _before(member: Member, i: int) -> tuple[object, ...]:
    _, x, lot = member
    return (0, 0, lot) if x is None else (1, x[i], lot)


def _sides(lists: Sequence[Sequence[Member]]) -> Fraction | float:
    real = [x for members in lists for _, x, _ in members if x is not None]
    total: Fraction | float = 0
    for column in zip(*real, strict=True):
        total += max(column) - min(column)
    return total


def check_release(
    groups: Mapping[int, tuple[Sequence[int], int]],
    rows: Iterable[tuple[int, int]],
    m: int,
    standing: Collection[int] = (),
) -> None:
    """m-uniqueness: each group's real values are different, in its signature, and add up.

    ``groups`` has (signature, counterfeits) for each group, ``rows`` (group, value). Values may be
    the same in groups that were ``standing`` before.
    """
    members: dict[int, list[int]] = {g: [] for g in groups}
    for g, value in rows:
        members[g].append(value)
    for g, (signature, counterfeits) in groups.items():
        assert len(set(signature)) == len(signature) >= m
        assert members[g], "a group without a real tuple"
        assert g in standing or len(set(members[g])) == len(members[g])
        assert set(members[g]) <= set(signature)
        assert len(members[g]) + counterfeits == len(signature)


def transitions_leave_m(
    old: Sequence[int], new: Sequence[int], m: int, can: Mapping[int, frozenset[int]]
) -> bool:
    """Every a becomes some b, every b was some a, and each a is in a matching of m pairs."""
    edge = {(a, b) for a in old for b in new if a == b or b in can.get(a, frozenset())}
    if any(not any((a, b) in edge for b in new) for a in old):
        return False
    if any(not any((a, b) in edge for a in old) for b in new):
        return False
    matchings = [
        pairs
        for pairs in combinations(sorted(edge), m)
        if len({a for a, _ in pairs}) == m and len({b for _, b in pairs}) == m
    ]
    return all(any(a in dict(pairs) for pairs in matchings) for a in old)


def multiset(values: Iterable[int], domain: int) -> list[int]:
    found = Counter(values)
    return [found[v] for v in range(domain)]
