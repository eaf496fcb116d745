"""The order of granularities as a picture: where each stands, and the lines between them.

Finer ones stand above coarser ones, in ranks, and branches side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from anachron.reporting.granularity.search import Node, Search, Steps

__all__ = ["Box", "Picture", "Ranks", "picture", "ranked"]

Edge = tuple[str, str]
SWEEPS = 8
BYPASS = 0.5
"""How wide an edge that passes by a rank is, in nodes."""
WIDTH, HEIGHT, ACROSS, DOWN, MARGIN = 206, 46, 26, 22, 6
"""Of a box, and of the space between two."""
MEASURE = 660
"""The drawing is centred on at least this width, so that small ones are not blown up."""


@dataclass(frozen=True)
class Box:
    """One granularity: its upper left corner, and what the search says of it."""

    granularity: str
    state: str
    node: Node | None
    x: float
    y: float
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True)
class Picture:
    """The order, drawn from the finest to the coarsest."""

    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    """As paths of SVG."""
    width: float
    height: float


def picture(search: Search, steps: Steps) -> Picture:
    """Draw the granularities of the search with these steps of the ladders."""
    plan = ranked(search.names, search.edges)
    nodes = search.at(steps)
    wide = plan.width * (WIDTH + ACROSS) - ACROSS + 2 * MARGIN
    shift = max(0.0, (MEASURE - wide) / 2)
    return Picture(
        boxes=tuple(
            Box(name, search.state(name, steps), nodes.get(name), *_corner(plan.at[name], shift))
            for name in search.names
        ),
        lines=tuple(_line(points, shift) for points in plan.edges),
        width=max(wide, MEASURE),
        height=plan.ranks * (HEIGHT + DOWN) - DOWN + 2 * MARGIN,
    )


def _corner(point: tuple[float, int], shift: float) -> tuple[float, float]:
    across, down = point
    return MARGIN + shift + across * (WIDTH + ACROSS), MARGIN + down * (HEIGHT + DOWN)


def _line(points: tuple[tuple[float, int], ...], shift: float) -> str:
    corners = [_corner(point, shift) for point in points]
    x, y = corners[0][0] + WIDTH / 2, corners[0][1] + HEIGHT
    path = [f"M{x:g},{y:g}"]
    for i, (left, top) in enumerate(corners[1:], 2):
        centre, half = left + WIDTH / 2, (y + top) / 2
        path.append(f"C{x:g},{half:g} {centre:g},{half:g} {centre:g},{top:g}")
        if i < len(corners):
            path.append(f"V{top + HEIGHT:g}")
        x, y = centre, top + HEIGHT
    return "".join(path)


class Passage(NamedTuple):
    """Where an edge passes by a rank."""

    fine: str
    coarse: str
    level: int


Stop = str | Passage


@dataclass(frozen=True)
class Ranks:
    """Positions in units of one node's width and one rank's height; the leftmost is 0."""

    at: Mapping[str, tuple[float, int]]
    edges: tuple[tuple[tuple[float, int], ...], ...]
    """For each edge the points that it goes through, from fine to coarse."""
    width: float
    ranks: int


def ranked(names: Sequence[str], edges: Sequence[Edge]) -> Ranks:
    """Place every node below all that are finer, near the middle of its neighbours."""
    rank = _ranks(names, edges)
    paths = [_path(edge, rank) for edge in edges]
    levels = _levels(names, rank, paths)
    place = _place(levels, _links(paths))
    least = min(place[node] - _size(node) / 2 for level in levels for node in level)
    most = max(place[node] + _size(node) / 2 for level in levels for node in level)

    def point(node: Stop) -> tuple[float, int]:
        return place[node] - least - 0.5, rank[node] if isinstance(node, str) else node.level

    return Ranks(
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


def _path(edge: Edge, rank: Mapping[str, int]) -> list[Stop]:
    fine, coarse = edge
    between = range(rank[fine] + 1, rank[coarse])
    return [fine, *(Passage(fine, coarse, level) for level in between), coarse]


def _levels(
    names: Sequence[str], rank: Mapping[str, int], paths: Iterable[list[Stop]]
) -> list[list[Stop]]:
    levels: list[list[Stop]] = [[] for _ in range(max(rank.values()) + 1)]
    for name in names:
        levels[rank[name]].append(name)
    for path in paths:
        for node in path:
            if isinstance(node, Passage):
                levels[node.level].append(node)
    return levels


def _links(paths: Iterable[list[Stop]]) -> dict[Stop, list[Stop]]:
    links: dict[Stop, list[Stop]] = {}
    for path in paths:
        for a, b in pairwise(path):
            links.setdefault(a, []).append(b)
            links.setdefault(b, []).append(a)
    return links


def _size(node: Stop) -> float:
    return 1.0 if isinstance(node, str) else BYPASS


def _place(levels: list[list[Stop]], links: Mapping[Stop, list[Stop]]) -> dict[Stop, float]:
    place: dict[Stop, float] = {}

    def settle(level: list[Stop], near: Callable[[Stop], list[Stop]]) -> None:
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


def _spread(level: list[Stop], wish: Mapping[Stop, float], place: dict[Stop, float]) -> None:
    """Stand the nodes of a rank beside each other, as near to their wishes as a block can be."""
    blocks: list[tuple[list[Stop], float]] = []  # nodes, centre
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


def _width(nodes: list[Stop]) -> float:
    return sum(_size(node) for node in nodes)


def _right(nodes: list[Stop], centre: float) -> float:
    return centre + _width(nodes) / 2
