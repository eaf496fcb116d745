"""What a release of a feed holds, in numbers: never the content of the sensitive column.

Everything is an aggregate over the published files, so that no row passes through Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import pyarrow as pa

from anachron.database import connected
from anachron.reporting.invariance.published import Span, quasi_columns, spans
from anachron.reporting.sizes import Size, sizes

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Published", "Shown", "read"]

_SNAPSHOTS = """
    SELECT label, n, most, n_values FROM
      (SELECT since, min(label) AS label, count(*) AS n FROM data GROUP BY since) JOIN
      (SELECT since, max(n) AS most, sum(n)::BIGINT AS n_values FROM
         (SELECT since, content, sum(n)::BIGINT AS n FROM cell
          JOIN (SELECT DISTINCT grp, since FROM data) USING (grp) GROUP BY since, content)
       GROUP BY since) USING (since)
    ORDER BY since"""
_SIZES = """
    SELECT n, count(*) FROM (SELECT count(*) AS n FROM data GROUP BY grp) GROUP BY n ORDER BY n"""
_GROUPS = """
    SELECT max(n), sum(n)::BIGINT AS size FROM
      (SELECT grp, content, sum(n)::BIGINT AS n FROM cell GROUP BY grp, content)
    GROUP BY grp ORDER BY max(n) / sum(n) DESC, size LIMIT 1"""


@dataclass(frozen=True)
class Shown:
    """One published snapshot."""

    label: str
    rows: int
    share: float
    """The largest share of one value in it."""


@dataclass(frozen=True)
class Published:
    """A release in numbers."""

    quasi: tuple[str, ...]
    sensitive: str
    rows: int
    groups: int
    largest_share: Fraction
    """Of a group's rows that have the same value."""
    snapshots: tuple[Shown, ...]
    """Those that have rows, in order."""
    sizes: tuple[Size, ...]
    spans: tuple[Span, ...]
    """How wide the intervals are; empty if quasi columns are published as they are."""


def read(release: Release) -> Published:
    """Reduce the published tables to what the report shows."""
    about = release.description["anachron"]
    columns, data = about["columns"], release.table("data")
    roles = {meaning["role"]: name for name, meaning in columns.items()}
    sensitive, time = roles["sensitive"], roles.get("time")
    if time is None:  # one snapshot, which the description names
        label = pa.array([about["snapshot"]["label"]] * data.num_rows, pa.string())
        since = pa.array([0] * data.num_rows, pa.int64())
    else:
        label, since = data[time], data[f"{time}_start"].cast(pa.int64())
    rows = pa.table({"grp": data["group"], "label": label, "since": since})
    if sensitive in data.column_names:
        one = pa.array([1] * data.num_rows, pa.int64())
        cells = pa.table({"grp": data["group"], "content": data[sensitive], "n": one})
        quasi = quasi_columns(data, columns)
    else:
        beside = release.table("sensitive")
        cells = pa.table(
            {"grp": beside["group"], "content": beside[sensitive], "n": beside["count"]}
        )
        quasi = tuple(c for c in data.column_names if columns.get(c, {}).get("role") == "quasi")
    return _counted(rows, cells, quasi, sensitive, spans(data, columns))


def _counted(
    rows: pa.Table, cells: pa.Table, quasi: tuple[str, ...], sensitive: str, wide: tuple[Span, ...]
) -> Published:
    with connected() as con:
        con.register("data", rows)
        con.register("cell", cells)
        counted = con.execute(_SIZES).fetchall()
        groups = con.execute(_GROUPS).fetchall()
        snapshots = con.execute(_SNAPSHOTS).fetchall()
    return Published(
        quasi=quasi,
        sensitive=sensitive,
        rows=rows.num_rows,
        groups=sum(many for _, many in counted),
        largest_share=Fraction(*groups[0]) if groups else Fraction(0),
        snapshots=tuple(Shown(str(name), n, most / of) for name, n, most, of in snapshots),
        sizes=sizes(counted),
        spans=wide,
    )
