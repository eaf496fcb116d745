"""Charts on a page: drawn by the server, and live where the browser runs scripts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from markupsafe import Markup

from anachron.reporting.charts import Chart
from anachron.reporting.languages import language

__all__ = ["Picture", "pictured"]

_STYLE = re.compile(r'\sstyle="([^"]*)"')
_RULE = re.compile(r"\s*([\w-]+)\s*:\s*([^;]+?)\s*(?:;|$)")


@dataclass(frozen=True)
class Picture:
    """A chart of ours."""

    chart: Chart

    @property
    def says(self) -> str:
        """What it shows, in a sentence."""
        return self.chart.says

    @cached_property
    def drawn(self) -> Markup:
        """The drawing. The policy refuses styles in elements, so they become attributes."""
        return Markup(_STYLE.sub(_as_attributes, self.chart.inline()))  # noqa: S704 - ours

    @property
    def spec(self) -> dict[str, Any]:
        """The specification that a script draws from: served here, and on the paper of the page."""
        told = {name: value for name, value in self.chart.spec.items() if name != "$schema"}
        return {**told, "config": {**told["config"], "background": "transparent"}}

    @property
    def head(self) -> tuple[str, ...]:
        """What the columns of the figures behind it are called."""
        return self.chart.head

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The figures behind it."""
        return self.chart.rows


def pictured(chart: Chart, code: str) -> Picture:
    """A chart in the language of whoever reads."""
    return Picture(language(code, "anachron.studio").chart(chart))


def _as_attributes(found: re.Match[str]) -> str:
    return "".join(f' {name}="{value}"' for name, value in _RULE.findall(found[1]))
