"""Charts of a release for notebooks, from what was published alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from anachron.notebook import framed, rows
from anachron.registry import METHODS
from anachron.reporting.charts import Chart

if TYPE_CHECKING:
    from anachron.release import Release
    from anachron.reporting.shown import Shown

__all__ = ["Charts"]


class Charts:
    """The charts that can be drawn of a release by anybody who has it.

    Each is an attribute: ``release.charts.groups``. A notebook draws it; ``data`` has its
    records, ``spec`` its Vega-Lite specification, and ``svg()`` its drawing.

    Parameters
    ----------
    release
        The release to draw.
    """

    def __init__(self, release: Release) -> None:
        self._release = release
        shown: type[Shown] = METHODS[release.guarantee["method"]].shown.load()
        self._draws = shown(release).charts()

    def __getattr__(self, name: str) -> Chart:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._draws:
            raise AttributeError(f"there is no chart {name!r}; there are {', '.join(self)}.")
        return self._draws[name]()

    def __iter__(self) -> Iterator[str]:
        """Give the names of the charts."""
        return iter(self._draws)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._draws]

    def __repr__(self) -> str:
        return f"<Charts of release {self._release.number}: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        told = [(f"release.charts.{name}", getattr(self, name).says) for name in self]
        title = f"Charts of release {self._release.number}"
        return framed(rows(title, ("chart", "what it shows"), told))
