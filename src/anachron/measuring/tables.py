"""How useful is a release of a register, of events or of a feed?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Flags
from anachron.asking.catalogue import Catalogue
from anachron.asking.published import opened
from anachron.behind import Microdata
from anachron.errors import InputError, Problem
from anachron.guarantees import from_dict
from anachron.measuring.asked import answers, refuse_none
from anachron.measuring.axes import Times, times_of
from anachron.measuring.columns import Column, columns_of
from anachron.measuring.present import Past, present
from anachron.measuring.truth import counted
from anachron.measuring.utility import Measure, measured
from anachron.measuring.wanted import Tell, Wanted
from anachron.measuring.workloads import Drawn, drawn, workload_of
from anachron.release.read import Release

__all__ = ["measure_table"]


def measure_table(
    releases: Sequence[Release],
    microdata: Microdata,
    pasts: Sequence[Past],
    wanted: Wanted,
    tell: Tell,
) -> tuple[tuple[Measure, ...], tuple[str, ...]]:
    """Ask releases of one kind that belong together; give the measure, and notes on it."""
    tell("drawing questions", 0.0)
    published = opened(releases)
    catalogue = published.catalogue
    columns = _columns(catalogue, microdata, _shown(releases, microdata))
    times = _times(releases, catalogue, wanted.window)
    workload = workload_of(catalogue, columns, times, wanted.theta, wanted.dimensions)
    some = drawn(workload.draw, lambda c: counted(columns, c), wanted.questions, wanted.seed)
    refuse_none(len(some.conditions))
    figures = answers(published, some.conditions, tell, 0.2, 0.8)
    tell("counting who is published", 0.8)
    there = _present(releases, microdata, pasts)
    inside = None if there is None else counted(columns, some.conditions, there).astype(float)
    found = measured(
        _title(catalogue, wanted.window), some.truth.astype(np.float64),
        figures.estimate, figures.low, figures.high, inside=inside, empty=some.empty,
    )  # fmt: skip
    if there is None:
        found = replace(found, outside=None)
    span = np.ones(microdata.rows, dtype=np.bool_)
    if times is not None:
        span = (microdata.instants >= times.start[0]) & (microdata.instants < times.end[-1])
    return (found,), tuple(_notes(some, wanted, None if there is None else there[span]))


def _shown(releases: Sequence[Release], microdata: Microdata) -> dict[str, pa.Array]:
    """The published values of sensitive columns in which spelling does not count."""
    counted = all(
        from_dict(release.guarantee).one_spelling
        and "spelling" not in release.description["anachron"]
        for release in releases
    )
    found: dict[str, pa.Array] = {}
    for name in microdata.schema.sensitive if counted else ():
        tables = [table for release in releases for table in _with(release, name)]
        values = [table[name].combine_chunks() for table in tables]
        if values and len({part.type for part in values}) == 1:
            found[name] = pa.concat_arrays(values).unique()
    return found


def _with(release: Release, column: str) -> list[pa.Table]:
    tables = (release.table(name) for name in release.tables)
    return [table for table in tables if column in table.column_names]


def _columns(
    catalogue: Catalogue, microdata: Microdata, shown: Mapping[str, pa.Array]
) -> dict[str, Column]:
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


def _times(releases: Sequence[Release], catalogue: Catalogue, window: int | None) -> Times | None:
    """The granules from the first that is published to the last."""
    column = catalogue.time
    if column is None or column.granularity is None:
        return None
    ends = [_ends(release, column.published) for release in releases]
    first, last = min(start for start, _ in ends), max(end for _, end in ends) - 1
    return times_of(column.name, column.granularity, catalogue.time_zone, first, last, window)


def _ends(release: Release, published: Sequence[str]) -> tuple[int, int]:
    """When the first published granule begins, and when the last ends."""
    snapshot = release.description["anachron"].get("snapshot")
    if snapshot is not None:
        return int(snapshot["start"]), int(snapshot["end"])
    table = release.table()
    start, end = (table[f"{published[0]}_{side}"] for side in ("start", "end"))
    return pc.min(start).value, pc.max(end).value


def _present(
    releases: Sequence[Release], microdata: Microdata, pasts: Sequence[Past]
) -> Flags | None:
    """Who is in any of the releases; None if that is not known of one of them."""
    found = np.zeros(microdata.rows, dtype=np.bool_)
    for release, past in zip(releases, pasts, strict=True):
        there = present(release, microdata, past)
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
