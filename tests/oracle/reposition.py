"""Reposition by trying everything, record by record, and the paper's Figure 4 as it is printed.

A record is (home, value); a plan lists (home, position) of the published records of each value
and the homes of the suppressed ones. Nothing here is shared with the package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import product

Cost = Callable[[int], Fraction]
Homes = tuple[int, ...]


@dataclass
class Plan:
    """What is not published, value by value."""

    placed: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    hidden: dict[int, list[int]] = field(default_factory=dict)

    def values(self) -> list[int]:
        return sorted({*self.placed, *self.hidden})


def cost(plan: Plan, mu: Cost, beta: Cost) -> Fraction:
    moving = sum(mu(j - t) for pairs in plan.placed.values() for t, j in pairs)
    return Fraction(moving + sum(beta(v) * len(homes) for v, homes in plan.hidden.items()))


def eligible(counts: Sequence[int], ell: Fraction) -> bool:
    return not any(count * ell > sum(counts) for count in counts)


def initial(counts: Sequence[int], ell: Fraction) -> list[int]:
    """Suppress a record of the most frequent value until the rest is eligible."""
    left = list(counts)
    while not eligible(left, ell):
        left[left.index(max(left))] -= 1
    return left


def choices(homes: Homes) -> Iterator[Homes]:
    """Every different part of the records."""
    counts = Counter(homes)
    for numbers in product(*(range(n + 1) for n in counts.values())):
        yield tuple(sorted(h for h, n in zip(counts, numbers, strict=True) for _ in range(n)))


@lru_cache(maxsize=200_000)
def fill(homes: Homes, places: Homes, mu: Cost, window: int) -> Fraction | None:
    """The cheapest way to put every record in a place of its own, by trying each."""
    if not places:
        return Fraction(0)
    best = None
    for home in set(homes):
        if home <= places[0] < home + window:
            others = list(homes)
            others.remove(home)
            rest = fill(tuple(others), places[1:], mu, window)
            if rest is not None and (best is None or rest + mu(places[0] - home) < best):
                best = rest + mu(places[0] - home)
    return best


def window_optimum(
    before: Plan,
    arrived: Sequence[int],
    newest: int,
    ell: Fraction,
    window: int,
    mu: Cost,
    beta: Cost,
) -> Fraction:
    """Definition 2: places before the newest snapshot stay, those in it may be any eligible ones.

    Records of the newest snapshot are like suppressed ones: no initial suppression is assumed.
    """
    ways: list[dict[int, Fraction]] = []
    for v in sorted({*before.values(), *range(len(arrived))}):
        own = [newest] * (arrived[v] if v < len(arrived) else 0)
        waiting = [h for h in before.hidden.get(v, []) if h + window > newest]
        gone = len(before.hidden.get(v, [])) - len(waiting)
        ways.append({
            n: price + beta(v) * gone
            for n, price in _value_ways(
                before.placed.get(v, []), tuple(waiting + own), newest, window, mu, beta(v)
            ).items()
        })  # fmt: skip
    return min(
        sum((way[n] for way, n in zip(ways, counts, strict=True)), Fraction(0))
        for counts in product(*ways)
        if eligible(counts, ell)
    )


def _value_ways(
    placed: list[tuple[int, int]],
    waiting: Homes,
    newest: int,
    window: int,
    mu: Cost,
    hiding: Fraction,
) -> dict[int, Fraction]:
    """The least cost of one value for each number of its places in the newest snapshot."""
    best: dict[int, Fraction] = {}
    first = min([newest, *(t for t, _ in placed), *waiting])
    for chosen in choices(waiting):
        homes = tuple(sorted([t - first for t, _ in placed] + [h - first for h in chosen]))
        places = tuple(sorted(j - first for _, j in placed)) + (newest - first,) * len(chosen)
        moving = fill(homes, places, mu, window)
        if moving is not None:
            price = moving + hiding * (len(waiting) - len(chosen))
            best[len(chosen)] = min(price, best.get(len(chosen), price))
    return best


def whole_optimum(
    supply: Mapping[int, Homes],
    start: int,
    newest: int,
    ell: Fraction,
    window: int,
    mu: Cost,
    beta: Cost,
    strict: bool = False,
) -> Fraction:
    """The least cost of any plan of all records in positions start … newest.

    If it is strict, those in their own snapshot are eligible by themselves, too.
    """
    states: dict[tuple[Homes, Homes], Fraction] = {}
    nothing = (0,) * (newest - start + 1) * (1 + strict)
    states[nothing, nothing] = Fraction(0)  # most records of one value, and all records
    for v, homes in supply.items():
        after: dict[tuple[Homes, Homes], Fraction] = {}
        for (most, total), spent in states.items():
            for places, price in _place_ways(
                homes, start, newest, window, mu, beta(v), strict
            ).items():
                key = (
                    tuple(map(max, most, places)),
                    tuple(a + b for a, b in zip(total, places, strict=True)),
                )
                if key not in after or spent + price < after[key]:
                    after[key] = spent + price
        states = after
    return min(
        price
        for (most, total), price in states.items()
        if all(m * ell <= n for m, n in zip(most, total, strict=True))
    )


def _place_ways(
    homes: Homes,
    start: int,
    newest: int,
    window: int,
    mu: Cost,
    hiding: Fraction,
    strict: bool,
) -> dict[Homes, Fraction]:
    """The least cost of one value for each choice of its places, by trying every record.

    If it is strict, the places of those in their own snapshot stand behind all places once more.
    """
    ways = {(0,) * (newest - start + 1) * (1 + strict): Fraction(0)}
    for home in homes:
        after: dict[Homes, Fraction] = {}
        for places, spent in ways.items():
            tries = [(places, spent + hiding)]
            for j in range(max(home, start), min(home + window, newest + 1)):
                more = list(places)
                more[j - start] += 1
                if strict and j == home:
                    more[newest + 1 - start + j - start] += 1
                tries.append((tuple(more), spent + mu(j - home)))
            for key, price in tries:
                after[key] = min(price, after.get(key, price))
        ways = after
    return ways


def figure_4(
    before: Plan, arrived: Sequence[int], newest: int, ell: Fraction, mu: Cost, beta: Cost
) -> Plan:
    """The paper's algorithm as printed, with its relay."""
    plan = Plan({v: list(p) for v, p in before.placed.items()},
                {v: list(h) for v, h in before.hidden.items()})  # fmt: skip
    for v, (n, kept) in enumerate(zip(arrived, initial(arrived, ell), strict=True)):
        plan.placed.setdefault(v, []).extend([(newest, newest)] * kept)
        plan.hidden.setdefault(v, []).extend([newest] * (n - kept))

    def level(v: int) -> int:
        return sum(j == newest for _, j in plan.placed.get(v, []))

    def relays(most: int) -> list[tuple[Fraction, int]]:
        open_values = [v for v in plan.values() if plan.hidden.get(v) and level(v) < most]
        return sorted(((beta(v) - relay(plan, v, newest, mu)[0], v) for v in open_values),
                      reverse=True)  # fmt: skip

    while True:
        height = max(level(v) for v in plan.values())
        while (found := relays(height)) and found[0][0] > 0:
            relay(plan, found[0][1], newest, mu, carry_out=True)
        m = max(0, -(-(height + 1) * ell // 1) - sum(level(v) for v in plan.values()))
        saved = ({v: list(p) for v, p in plan.placed.items()},
                 {v: list(h) for v, h in plan.hidden.items()})  # fmt: skip
        gained, done = Fraction(0), 0
        while done < m and (found := relays(height + 1)):
            gained, done = gained + found[0][0], done + 1
            relay(plan, found[0][1], newest, mu, carry_out=True)
        if done < m or gained <= 0:
            return Plan(*saved)


def relay(
    plan: Plan, v: int, newest: int, mu: Cost, carry_out: bool = False
) -> tuple[Fraction, list[tuple[int, int]]]:
    """Equation (3): each P_j gives the record it had with the largest timestamp."""
    home = max(plan.hidden[v])
    placed = list(plan.placed.get(v, []))
    carried, at, spent = home, home, Fraction(0)
    for j in sorted({j for _, j in placed if home < j < newest}):
        youngest = max(t for t, k in placed if k == j)
        spent += mu(j - carried) - mu(at - carried)
        placed.remove((youngest, j))
        placed.append((carried, j))
        carried, at = youngest, j
    spent += mu(newest - carried) - mu(at - carried)
    placed.append((carried, newest))
    if carry_out:
        plan.placed[v] = placed
        plan.hidden[v].remove(home)
    return spent, placed
