"""(k, P)-anonymity as slowly and obviously as possible: the repaired paper, series by series.

Shares no code with the method. A series is a list of numbers and is named by its index; a leaf,
a P-subgroup or a k-group is a list of such names. ``place`` breaks ties, as in the method.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, reduce
from statistics import NormalDist, fmean

Series = Sequence[float]
Names = list[int]


@cache
def breakpoints(level: int) -> list[float]:
    return [round(NormalDist().inv_cdf(j / level), 9) for j in range(1, level)]


@cache
def centre(level: int, letter: str) -> float:
    """Gaussian((j − 1)/level + 1/(2·level)) for the j-th letter."""
    j = ord(letter) - ord("a") + 1
    return NormalDist().inv_cdf((j - 1) / level + 1 / (2 * level))


class Segmented(list[float]):
    """A series in which neighbouring times share a letter."""

    def __init__(self, values: Series, segments: int) -> None:
        super().__init__(values)
        self.segment = [math.ceil(t * segments / len(values)) for t in range(1, len(values) + 1)]


def scores(r: Series) -> list[float]:
    mean = fmean(r)
    sd = math.sqrt(math.fsum((x - mean) ** 2 for x in r) / (len(r) - 1))
    if sd <= 1e-12 * max(abs(x) for x in r):
        return [0.0] * len(r)
    return [(x - mean) / sd for x in r]


def normalised(r: Series) -> list[float]:
    return [round(z, 9) for z in scores(r)]


def means(r: Series) -> list[float]:
    """What letters are of: the times, or the segments."""
    if not isinstance(r, Segmented):
        return normalised(r)
    z = scores(r)
    of = [[z[t] for t, s in enumerate(r.segment) if s == one] for one in sorted({*r.segment})]
    return [round(fmean(part), 9) for part in of]


def word(r: Series, level: int) -> str:
    cuts = breakpoints(level)
    return "".join(chr(ord("a") + sum(b <= z for b in cuts)) for z in means(r))


def drawn(r: Series, level: int) -> list[float]:
    """What is rebuilt of the word of a series, at every time."""
    shape = [centre(level, letter) for letter in word(r, level)]
    return [shape[s - 1] for s in r.segment] if isinstance(r, Segmented) else shape


# Losses


Box = tuple[Series, Series]
"""Lowest and highest values: an envelope."""


def union(a: Box, b: Box) -> Box:
    return (
        [min(x, y) for x, y in zip(a[0], b[0], strict=True)],
        [max(x, y) for x, y in zip(a[1], b[1], strict=True)],
    )


def envelope(data: Sequence[Series], members: Names) -> Box:
    return reduce(union, [(data[i], data[i]) for i in members])


def squares(box: Box) -> float:
    total = 0.0
    for low, high in zip(*box, strict=True):
        total += (high - low) ** 2
    return total


def value_loss(data: Sequence[Series], members: Names) -> float:
    """The root of the mean squared width, summed over the members."""
    return len(members) * math.sqrt(squares(envelope(data, members)) / len(data[0]))


def distance(a: Series, b: Series) -> float:
    """Cosine distance of all pairwise differences."""
    p = [a[i] - a[j] for j in range(len(a)) for i in range(j)]
    q = [b[i] - b[j] for j in range(len(b)) for i in range(j)]
    if not any(p) or not any(q):
        return 0.0 if not any(p) and not any(q) else 1.0
    dot = math.fsum(x * y for x, y in zip(p, q, strict=True))
    return 1 - dot / math.sqrt(math.fsum(x * x for x in p) * math.fsum(y * y for y in q))


def pattern_loss(r: Series, level: int) -> float:
    return distance(normalised(r), drawn(r, level))


# The tree


@dataclass
class Node:
    level: int
    members: Names


def create_tree(
    data: Sequence[Series], node: Node, P: int, max_level: int
) -> tuple[list[Node], list[Node]]:
    """The good and the bad leaves below a node: Algorithm 1 with excluding cases."""
    if len(node.members) < P:
        return [], [node]
    if node.level == max_level or len(node.members) < 2 * P:
        return [node], []
    parts: dict[str, Names] = {}
    for i in node.members:
        parts.setdefault(word(data[i], node.level + 1), []).append(i)
    tg = [part for part in parts.values() if len(part) >= P]
    tb = [part for part in parts.values() if len(part) < P]
    if not tg:
        return [node], []
    children = [Node(node.level + 1, part) for part in tg]
    if sum(len(part) for part in tb) >= P:
        children.append(Node(node.level, [i for part in tb for i in part]))
    else:
        children += [Node(node.level + 1, part) for part in tb]
    good, bad = [], []
    for child in children:
        more_good, more_bad = create_tree(data, child, P, max_level)
        good += more_good
        bad += more_bad
    return good, bad


def recycle(data: Sequence[Series], bad: list[Node], P: int) -> tuple[list[Names], Names]:
    """New good leaves, and the series that are suppressed."""
    pool = {i: leaf.level for leaf in bad for i in leaf.members}
    good = []
    for level in range(max(pool.values(), default=0), 0, -1):
        if len(pool) < P:
            break
        parts: dict[str, Names] = {}
        for i, own in pool.items():
            if own >= level:
                parts.setdefault(word(data[i], level), []).append(i)
        for part in parts.values():
            if len(part) >= P:
                good.append(part)
                for i in part:
                    del pool[i]
    return good, sorted(pool)


# Values


def top_down(
    data: Sequence[Series], members: Names, least: int, place: Sequence[int]
) -> list[Names]:
    """Xu et al.: two distant seeds, everybody joins the side that grows less, both large enough."""
    if len(members) < 2 * least:
        return [members]
    members = sorted(members, key=lambda i: place[i])
    first, second = _seeds(data, members)
    sides: list[Names] = [[first], [second]]
    boxes = [envelope(data, side) for side in sides]
    for i in members:
        if i in (first, second):
            continue
        wider = [union(box, (data[i], data[i])) for box in boxes]
        gain = [
            (len(side) + 1) * math.sqrt(squares(new)) - len(side) * math.sqrt(squares(old))
            for side, old, new in zip(sides, boxes, wider, strict=True)
        ]
        other = gain[1] < gain[0] or (gain[1] == gain[0] and len(sides[1]) < len(sides[0]))
        sides[other].append(i)
        boxes[other] = wider[other]
    few, many = (sides[1], sides[0]) if len(sides[1]) <= len(sides[0]) else sides
    if len(few) < least:
        box = envelope(data, few)
        in_order = sorted(many, key=lambda i: place[i])
        in_order.sort(key=lambda i: squares(union(box, (data[i], data[i]))))
        nearest = in_order[: least - len(few)]
        few += nearest
        for i in nearest:
            many.remove(i)
    return [part for side in sides for part in top_down(data, side, least, place)]


def _seeds(data: Sequence[Series], members: Names) -> tuple[int, int]:
    u = members[0]
    for _ in range(3):
        v = _farthest(data, members, u)
        back = _farthest(data, members, v)
        if back == u:
            break
        u = back
    return u, v


def _farthest(data: Sequence[Series], members: Names, one: int) -> int:
    return max((i for i in members if i != one), key=lambda i: squares(envelope(data, [one, i])))


def form(data: Sequence[Series], parts: list[Names], k: int) -> list[list[int]]:
    """Groups of part numbers: the paper's greedy, every candidate tried every time."""
    boxes = [envelope(data, part) for part in parts]

    def people(numbers: list[int]) -> int:
        return sum(len(parts[s]) for s in numbers)

    def width(numbers: list[int]) -> float:
        return squares(reduce(union, [boxes[s] for s in numbers]))

    def loss(numbers: list[int]) -> float:
        """The square of the value loss, but for a factor: exact where values are whole."""
        return people(numbers) ** 2 * width(numbers)

    def root(numbers: list[int]) -> float:
        return people(numbers) * math.sqrt(width(numbers))

    groups = [[s] for s in range(len(parts)) if people([s]) >= k]
    left = [s for s in range(len(parts)) if people([s]) < k]
    while people(left) >= k:
        group = [min(left, key=lambda s: (loss([s]), people([s]), s))]
        left.remove(group[0])
        while people(group) < k:
            best = min(left, key=lambda s: (loss([*group, s]), people([s]), s))
            group.append(best)
            left.remove(best)
        groups.append(group)
    for s in left:
        more = [root([*group, s]) - root(group) for group in groups]
        chosen = min(range(len(groups)), key=lambda g: (more[g], people(groups[g]), g))
        groups[chosen].append(s)
    return groups


