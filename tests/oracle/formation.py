"""Group formation and top-down cuts as the papers print them: slow, plain, in whole numbers.

Values are integers here, and losses are compared by their squares, so that nothing is rounded.
Only where losses are subtracted (a last subgroup joins, a series chooses its side), roots are
taken.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

Box = list[tuple[int, int]]


def union(one: Box, other: Box) -> Box:
    return [(min(a, c), max(b, d)) for (a, b), (c, d) in zip(one, other, strict=True)]


def square(box: Box) -> int:
    return sum((high - low) ** 2 for low, high in box)


def loss(box: Box, people: int) -> float:
    """The value loss, but for the root of the number of times."""
    return people * math.sqrt(square(box))


def groups_of(boxes: list[Box], sizes: list[int], k: int) -> list[list[int]]:
    """Algorithm 3 of Shou et al., lines 4 to 13: a scan for every choice."""
    formed = [[s] for s in range(len(boxes)) if sizes[s] >= k]
    left = [s for s in range(len(boxes)) if sizes[s] < k]
    while sum(sizes[s] for s in left) >= k:
        s = min(left, key=lambda s: (sizes[s] ** 2 * square(boxes[s]), sizes[s], s))
        group, box, people = [s], boxes[s], sizes[s]
        left.remove(s)
        while people < k:
            lost = {s: (people + sizes[s]) ** 2 * square(union(box, boxes[s])) for s in left}
            s = min(left, key=lambda s: (lost[s], sizes[s], s))
            group.append(s)
            box, people = union(box, boxes[s]), people + sizes[s]
            left.remove(s)
        formed.append(group)
    for s in sorted(left):
        best = min(formed, key=lambda group: added(group, s, boxes, sizes))
        best.append(s)
    return formed


def ranges_of(boxes: list[Box], sizes: list[int], k: int, most: int) -> list[list[int]]:
    """Which subgroups are looked at together: by the mean of their middles, then by number."""
    order = sorted(range(len(boxes)), key=lambda s: (sum(a + b for a, b in boxes[s]), s))
    many = math.ceil(len(order) / most)
    ends = [i * len(order) // many for i in range(many + 1)]
    ranges: list[list[int]] = [[]]
    for begin, end in pairwise(ends):
        if sum(sizes[s] for s in ranges[-1]) >= k:
            ranges.append([])
        ranges[-1] += order[begin:end]
    if len(ranges) > 1 and sum(sizes[s] for s in ranges[-1]) < k:
        last = ranges.pop()
        ranges[-1] += last
    return [sorted(some) for some in ranges]


def groups_in_ranges(boxes: list[Box], sizes: list[int], k: int, most: int) -> list[list[int]]:
    """The same groups for each range by itself."""
    return [
        [some[s] for s in group]
        for some in ranges_of(boxes, sizes, k, most)
        for group in groups_of([boxes[s] for s in some], [sizes[s] for s in some], k)
    ]


def scanned(low: np.ndarray, high: np.ndarray, size: np.ndarray, k: int) -> np.ndarray:
    """The same scan with all losses of a choice at once, for thousands; fewer than k may be left.

    Whoever is left at the end is found as above.
    """
    group, groups = np.full(len(size), -1), 0
    for s in np.flatnonzero(size >= k):
        group[s], groups = groups, groups + 1
    while size[group < 0].sum() >= k:
        bottom, top, people = None, None, 0
        while people < k:
            left = np.flatnonzero(group < 0)
            lower = low[left] if bottom is None else np.minimum(low[left], bottom)
            upper = high[left] if top is None else np.maximum(high[left], top)
            lost = (people + size[left]) ** 2 * ((upper - lower) ** 2).sum(axis=1)
            i = np.lexsort((left, size[left], lost))[0]
            bottom, top, people = lower[i], upper[i], people + size[left[i]]
            group[left[i]] = groups
        groups += 1
    boxes = [
        list(zip(*ends, strict=True)) for ends in zip(low.tolist(), high.tolist(), strict=True)
    ]
    formed = [np.flatnonzero(group == g).tolist() for g in range(groups)]
    for s in np.flatnonzero(group < 0).tolist():
        best = min(formed, key=lambda members: added(members, s, boxes, size.tolist()))
        best.append(s)
        group[s] = formed.index(best)
    return group


def added(group: list[int], s: int, boxes: list[Box], sizes: list[int]) -> tuple[float, int]:
    """What a subgroup adds to the loss of all if it joins a group, and the group's size."""
    box, people = boxes[group[0]], sum(sizes[i] for i in group)
    for i in group:
        box = union(box, boxes[i])
    joined = loss(union(box, boxes[s]), people + sizes[s])
    return joined - loss(box, people), people


def total(formed: list[list[int]], boxes: list[Box], sizes: list[int]) -> float:
    """The value loss of all groups together."""
    result = 0.0
    for group in formed:
        box = boxes[group[0]]
        for s in group:
            box = union(box, boxes[s])
        result += loss(box, sum(sizes[s] for s in group)) / math.sqrt(len(box))
    return result


def parts_of(rows: list[list[int]], least: int) -> list[list[int]]:
    """Xu et al., both sides with enough; the rows are in the order of their places."""

    def box(i: int) -> Box:
        return [(value, value) for value in rows[i]]

    def farthest(part: list[int], one: int) -> int:
        others = [i for i in part if i != one]
        return max(others, key=lambda i: (square(union(box(i), box(one))), -i))

    def seeds(part: list[int]) -> tuple[int, int]:
        u = v = part[0]
        for _ in range(3):
            v = farthest(part, u)
            u = farthest(part, v)
        return u, v

    def cut(part: list[int]) -> list[list[int]]:
        if len(part) < 2 * least:
            return [part]
        sides = [[i] for i in seeds(part)]
        boxes = [box(side[0]) for side in sides]
        for i in part:
            if i in (sides[0][0], sides[1][0]):
                continue
            grown = [union(b, box(i)) for b in boxes]
            gain = [
                loss(g, len(side) + 1) - loss(b, len(side))
                for g, b, side in zip(grown, boxes, sides, strict=True)
            ]
            chosen = min((0, 1), key=lambda s: (gain[s], len(sides[s]), s))
            sides[chosen].append(i)
            boxes[chosen] = grown[chosen]
        few = 1 if len(sides[1]) <= len(sides[0]) else 0
        missing = max(0, least - len(sides[few]))
        near = sorted(sides[1 - few], key=lambda i: (square(union(boxes[few], box(i))), i))
        sides[few] += near[:missing]
        sides[1 - few] = near[missing:]
        return cut(sorted(sides[0])) + cut(sorted(sides[1]))

    return cut(list(range(len(rows))))
