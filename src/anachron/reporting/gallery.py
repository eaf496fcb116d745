"""Charts of a release for notebooks, from what was published alone.

Those of values, and of rows of nobody, are for those who have the release. A certificate shows
neither: it may go where the release does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from anachron.notebook import framed, rows
from anachron.registry import METHODS
from anachron.reporting.charts import Chart, group_sizes
from anachron.reporting.words import digits, listing, plural

if TYPE_CHECKING:
    from anachron.release import Release
    from anachron.reporting.shown import Shown

__all__ = ["Charts"]

MOST_VALUES = 15
"""So many values of a column are drawn, the most frequent."""


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
        of_method: type[Shown] = METHODS[release.guarantee["method"]].shown.load()
        shown = of_method(release)
        self._draws = {"groups": lambda: group_sizes(shown.sizes), **shown.charts()}
        if shown.sensitive:
            self._draws["values"] = lambda: _values(shown)
        if "counterfeits" in release.form.tables:
            self._draws["counterfeits"] = lambda: _counterfeits(release, shown.groups)

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


def _values(shown: Shown) -> Chart:
    """How often each sensitive value is published."""
    ways = shown.release.form.columns.values()
    columns = [way.column for way in ways if way.role == "sensitive"]
    found = [(column, *one) for column in columns for one in _frequent(shown.held(column))]
    return Chart(
        name="values",
        says=f"How often each value of {listing(columns)} is published.",
        records=tuple(
            {"column": column, "value": value, "rows": n, "order": order}
            for order, (column, value, n) in enumerate(found)
        ),
        head=("column", "value", "rows"),
        rows=tuple((column, value, digits(n)) for column, value, n in found),
        numeric=(2,),
    )


def _frequent(held: pa.Table) -> list[tuple[str, int]]:
    summed = held.group_by("content").aggregate([("n", "sum")])
    named = [
        ("(none)" if one is None else str(one), many)
        for one, many in zip(
            summed["content"].to_pylist(), summed["n_sum"].to_pylist(), strict=True
        )
    ]
    named.sort(key=lambda pair: (-pair[1], pair[0]))
    rest = named[MOST_VALUES:]
    if len(rest) < 2:
        return named
    told = plural(len(rest), "other value")
    return [*named[:MOST_VALUES], (told, sum(many for _, many in rest))]


def _counterfeits(release: Release, groups: int) -> Chart:
    """How many groups have how many rows that belong to nobody."""
    told = release.table("counterfeits")["counterfeits"]
    found = {pair["values"]: pair["counts"] for pair in pc.value_counts(told).to_pylist()}
    found[0] = groups - len(told)
    pairs = [(n, found.get(n, 0)) for n in range(max(found) + 1)]
    return Chart(
        name="counterfeits",
        says="How many groups have how many counterfeits, rows that belong to nobody.",
        records=tuple({"counterfeits": n, "groups": many} for n, many in pairs),
        head=("counterfeits in a group", "groups"),
        rows=tuple((digits(n), digits(many)) for n, many in pairs),
        numeric=(0, 1),
    )
