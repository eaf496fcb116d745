"""Charts: a Vega-Lite specification in a file, and the records to put into it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from anachron.reporting.markup import Markup, table, tag
from anachron.reporting.sizes import Size
from anachron.reporting.words import count

__all__ = ["Chart", "group_sizes"]

CONFIG = {
    "aria": False,  # the table of records says more than a label on each bar
    "background": "transparent",
    "font": "Arial, Helvetica, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "#333333",
        "titleColor": "#333333",
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "titlePadding": 10,
        "gridColor": "#dddddd",
        "domainColor": "#666666",
        "tickColor": "#666666",
    },
}


@dataclass(frozen=True)
class Chart:
    """A drawing and the records behind it."""

    name: str
    says: str
    """What the chart shows, in a sentence, for those who cannot see it."""
    records: tuple[Mapping[str, str | int | float], ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """The records as people read them."""
    numeric: tuple[int, ...]
    """Which columns of them are numbers."""

    def svg(self) -> Markup:
        """Draw the chart, to stand inside a page."""
        import vl_convert  # slow to load, and only reports need it

        spec = json.loads((files(__package__) / "specs" / f"{self.name}.json").read_text("utf-8"))
        spec["data"]["values"] = list(self.records)
        drawn = vl_convert.vegalite_to_svg(spec, config=CONFIG, allowed_base_urls=[])
        return _inline(drawn, self.name, self.says)

    def figure(self, caption: str) -> Markup:
        """Draw the chart with its caption, and its records as a table to unfold."""
        data = tag(
            "details",
            tag("summary", "The figures behind this chart"),
            table(self.head, self.rows, numeric=self.numeric),
        )
        return tag("figure", self.svg(), tag("figcaption", caption), data)


def group_sizes(sizes: Sequence[Size]) -> Chart:
    """How many groups have how many rows."""
    named = [(_range(size.low, size.high), size) for size in sizes]
    return Chart(
        name="group_sizes",
        says="How many groups have how many rows.",
        records=tuple({"size": count(size.low), "groups": size.groups} for _, size in named),
        head=("rows in a group", "groups", "rows in them"),
        rows=tuple((label, count(size.groups), count(size.rows)) for label, size in named),
        numeric=(1, 2),
    )


def _range(low: int, high: int) -> str:
    return count(low) if low == high else f"{count(low)}–{count(high)}"


def _inline(svg: str, name: str, says: str) -> Markup:
    """Make a drawing part of a page: no addresses, no names that clash, a title of its own."""
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"|\sversion="[^"]*"', "", svg)
    svg = re.sub(r'\bid="', f'id="{name}-', svg).replace("url(#", f"url(#{name}-")
    svg = svg.replace('href="#', f'href="#{name}-')
    svg = svg[svg.index("<svg") :]
    return Markup(svg.replace("<svg", f'<svg role="img" aria-label="{escape(says)}"', 1))
