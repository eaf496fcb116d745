"""Rows that are boxes: each shows a cell of every quasi column, and its sensitive values.

So are releases by granularity, m-invariant registers, and feeds with intervals. Where there are
counterfeits, a table says how many each group has; which rows they are is not known. From the
second release of a register in mode ``"sticky"`` on, the rows of a group are candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.asking.catalogue import Catalogue
from anachron.asking.layout import Layout, laid_out
from anachron.guarantees import MInvariance, from_dict
from anachron.release.read import Release

__all__ = ["cells", "gathered", "together"]


_INSTANT = pa.timestamp("us", "UTC")


def cells(releases: Sequence[Release], catalogue: Catalogue) -> Layout:
    """Lay out releases of the same kind, one behind the other."""
    tables = [_with_time(release, catalogue) for release in releases]
    data, group, known = gathered(tables)
    fakes, candidates = np.zeros((2, sum(len(one) for one in known)), dtype=np.int64)
    for release, numbers, first in zip(releases, known, _firsts(known), strict=True):
        candidates[first : first + len(numbers)] = not _exact(release)
        if any(resource["name"] == "counterfeits" for resource in release.description["resources"]):
            table = release.table("counterfeits")
            place = np.searchsorted(numbers, np.asarray(table["group"]))
            fakes[first + place] = np.asarray(table["counterfeits"])
    by_group = catalogue.with_role("quasi", "time")
    by_row = catalogue.with_role("sensitive")
    return laid_out(catalogue, data, group, by_group, by_row, fakes, candidates=candidates)


def _exact(release: Release) -> bool:
    """Whether each value of a group is that of one person at most."""
    given = release.guarantee
    then = given.get("then")
    promise = from_dict(then if isinstance(then, Mapping) else given)
    return not isinstance(promise, MInvariance) or promise.exact(release.number)


def gathered(tables: Sequence[pa.Table]) -> tuple[pa.Table, Array, list[Array]]:
    """Put tables together: all rows, the group of each, and the group numbers of each table."""
    known, groups, first = [], [np.zeros(0, dtype=np.int64)], 0
    for table in tables:
        numbers, place = np.unique(np.asarray(table["group"]), return_inverse=True)
        groups.append(place + first)
        known.append(numbers)
        first += len(numbers)
    return together(tables), np.concatenate(groups), known


def together(tables: Sequence[pa.Table]) -> pa.Table:
    """Put rows together, also where a later table needs larger numbers."""
    return pa.concat_tables(tables, promote_options="permissive")


def _firsts(known: Sequence[Array]) -> Array:
    return np.cumsum([0, *(len(one) for one in known)])[:-1]


def _with_time(release: Release, catalogue: Catalogue) -> pa.Table:
    """Read the rows; those of an m-invariant feed are all of the one snapshot of their release."""
    table, time = release.table(), catalogue.time
    snapshot = release.description["anachron"].get("snapshot")
    if time is None or snapshot is None:
        return table
    cells = (
        pa.scalar(snapshot["label"], pa.string()),
        pa.scalar(int(snapshot["start"]), _INSTANT),
        pa.scalar(int(snapshot["end"]), _INSTANT),
    )
    for name, cell in zip(time.published, cells, strict=True):
        table = table.append_column(name, pa.repeat(cell, table.num_rows))
    return table
