"""How useful is a release of a register, of events or of a feed?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Flags
from anachron.asking.catalogue import Catalogue
from anachron.asking.published import opened
from anachron.behind import Microdata
from anachron.errors import InputError, Problem
from anachron.guarantees import from_dict
from anachron.measuring.asked import Drawn, Measures, Task, Wanted, answered
from anachron.measuring.axes import TimeAxis, times_of
from anachron.measuring.truth import PlainColumn, columns_of, counted
from anachron.measuring.workloads import workload_of
from anachron.placing import rows_of
from anachron.release.read import Release

__all__ = ["columns_asked", "measure_table"]


def measure_table(task: Task) -> Measures:
    """Ask releases of records; give the measure, and notes on it."""
    published, wanted = opened(task.releases), task.wanted
    catalogue, table = published.catalogue, task.microdata
    columns = columns_asked(catalogue, task.releases, table)
    times = _times(task.releases, catalogue, wanted.window)
    workload = workload_of(catalogue, columns, times, wanted.theta, wanted.dimensions)
    task.tell("counting who is published", 0.0)
    there = _present(task)
    task.tell("drawing questions", 0.1)
    found, some = answered(
        task, _title(catalogue, wanted.window), published, workload.draw,
        lambda asked, among: counted(columns, asked, among), there, (0.1, 0.9),
    )  # fmt: skip
    if there is not None and times is not None:
        there = there[(table.instants >= times.start[0]) & (table.instants < times.end[-1])]
    return (found,), tuple(_notes(some, wanted, there))


def columns_asked(
    catalogue: Catalogue, releases: Sequence[Release], microdata: Microdata
) -> dict[str, PlainColumn]:
    """The columns of a table as questions to its releases name their values."""
    return _columns(catalogue, microdata, _shown(releases, microdata))


def _shown(releases: Sequence[Release], microdata: Microdata) -> dict[str, pa.Array]:
    """The published values of sensitive columns in which spelling does not count."""
    if any(
        not from_dict(release.guarantee).one_spelling or "spelling" in release.form.facts
        for release in releases
    ):
        return {}
    tables = [release.table(release.form.layout.table_of("sensitive")) for release in releases]
    found: dict[str, pa.Array] = {}
    for name in microdata.schema.sensitive:
        values = [table[name].combine_chunks() for table in tables if name in table.column_names]
        if values and len({part.type for part in values}) == 1:
            found[name] = pa.concat_arrays(values).unique()
    return found


def _columns(
    catalogue: Catalogue, microdata: Microdata, shown: Mapping[str, pa.Array]
) -> dict[str, PlainColumn]:
    """The columns that can be asked about, as questions name their values."""
    found = columns_of(microdata, shown)
    time = catalogue.time
    if time is not None and microdata.schema.time:
        # A feed that is published m-invariantly has a name of its own for the time.
        found[time.name] = found[microdata.schema.time]
    missing = [column for column in catalogue.columns if column not in found]
    if missing:
        raise InputError(
            [
                Problem(
                    "is a column of the release, but has no such role in the table.",
                    column=name,
                    remedy="Give the table and schema that the release was made from.",
                )
                for name in missing
            ]
        )
    return {
        name: column.as_texts() if catalogue.columns[name].kind == "text" else column
        for name, column in found.items()
        if name in catalogue.columns
    }


def _times(
    releases: Sequence[Release], catalogue: Catalogue, window: int | None
) -> TimeAxis | None:
    """The granules from the first that is published to the last."""
    column = catalogue.time
    if column is None or column.granularity is None:
        return None
    ends = [_ends(release, column.published) for release in releases]
    first, last = min(start for start, _ in ends), max(end for _, end in ends) - 1
    return times_of(column.name, column.granularity, catalogue.time_zone, first, last, window)


def _ends(release: Release, published: Sequence[str]) -> tuple[int, int]:
    """When the first published granule begins, and when the last ends."""
    snapshot = release.form.facts.get("snapshot")
    if snapshot is not None:
        return int(snapshot["start"]), int(snapshot["end"])
    table = release.table()
    start, end = (table[f"{published[0]}_{side}"] for side in ("start", "end"))
    return pc.min(start).value, pc.max(end).value


def _present(task: Task) -> Flags | None:
    """Who is in any of the releases; None if that is not known of one of them."""
    found = np.zeros(task.microdata.rows, dtype=np.bool_)
    for release, past in zip(task.releases, task.pasts, strict=True):
        there = rows_of(release, task.microdata, past)
        if there is None:
            return None
        found |= there
    return found


def _title(catalogue: Catalogue, window: int | None) -> str:
    if catalogue.time is None:
        return "ranges"
    return "ranges and windows" if window is None else f"ranges and windows of {window:,}"


def _notes(some: Drawn, wanted: Wanted, there: Flags | None) -> Iterator[str]:
    if len(some.conditions) < wanted.questions:
        yield (
            f"Only {len(some.conditions):,} of {wanted.questions:,} questions have an answer in "
            "the table."
        )
    if there is None:
        yield "Without the ledger nobody knows who is in the release, so bounds were not checked."
    elif not there.all():
        yield (
            f"{int((~there).sum()):,} of {len(there):,} rows of the table are not in the release. "
            "Errors are against the table, bounds speak of the release."
        )
