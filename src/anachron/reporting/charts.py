"""Charts: a Vega-Lite specification in a file, and the records to put into it."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from anachron.reporting.drawing import check_room_to_draw
from anachron.reporting.words import digits, rounded

if TYPE_CHECKING:
    from anachron.measuring.utility import Measure
    from anachron.reporting.shown import Size

__all__ = ["Chart", "Locale", "errors", "group_sizes", "together"]

Locale = Literal["en-US", "de-DE"]
"""How numbers and dates of a drawing are written."""

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
DARK: dict[str, Any] = {
    **ALONE,
    "background": "#16191c",
    "axis": {
        **CONFIG["axis"],
        "labelColor": "#d5d9dc",
        "titleColor": "#d5d9dc",
        "gridColor": "#33393e",
        "domainColor": "#8b9399",
        "tickColor": "#8b9399",
    },
    "legend": {"labelColor": "#d5d9dc", "titleColor": "#d5d9dc"},
}
"""The same on dark paper."""
BINS = 25
ENDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Where the axis of errors may end: beyond the errors of nine in ten questions."""


@dataclass(frozen=True, repr=False)
class Chart:
    """A drawing and the records behind it.

    A notebook draws it; :attr:`data`, :attr:`spec` and :meth:`svg` give it away.
    """

    home: ClassVar[str] = __package__
    """The package that has its specification."""
    name: str
    says: str
    """What the chart shows, in a sentence, for those who cannot see it."""
    records: tuple[Mapping[str, str | int | float], ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """The records as people read them."""
    numeric: tuple[int, ...]
    """Which columns of them are numbers."""
    worded: tuple[str, ...] = ()
    """Which fields of the records are words, as is the first column of the rows then."""
    speak: Callable[[str], str] = str
    """From the words of the specification to those of a language,"""
    locale: Locale = "en-US"
    """by which numbers and dates are written, too."""
    dark: bool = False
    """Whether it is drawn on dark paper, where it brings its own."""

    @property
    def data(self) -> list[dict[str, str | int | float]]:
        """The records behind the drawing."""
        return [dict(record) for record in self.records]

    @property
    def spec(self) -> dict[str, Any]:
        """The Vega-Lite specification, with its data: for Altair, or any other that draws these."""
        return {"$schema": SCHEMA, "config": self._paper, **self._spec()}

    def svg(self) -> str:
        """Draw the chart as a file of its own."""
        named = f'<svg role="img" aria-label="{escape(self.says)}"'
        return self._drawn(self._paper).replace("<svg", named, 1)

    @property
    def _paper(self) -> dict[str, Any]:
        return DARK if self.dark else ALONE

    def inline(self) -> str:
        """Draw the chart, to stand inside a page: what this gives is HTML already."""
        return _inline(self._drawn(CONFIG), self.name, self.says)

    def _spec(self) -> dict[str, Any]:
        file = files(self.home) / "specs" / f"{self.name}.json"
        spec: dict[str, Any] = json.loads(file.read_text("utf-8"))
        spec["data"]["values"] = self.data
        return {key: _spoken(value, self.speak, key) for key, value in spec.items()}

    def _drawn(self, config: dict[str, Any]) -> str:
        check_room_to_draw()
        import vl_convert  # slow to load, and only reports need it

        drawn = vl_convert.vegalite_to_svg(
            self._spec(), config=config, allowed_base_urls=[],
            format_locale=self.locale, time_format_locale=self.locale,
        )  # fmt: skip
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


def _spoken(spec: Any, speak: Callable[[str], str], key: str = "") -> Any:
    """A part of a specification with its titles in the words of a language."""
    if key == "data":  # what is drawn is no part of what is said
        return spec
    if isinstance(spec, list):
        return [_spoken(one, speak) for one in spec]
    if isinstance(spec, dict):
        return {name: _spoken(value, speak, name) for name, value in spec.items()}
    return speak(spec) if key == "title" and isinstance(spec, str) else spec


def together(many: int, most: int) -> int:
    """How many neighbours are drawn as one, where there are too many to tell apart."""
    return max(-(-many // most), 1)


def group_sizes(sizes: Sequence[Size]) -> Chart:
    """How many groups have how many rows."""
    named = [(_range(size.low, size.high), size) for size in sizes]
    return Chart(
        name="group_sizes",
        says="How many groups have how many rows.",
        records=tuple({"size": digits(size.low), "groups": size.groups} for _, size in named),
        head=("rows in a group", "groups", "rows in them"),
        rows=tuple((label, digits(size.groups), digits(size.rows)) for label, size in named),
        numeric=(1, 2),
    )


def _range(low: int, high: int) -> str:
    return digits(low) if low == high else f"{digits(low)}–{digits(high)}"


def errors(measures: Sequence[Measure]) -> Chart:
    """How many questions have which error, with the median marked, for each kind of question."""
    end = _end(measures)
    edges = [end * (i / BINS) ** 2 for i in range(BINS + 1)]
    records: list[dict[str, str | int | float]] = []
    rows: list[tuple[str, ...]] = []
    for order, measure in enumerate(measures):
        # Of one kind alone the table tells the name.
        name = measure.workload if len(measures) > 1 else ""
        each: dict[str, str | int | float] = {"workload": name, "order": order}
        for (low, high), share in zip(pairwise(edges), _shares(measure.spread, edges), strict=True):
            records.append({**each, "low": low, "high": high, "share": share})
            if share:
                rows.append((measure.workload, rounded(low), rounded(high), rounded(share)))
        told = f"median {rounded(measure.median)}"
        records.append({**each, "median": min(measure.median, end), "told": told})
        beyond = sum(error > end for error in measure.spread) / len(measure.spread)
        if beyond:
            records.append({**each, "beyond": f"{rounded(beyond)} further off →"})
            rows.append((measure.workload, rounded(end), "", rounded(beyond)))
    return Chart(
        name="errors",
        says="How many questions are answered with which relative error; "
        + "; ".join(f"{m.workload}: median {rounded(m.median)}" for m in measures)
        + ".",
        records=tuple(records),
        head=("kind", "error from", "to", "share of questions"),
        rows=tuple(rows),
        numeric=(1, 2, 3),
        worded=("workload", "told", "beyond"),
    )


def _end(measures: Sequence[Measure]) -> float:
    most = max(measure.quantiles[90] for measure in measures)
    return next((end for end in ENDS if end >= most), ENDS[-1])


def _shares(spread: Sequence[float], edges: Sequence[float]) -> list[float]:
    """The share of errors above one edge and up to the next; none is below the first."""
    upto = [0, *(bisect_left(spread, edge, key=lambda e: e - 1e-12) for edge in edges[1:])]
    return [(b - a) / len(spread) for a, b in pairwise(upto)]


def _inline(svg: str, name: str, says: str) -> str:
    """Make a drawing part of a page: no addresses, no names that clash, a title of its own."""
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"|\sversion="[^"]*"', "", svg)
    svg = re.sub(r'\bid="', f'id="{name}-', svg).replace("url(#", f"url(#{name}-")
    svg = svg.replace('href="#', f'href="#{name}-')
    svg = svg[svg.index("<svg") :]
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(says)}"', 1)
