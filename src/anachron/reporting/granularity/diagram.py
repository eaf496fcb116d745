"""The order of granularities as a picture: what holds, what fails, what was published.

It can be read in black and white: every state has its own sign, frame and filling.
"""

from __future__ import annotations

from dataclasses import dataclass

from anachron.reporting.granularity.layout import layout
from anachron.reporting.granularity.search import Node, Search, Steps
from anachron.reporting.markup import Markup, join, tag
from anachron.reporting.words import name, plural

__all__ = ["SIGNS", "diagram", "state"]

WIDTH, HEIGHT, ACROSS, DOWN, MARGIN = 206, 46, 26, 22, 6
"""Of a node, and of the space between two."""
MEASURE = 660
"""The drawing is centred on at least this width, so that small ones are not blown up."""

SIGNS = {
    "published": "holds, and was published",
    "minimal": "holds, and nothing finer does",
    "holds": "holds",
    "fails": "fails",
    "unknown": "not counted",
}
"""The states of a node, and what each says."""


@dataclass(frozen=True)
class Face:
    """What stands in a node."""

    state: str
    measured: bool
    title: str
    line: str
    because: str


def state(search: Search, granularity: str, steps: Steps) -> str:
    """Which of the states a node is in."""
    here = [(answer.granularity, answer.steps) for answer in search.answers]
    if (granularity, steps) in here:
        return "published" if here.index((granularity, steps)) == 0 else "minimal"
    node = search.at(steps).get(granularity)
    if node is None:
        return "unknown"
    return "holds" if node.holds else "fails"


def diagram(search: Search, steps: Steps) -> Markup:
    """Draw the granularities of the search with these steps of the ladders."""
    plan = layout(search.names, search.edges)
    nodes = search.at(steps)
    wide = plan.width * (WIDTH + ACROSS) - ACROSS + 2 * MARGIN
    shift = max(0.0, (MEASURE - wide) / 2)
    tall = plan.ranks * (HEIGHT + DOWN) - DOWN + 2 * MARGIN
    drawn = [_edge(points, shift) for points in plan.edges]
    for granularity in search.names:
        face = _face(search, granularity, steps, nodes.get(granularity))
        drawn.append(_node(face, *_corner(plan.at[granularity], shift)))
    says = f"The order of {len(search.names)} granularities, from the finest to the coarsest."
    return tag(
        "svg",
        *drawn,
        class_="order",
        role="img",
        aria_label=says,
        viewBox=f"0 0 {max(wide, MEASURE):g} {tall:g}",
        width=max(wide, float(MEASURE)),
        height=tall,
    )


def _face(search: Search, granularity: str, steps: Steps, node: Node | None) -> Face:
    status = state(search, granularity, steps)
    measured = node is not None and node.measured
    return Face(
        state=status,
        measured=measured,
        title=name(granularity),
        line=_line(node, measured),
        because="" if node is None else node.because,
    )


def _line(node: Node | None, measured: bool) -> str:
    """The one count that matters most."""
    if node is None:
        return "not counted"
    if not measured:
        return "follows from the order"
    counts = node.counts
    if node.holds:
        return f"smallest group: {_people(counts['smallest'])}" if "smallest" in counts else ""
    if counts.get("failing_people"):
        return f"{_people(counts['failing_people'])} stand out"
    return f"{plural(counts['outside'], 'row')} in no granule" if counts.get("outside") else ""


def _people(number: int) -> str:
    return plural(number, "person", "people")


def _corner(point: tuple[float, int], shift: float) -> tuple[float, float]:
    across, down = point
    return MARGIN + shift + across * (WIDTH + ACROSS), MARGIN + down * (HEIGHT + DOWN)


def _edge(points: tuple[tuple[float, int], ...], shift: float) -> Markup:
    corners = [_corner(point, shift) for point in points]
    x, y = corners[0][0] + WIDTH / 2, corners[0][1] + HEIGHT
    path = [f"M{x:g},{y:g}"]
    for i, (left, top) in enumerate(corners[1:], 2):
        centre, half = left + WIDTH / 2, (y + top) / 2
        path.append(f"C{x:g},{half:g} {centre:g},{half:g} {centre:g},{top:g}")
        if i < len(corners):
            path.append(f"V{top + HEIGHT:g}")
        x, y = centre, top + HEIGHT
    return tag("path", d="".join(path), class_="edge")


def _node(face: Face, x: float, y: float) -> Markup:
    frames = [tag("rect", x=x, y=y, width=WIDTH, height=HEIGHT, rx=5, class_="frame")]
    if face.state == "fails":
        hatched = {"x": x, "y": y, "width": WIDTH, "height": HEIGHT, "rx": 5}
        frames.append(tag("rect", **hatched, class_="hatch"))
    if face.state in ("published", "minimal"):
        inner = {"x": x + 3, "y": y + 3, "width": WIDTH - 6, "height": HEIGHT - 6, "rx": 3}
        frames.append(tag("rect", **inner, class_="inner"))
    sign = tag("use", href=f"#mark-{face.state}", x=x + 12, y=y + 14, width=18, height=18)
    return tag(
        "g",
        tag("title", join(f"{face.title}: {SIGNS[face.state]}. {face.because}")),
        *frames,
        sign,
        _words(face.title, x, y + 20, "name", 22),
        _words(face.line, x, y + 36, "count", 31),
        class_=f"node {face.state}{'' if face.measured else ' inferred'}",
    )


def _words(text: str, x: float, y: float, kind: str, most: int) -> Markup:
    """A line of text, cut to what fits; the whole stands in the title."""
    short = text if len(text) <= most else text[: most - 1] + "…"
    return tag("text", short, x=x + 40, y=y, class_=kind)
