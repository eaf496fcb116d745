"""What the rows of a release hold, for those who have it: values, and rows of nobody.

A certificate shows none of this: it may go where the release does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from anachron.reporting.charts import Chart
from anachron.reporting.words import digits, listing, plural

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["counterfeits", "values"]

MOST_VALUES = 15
"""So many values of a column are drawn, the most frequent."""


def values(release: Release) -> Chart:
    """How often each sensitive value is published."""
    columns = dict(_sensitive(release))
    found = [
        (column, value, n) for column, held in columns.items() for value, n in _frequent(*held)
    ]
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


def _sensitive(release: Release) -> Iterator[tuple[str, tuple[pa.ChunkedArray, pa.ChunkedArray]]]:
    """Each sensitive column, with how often each of its entries counts."""
    data = release.table("data")
    ways = release.form.columns.values()
    for name in (way.column for way in ways if way.role == "sensitive"):
        if name in data.column_names:
            yield name, (data[name], pa.chunked_array([pa.array([1] * len(data), pa.int64())]))
        else:
            beside = release.table("sensitive")
            yield name, (beside[name], beside["count"])


def _frequent(value: pa.ChunkedArray, n: pa.ChunkedArray) -> list[tuple[str, int]]:
    held = pa.table({"value": value, "n": n}).group_by("value").aggregate([("n", "sum")])
    named = [
        ("(none)" if one is None else str(one), many)
        for one, many in zip(held["value"].to_pylist(), held["n_sum"].to_pylist(), strict=True)
    ]
    named.sort(key=lambda pair: (-pair[1], pair[0]))
    rest = named[MOST_VALUES:]
    if len(rest) < 2:
        return named
    told = plural(len(rest), "other value")
    return [*named[:MOST_VALUES], (told, sum(many for _, many in rest))]


def counterfeits(release: Release, groups: int) -> Chart:
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
