"""Charts of a release for notebooks, from what was published alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from anachron.notebook import framed, rows
from anachron.reporting.charts import Chart, group_sizes
from anachron.reporting.contents import counterfeits, values

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Charts"]

Draw = Callable[["Release", Any], Chart]
"""Draws a release, of which the numbers were read."""


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
        self._draws = _draws(release)

    @cached_property
    def _numbers(self) -> Any:
        return _read(self._release)

    def __getattr__(self, name: str) -> Chart:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._draws:
            raise AttributeError(f"there is no chart {name!r}; there are {', '.join(self)}.")
        return self._draws[name](self._release, self._numbers)

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


def _draws(release: Release) -> Mapping[str, Draw]:
    """Name what can be drawn, by the promise of the release."""
    found = {"groups": _groups, **_OF[str(release.guarantee["method"])]}
    about = release.description["anachron"]["columns"].values()
    if not any(column.get("role") == "sensitive" for column in about):
        del found["values"]
    if isinstance(release.guarantee.get("then"), Mapping):
        # A feed whose people keep their sets of values: a release has one snapshot.
        del found["shares"], found["time"]
        found["counterfeits"] = _counterfeits
    return found


def _read(release: Release) -> Any:
    """Reduce the release to numbers, as the certificate of its method does."""
    method, about = release.guarantee["method"], release.description["anachron"]
    if method == "granularity":
        from anachron.reporting.granularity.published import read as read_events

        return read_events(release.table("data"), str(about["time_zone"]))
    if method == "invariance":
        from anachron.reporting.invariance.published import read as read_register

        return read_register(release.table("data"), release.table("counterfeits"), about["columns"])
    if method == "patterns":
        from anachron.reporting.patterns.published import read as read_series

        return read_series(release)
    from anachron.reporting.reposition.published import read as read_feed

    return read_feed(release)


def _groups(_release: Release, numbers: Any) -> Chart:
    return group_sizes(numbers.sizes)


def _values(release: Release, _numbers: Any) -> Chart:
    return values(release)


def _counterfeits(release: Release, numbers: Any) -> Chart:
    return counterfeits(release, numbers.groups)


def _rows_over_time(_release: Release, numbers: Any) -> Chart:
    from anachron.reporting.granularity.closing import rows_over_time

    return rows_over_time(numbers)


def _snapshots(_release: Release, numbers: Any) -> Chart:
    from anachron.reporting.reposition.story import bars, published

    return published(bars(numbers.snapshots))


def _shares(release: Release, numbers: Any) -> Chart:
    from anachron.reporting.reposition.feed import Promise
    from anachron.reporting.reposition.story import bars, shares

    most = float(1 / Promise.read(release.guarantee).ell)
    return shares([(one.label, None, one.share) for one in bars(numbers.snapshots)], most)


def _envelopes(_release: Release, numbers: Any) -> Chart:
    from anachron.reporting.patterns.drawings import envelopes

    return envelopes(numbers)


def _shapes(_release: Release, numbers: Any) -> Chart:
    from anachron.reporting.patterns.drawings import shapes

    return shapes(numbers)


def _levels(_release: Release, numbers: Any) -> Chart:
    from anachron.reporting.patterns.drawings import levels

    return levels(numbers)


_OF: Mapping[str, Mapping[str, Draw]] = {
    "granularity": {"time": _rows_over_time, "values": _values},
    "invariance": {"values": _values, "counterfeits": _counterfeits},
    "patterns": {
        "envelopes": _envelopes, "shapes": _shapes, "levels": _levels, "values": _values,
    },
    "reposition": {"time": _snapshots, "shares": _shares, "values": _values},
}  # fmt: skip