# The two algorithms


@dataclass
class Published:
    group: list[int]
    subgroup: list[int]
    level: list[int]


def level_of(data: Sequence[Series], members: Names, max_level: int, objective: str) -> int:
    agreed = [
        level
        for level in range(1, max_level + 1)
        if len({word(data[i], level) for i in members}) == 1
    ]
    if objective == "level":
        return agreed[-1]
    losses = {level: sum(pattern_loss(data[i], level) for i in members) for level in agreed}
    return max(level for level in agreed if losses[level] <= min(losses.values()) + 1e-9)


def published(
    data: Sequence[Series], groups: list[list[Names]], max_level: int, objective: str
) -> Published:
    found = Published([-1] * len(data), [-1] * len(data), [0] * len(data))
    number = 0
    for g, group in enumerate(groups):
        for part in group:
            level = level_of(data, part, max_level, objective)
            for i in part:
                found.group[i], found.subgroup[i], found.level[i] = g, number, level
            number += 1
    return found


def kapra(
    data: Sequence[Series],
    k: int,
    P: int,
    max_level: int,
    place: Sequence[int],
    objective: str = "level",
    tree_level: int | None = None,
    cells: int | None = None,
) -> Published:
    everybody = list(range(len(data)))
    good, bad = [], []
    for cell in [everybody] if cells is None else top_down(data, everybody, cells, place):
        more_good, more_bad = create_tree(data, Node(1, cell), P, tree_level or max_level)
        good += more_good
        bad += more_bad
    more, suppressed = recycle(data, bad, P)
    leaves = [leaf.members for leaf in good] + more
    if len(data) - len(suppressed) < k:
        leaves = [everybody]
    parts = [part for leaf in leaves for part in top_down(data, leaf, P, place)]
    parts.sort(key=lambda part: min(place[i] for i in part))
    groups = [[parts[s] for s in group] for group in form(data, parts, k)]
    return published(data, groups, max_level, objective)


