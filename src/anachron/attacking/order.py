"""Order and names: does the file tell by its form what its cells hide?

Rows that stand in the order of the input tell who came first, and who knows that order (arrivals at
a desk, a list of staff) knows whose row is whose. Group numbers that were given while groups were
formed tell in which order. A Parquet file can carry notes, or a dictionary that still lists values
that no row holds. Files carry dates. None of it needs any skill to read.

Promised is that rows are sorted by what is published and by nothing else, that group numbers follow
that order, and that files hold nothing but the rows.

Measured
    rows and groups out of that order; what files hold beside their rows; files that do not belong
    to the release. Where the deal of a feed numbers the groups of a snapshot (``then="anatomy"``),
    the microdata tell whether these numbers go together with the order of the input, the names of
    the subjects, or how late records are published, which is never said, among records of the same
    snapshot and value. Dates of files are counted, too: releases are written with the same date
    everywhere, but copying them can change it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Floats
from anachron.attacking.finding import Figures, Finding
from anachron.attacking.known import Known
from anachron.auditing.checks import files, rows
from anachron.auditing.evidence.shown import shown_of
from anachron.auditing.reading.columns import ranked
from anachron.auditing.reading.database import reading
from anachron.auditing.reading.description import (
    events_of,
    feed_of,
    register_of,
    series_of,
)
from anachron.auditing.reading.events import disorder
from anachron.auditing.reading.pieces import published_of
from anachron.auditing.reading.register import register_groups
from anachron.auditing.reading.series import series_rows
from anachron.auditing.verdict import Check

__all__ = ["NEEDS", "attack", "told_by_order"]

NEEDS = "release"

_DATED = 315_532_800
"""What every published file says of its last change."""
_TOLD = {
    "input_order": "the order of the input",
    "subject": "names of subjects",
    "delay": "who was moved",
}
_SURE = 4.0
"""So many standard deviations are no luck."""


def told_by_order(
    snapshot: Array, value: Array, group: Array, hidden: Array
) -> tuple[float, float]:
    """How group numbers go together with something hidden, among records of a snapshot and value.

    Gives the correlation of ranks; and how far the groups of a snapshot are from being numbered by
    lot, in standard deviations of all ways to number them. Groups are renumbered whole, because
    several records of a group may have been moved together, wherever it stands.
    """
    stratum = _numbered(snapshot * (int(value.max(initial=0)) + 1) + value)
    x, y = _ranked(stratum, group), _ranked(stratum, hidden)
    spread = float(np.sqrt((x * x).sum() * (y * y).sum()))
    numbers, first, at = np.unique(group, return_index=True, return_inverse=True)
    where = _numbered(snapshot[first])
    size, total = np.bincount(where), np.bincount(at, y)
    place, much = _ranked(where, numbers), total - (np.bincount(where, total) / size)[where]
    spreads = np.bincount(where, place * place) * np.bincount(where, much * much)
    shuffled = float(np.sqrt((spreads / np.maximum(size - 1, 1)).sum()))
    if not spread or not shuffled:
        return 0.0, 0.0
    return float((x * y).sum()) / spread, abs(float((place * much).sum())) / shuffled


def _numbered(these: Array) -> Array:
    found: Array = np.unique(these, return_inverse=True)[1]
    return found


def _ranked(stratum: Array, number: Array) -> Floats:
    """Ranks of numbers in their stratum, less their mean; equal numbers share a rank."""
    names, code = np.unique(number, return_inverse=True)
    _, place = np.unique(stratum * len(names) + code, return_inverse=True)
    count = np.bincount(place)
    before = np.cumsum(count) - count
    rank = (before + (count - 1) / 2)[place]
    mean = np.bincount(stratum, rank) / np.bincount(stratum)
    found: Floats = rank - mean[stratum]
    return found


def attack(known: Known) -> Finding | None:
    """Look at everything about the files but their cells."""
    tables = known.release.tables.values()
    checks = [*_order_checks(known), files.folder.ask(known.release)]
    checks += [files.hidden.ask(known.release, table) for table in tables]
    there = [name for table in tables for name, _ in table.written.files]
    dated = sum(int((known.release.path / name).stat().st_mtime) != _DATED for name in there)
    broken = [check for check in checks if not check.holds]
    figures: Figures = {
        "checks": len(checks),
        "checks_that_fail": len(broken),
        "files_with_a_date": dated,
    }
    leaks = _leaks(known)
    for name, (correlation, sigmas) in leaks.items():
        figures[f"{name}_correlation"] = round(correlation, 4)
        figures[f"{name}_sigmas"] = round(sigmas, 1)
    telling = [name for name, (_, sigmas) in leaks.items() if sigmas > _SURE]
    many = known.release.rows
    problems = [check.measured for check in broken] + [
        f"group numbers tell {_TOLD[n]}" for n in telling
    ]
    return Finding(
        attack="order",
        title="Order of rows and names of groups",
        knows="the order in which people were entered, or their names",
        exposed=many if problems else 0,
        people=many,
        promised="rows and groups in the order of what is published; nothing beside the rows",
        measured="; ".join(problems) or "as promised",
        holds=not problems,
        figures=figures,
        about="Looks for what order, numbers, notes and dates of the files tell.",
    )


def _order_checks(known: Known) -> Iterator[Check]:
    """Whether rows and groups stand in the order of what is published, by the method's own form."""
    release = known.release
    if (events := events_of(release)) is not None:
        with reading(events.files) as con:
            found = disorder(con, events)
        yield from (rows.order_of_events.ask(found), rows.numbers_of_events.ask(found))
    elif (series := series_of(release)) is not None:
        lines = series_rows(series)
        yield from (rows.order_of_series.ask(lines), rows.numbers_of_series.ask(lines))
    elif (register := register_of(release)) is not None:
        groups = register_groups(register)
        yield from (rows.order_of_register.ask(groups), rows.numbers_of_register.ask(groups))
    elif (feed := feed_of(release)) is not None:
        shown = shown_of(feed, published_of(feed))
        yield from (rows.order_of_feed.ask(shown), rows.numbers_of_feed.ask(shown))


def _leaks(known: Known) -> dict[str, tuple[float, float]]:
    """What the numbers of groups tell that lie side by side in one snapshot of a feed."""
    if known.release.guarantee.get("then") != "anatomy" or known.microdata is None:
        return {}
    members = known.members
    # Of a register, which has no snapshots, numbers follow from rows and values.
    if members is None or not len(members.snapshot):
        return {}
    table, value = known.microdata, members.sensitive[0].code
    first_rows = np.unique(table.subject, return_index=True)[1]
    names, _ = ranked(pa.chunked_array([table.subject_values]))
    hidden = {
        "input_order": first_rows[members.person],
        "subject": names[members.person],
        "delay": members.delay,
    }
    return {
        name: told_by_order(members.snapshot, value, members.group, number)
        for name, number in hidden.items()
    }
