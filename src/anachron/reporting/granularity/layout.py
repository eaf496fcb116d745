"""Where the nodes of a partial order stand: in ranks from fine to coarse, branches side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

__all__ = ["Layout", "layout"]

SWEEPS = 8
BYPASS = 0.5
"""How wide an edge that passes by a rank is, in nodes."""

Edge = tuple[str, str]


class Passage(NamedTuple):
    """Where an edge passes by a rank."""

    fine: str
    coarse: str
    level: int


Node = str | Passage


@dataclass(frozen=True)
class Layout:
    """Positions in units of one node's width and one rank's height; the leftmost is 0."""

    at: Mapping[str, tuple[float, int]]
    edges: tuple[tuple[tuple[float, int], ...], ...]
    """For each edge the points that it goes through, from fine to coarse."""
    width: float
    ranks: int


def layout(names: Sequence[str], edges: Sequence[Edge]) -> Layout:
    """Place every node below all that are finer, near the middle of its neighbours."""
    rank = _ranks(names, edges)
    paths = [_path(edge, rank) for edge in edges]
    levels = _levels(names, rank, paths)
    place = _place(levels, _links(paths))
    least = min(place[node] - _size(node) / 2 for level in levels for node in level)
    most = max(place[node] + _size(node) / 2 for level in levels for node in level)

    def point(node: Node) -> tuple[float, int]:
        return place[node] - least - 0.5, rank[node] if isinstance(node, str) else node.level

    return Layout(
        at={name: point(name) for name in names},
        edges=tuple(tuple(point(node) for node in path) for path in paths),
        width=most - least,
        ranks=len(levels),
    )


def _ranks(names: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """The length of the longest way to each node from a finest one."""
    rank = dict.fromkeys(names, 0)
    for _ in names:
        for fine, coarse in edges:
            rank[coarse] = max(rank[coarse], rank[fine] + 1)
    return rank


def _path(edge: Edge, rank: Mapping[str, int]) -> list[Node]:
    fine, coarse = edge
    between = range(rank[fine] + 1, rank[coarse])
    return [fine, *(Passage(fine, coarse, level) for level in between), coarse]


def _levels(
    names: Sequence[str], rank: Mapping[str, int], paths: Iterable[list[Node]]
) -> list[list[Node]]:
    levels: list[list[Node]] = [[] for _ in range(max(rank.values()) + 1)]
    for name in names:
        levels[rank[name]].append(name)
    for path in paths:
        for node in path:
            if isinstance(node, Passage):
                levels[node.level].append(node)
    return levels


def _links(paths: Iterable[list[Node]]) -> dict[Node, list[Node]]:
    links: dict[Node, list[Node]] = {}
    for path in paths:
        for a, b in pairwise(path):
            links.setdefault(a, []).append(b)
            links.setdefault(b, []).append(a)
    return links


def _size(node: Node) -> float:
    return 1.0 if isinstance(node, str) else BYPASS


def _place(levels: list[list[Node]], links: Mapping[Node, list[Node]]) -> dict[Node, float]:
    place: dict[Node, float] = {}

    def settle(level: list[Node], near: Callable[[Node], list[Node]]) -> None:
        wish = {}
        for node in level:
            known = [place[other] for other in near(node) if other in place]
            wish[node] = _mean(known) if known else place.get(node, 0.0)
        level.sort(key=lambda node: wish[node])  # stable: ties keep their order
        _spread(level, wish, place)

    # The first sweep knows the finer ranks only; later ones go up and down in turn.
    for sweep in range(SWEEPS):
        for level in levels if sweep % 2 == 0 else levels[::-1]:
            settle(level, lambda node: links.get(node, []))
    # Last, every node goes under those that are finer, so that chains hang straight.
    above = {node: i for i, level in enumerate(levels) for node in level}
    for level in levels:
        settle(level, lambda node: [n for n in links.get(node, []) if above[n] < above[node]])
    return place


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _spread(level: list[Node], wish: Mapping[Node, float], place: dict[Node, float]) -> None:
    """Stand the nodes of a rank beside each other, as near to their wishes as a block can be."""
    blocks: list[tuple[list[Node], float]] = []  # nodes, centre
    for node in level:
        nodes, centre = [node], wish[node]
        while blocks and _right(*blocks[-1]) > centre - _width(nodes) / 2 - 1e-9:
            before, _ = blocks.pop()
            nodes = before + nodes
            centre = _mean([wish[member] for member in nodes])
        blocks.append((nodes, centre))
    for nodes, centre in blocks:
        left = centre - _width(nodes) / 2
        for node in nodes:
            place[node] = left + _size(node) / 2
            left += _size(node)


def _width(nodes: list[Node]) -> float:
    return sum(_size(node) for node in nodes)


def _right(nodes: list[Node], centre: float) -> float:
    return centre + _width(nodes) / 2
