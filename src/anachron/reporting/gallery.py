"""Charts of a release for notebooks, from what was published alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from anachron.notebook import framed, rows
from anachron.registry import METHODS
from anachron.reporting.charts import Chart, group_sizes
from anachron.reporting.contents import counterfeits, values

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Charts", "events", "feed", "register", "series"]

Draws = Mapping[str, Callable[[Any], Chart]]
"""Charts by name, each drawn from the numbers that a release was reduced to."""
Kind = Callable[["Release"], tuple[Callable[["Release"], Any], Draws]]
"""Says of a release how it is reduced to numbers, and what only those of its kind can draw."""


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
        kind: Kind = METHODS[release.guarantee["method"]].charts.load()
        self._read, own = kind(release)
        self._draws = {"groups": lambda shown: group_sizes(shown.sizes), **own}
        if any(way.role == "sensitive" for way in release.form.columns.values()):
            self._draws["values"] = lambda _: values(release)
        if "counterfeits" in release.form.tables:
            self._draws["counterfeits"] = lambda shown: counterfeits(release, shown.groups)

    @cached_property
    def _numbers(self) -> Any:
        return self._read(self._release)

    def __getattr__(self, name: str) -> Chart:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._draws:
            raise AttributeError(f"there is no chart {name!r}; there are {', '.join(self)}.")
        return self._draws[name](self._numbers)

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


# How a release is reduced to numbers, and what only those of its kind can draw. Imported when it
# is needed: a release can be opened without what it takes to draw it.


def events(_release: Release) -> tuple[Callable[[Release], Any], Draws]:
    """Granules and groups."""
    from anachron.reporting.granularity.published import read, rows_over_time

    return read, {"time": rows_over_time}


def register(_release: Release) -> tuple[Callable[[Release], Any], Draws]:
    """Groups, also of a feed that is published as a register."""
    from anachron.reporting.invariance.published import read

    return read, {}


def feed(release: Release) -> tuple[Callable[[Release], Any], Draws]:
    """Snapshots and shares of values."""
    from anachron.guarantees import Reposition
    from anachron.reporting.reposition.drawings import published, shares_published
    from anachron.reporting.reposition.published import read

    promise = Reposition.from_dict(release.guarantee)
    if not isinstance(promise.then, str):
        return register(release)
    ell = promise.l
    return read, {
        "time": lambda shown: published(shown.snapshots),
        "shares": lambda shown: shares_published(shown.snapshots, ell),
    }


def series(_release: Release) -> tuple[Callable[[Release], Any], Draws]:
    """Envelopes and shapes."""
    from anachron.reporting.patterns.drawings import envelopes, levels, shapes
    from anachron.reporting.patterns.published import read

    return read, {"envelopes": envelopes, "shapes": shapes, "levels": levels}
