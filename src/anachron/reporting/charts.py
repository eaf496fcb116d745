"""Charts: a Vega-Lite specification in a file, and the records to put into it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from anachron.reporting.markup import Markup, table, tag
from anachron.reporting.sizes import Size
from anachron.reporting.words import count

__all__ = ["Chart", "group_sizes"]

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
"""The name of the language of the specifications; nothing is fetched from there."""

CONFIG: dict[str, Any] = {
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
ALONE: dict[str, Any] = {**CONFIG, "background": "white", "padding": 10}
"""Outside a certificate a drawing brings its own paper: a notebook may be dark."""


@dataclass(frozen=True, repr=False)
class Chart:
    """A drawing and the records behind it.

    A notebook draws it; :attr:`data`, :attr:`spec` and :meth:`svg` give it away.
    """

    name: str
    says: str
    """What the chart shows, in a sentence, for those who cannot see it."""
    records: tuple[Mapping[str, str | int | float], ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """The records as people read them."""
    numeric: tuple[int, ...]
    """Which columns of them are numbers."""

    @property
    def data(self) -> list[dict[str, str | int | float]]:
        """The records behind the drawing."""
        return [dict(record) for record in self.records]

    @property
    def spec(self) -> dict[str, Any]:
        """The Vega-Lite specification, with its data: for Altair, or any other that draws these."""
        return {"$schema": SCHEMA, "config": ALONE, **self._spec()}

    def svg(self) -> str:
        """Draw the chart as a file of its own."""
        named = f'<svg role="img" aria-label="{escape(self.says)}"'
        return self._drawn(ALONE).replace("<svg", named, 1)

    def inline(self) -> Markup:
        """Draw the chart, to stand inside a page."""
        return _inline(self._drawn(CONFIG), self.name, self.says)

    def figure(self, caption: str) -> Markup:
        """Draw the chart with its caption, and its records as a table to unfold."""
        data = tag(
            "details",
            tag("summary", "The figures behind this chart"),
            table(self.head, self.rows, numeric=self.numeric),
        )
        return tag("figure", self.inline(), tag("figcaption", caption), data)

    def _spec(self) -> dict[str, Any]:
        file = files(__package__) / "specs" / f"{self.name}.json"
        spec: dict[str, Any] = json.loads(file.read_text("utf-8"))
        spec["data"]["values"] = self.data
        return spec

    def _drawn(self, config: dict[str, Any]) -> str:
        import vl_convert  # slow to load, and only reports need it

        drawn = vl_convert.vegalite_to_svg(self._spec(), config=config, allowed_base_urls=[])
        return str(drawn)

    def __repr__(self) -> str:
        return f"<Chart {self.name}: {self.says}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, object]:
        """Show the chart in a notebook: by its own means where it can, else as a picture."""
        return {
            "application/vnd.vegalite.v5+json": self.spec,
            "image/svg+xml": self.svg(),
            "text/plain": repr(self),
        }


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
