"""The order of granularities as a picture: where each stands, and the lines between them."""

from __future__ import annotations

from dataclasses import dataclass

from anachron.reporting.granularity.layout import layout
from anachron.reporting.granularity.search import Node, Search, Steps

__all__ = ["Box", "Picture", "picture"]

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
    plan = layout(search.names, search.edges)
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
