"""Is a time published twice: a snapshot of a feed, or the same people at the same time?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anachron.arrays import Array
from anachron.auditing.chain import Link
from anachron.auditing.check import Found, check, releases_named
from anachron.auditing.reading.columns import coded, whole
from anachron.ledger import Entry, Ledger

__all__ = ["nobody_twice", "snapshots_in_order"]

_ALWAYS = (np.iinfo(np.int64).min, np.iinfo(np.int64).max)
"""From when to when people are published whose release names no times."""


@check("order of snapshots", "snapshots of the releases")
def snapshots_in_order(links: Sequence[Link]) -> Found:
    """later ones in each release than in those before"""
    wrong, latest, known = [], _ALWAYS[0], 0
    for link in links:
        span = _span(link)
        if span is None:
            continue
        known += 1
        if span[0] < latest:
            wrong.append(link.name)
        latest = max(latest, span[1])
    text = f"not so of {len(wrong):,} releases"
    return Found({text: bool(wrong)}, f"{known:,} releases in order", where=releases_named(wrong))


def _span(link: Link) -> tuple[int, int] | None:
    """From when to when a release of a feed goes; None if it does not say."""
    try:
        snapshot = link.ours.get("snapshot")
        if snapshot is not None:
            return int(snapshot["start"]), int(snapshot["end"])
        time = next(n for n, said in link.ours["columns"].items() if said["role"] == "time")
        if link.release is None:
            return None
        names = [f"{time}_start", f"{time}_end"]
        with pq.ParquetFile(link.release.tables["data"].parquet) as file:
            table = file.read(columns=names)
        low, high = (table[name].cast(pa.int64()) for name in names)
        found = pc.min(low).as_py(), pc.max(high).as_py()
    except (KeyError, TypeError, ValueError, StopIteration, OSError):
        # What is malformed is told by the audit of the release itself. Errors of pyarrow are
        # among these.
        return None
    return None if None in found else found


@check("once", "people and times of the releases, as the ledger remembers them")
def nobody_twice(ledger: Ledger, entries: Sequence[Entry]) -> Found:
    """nobody twice for the same time"""
    again, where = 0, np.zeros(0, dtype=np.int64)
    if entries:
        again, where = _meeting([_spans(ledger.state(entry), entry.number) for entry in entries])
    return Found(
        {"times that somebody stands in two releases": again},
        where=releases_named(f"{n:04d}" for n in where.tolist()),
    )


def _spans(state: pa.Table, number: int) -> pa.Table:
    """From when to when everyone is in a release."""
    columns = {"subject": state["subject"]}
    for name, always in zip(("first", "until"), _ALWAYS, strict=True):
        there = name in state.column_names
        columns[name] = state[name] if there else pa.array(np.full(len(state), always))
    return pa.table({**columns, "release": pa.array(np.full(len(state), number))})


def _meeting(spans: Sequence[pa.Table]) -> tuple[int, Array]:
    """How often a time of a person begins before another has ended, and in which releases."""
    every = pa.concat_tables(spans).combine_chunks()
    person = whole(coded(every["subject"]).indices, -1)
    first, until, number = (whole(every[name], 0) for name in ("first", "until", "release"))
    order = np.lexsort((number, until, first, person))
    person, first, until, number = (part[order] for part in (person, first, until, number))
    # By begin: if any two meet, some neighbours do.
    meet = (person[1:] == person[:-1]) & (first[1:] < until[:-1])
    return int(meet.sum()), np.unique(np.maximum(number[1:], number[:-1])[meet])