def naive(
    data: Sequence[Series],
    k: int,
    P: int,
    max_level: int,
    place: Sequence[int],
    objective: str = "level",
) -> Published:
    groups = []
    for members in top_down(data, list(range(len(data))), k, place):
        good, bad = create_tree(data, Node(1, members), P, max_level)
        groups.append(absorb(data, good, bad, max_level, place))
    return published(data, groups, max_level, objective)


def absorb(
    data: Sequence[Series],
    good: list[Node],
    bad: list[Node],
    max_level: int,
    place: Sequence[int],
) -> list[Names]:
    """Put each bad leaf, the smallest first, into the good leaf with the most similar word."""

    def first(leaf: Node) -> int:
        return min(place[i] for i in leaf.members)

    def shape(leaf: Node, level: int) -> list[float]:
        return drawn(data[leaf.members[0]], level)

    good.sort(key=first)
    leaves = [list(leaf.members) for leaf in good]
    shapes = [shape(leaf, level_of(data, leaf.members, max_level, "level")) for leaf in good]
    for lone in sorted(bad, key=lambda leaf: (len(leaf.members), first(leaf))):
        own = shape(lone, lone.level)
        far = [round(distance(own, other), 12) for other in shapes]
        leaves[min(range(len(good)), key=lambda g: (far[g], len(leaves[g]), g))] += lone.members
    return leaves
