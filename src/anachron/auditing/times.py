"""Is a time published twice: a snapshot of a feed, or the same people at the same time?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anachron.arrays import Array
from anachron.auditing.chain import Link
from anachron.auditing.verdict import Check
from anachron.auditing.verify.findings import SHOWN
from anachron.auditing.verify.invariance_groups import coded, whole
from anachron.ledger import Entry, Ledger

__all__ = ["once_check", "snapshot_check"]

_ALWAYS = (np.iinfo(np.int64).min, np.iinfo(np.int64).max)
"""From when to when people are published whose release names no times."""


def snapshot_check(links: Sequence[Link]) -> Check:
    """Check that each release of a feed begins after the one before has ended."""
    wrong, latest, known = [], _ALWAYS[0], 0
    for link in links:
        span = _span(link)
        if span is None:
            continue
        known += 1
        if span[0] < latest:
            wrong.append(link.name)
        latest = max(latest, span[1])
    return Check(
        "order of snapshots",
        not wrong,
        "later ones in each release than in those before",
        f"not so of {len(wrong):,} releases" if wrong else f"{known:,} releases in order",
        "snapshots of the releases",
        tuple(f"release {name}" for name in wrong[:SHOWN]),
    )


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


def once_check(ledger: Ledger, entries: Sequence[Entry]) -> Check:
    """Check that nobody is published for a time that another release covers."""
    again, where = 0, np.zeros(0, dtype=np.int64)
    if entries:
        again, where = _meeting([_spans(ledger.state(entry), entry.number) for entry in entries])
    return Check(
        "once",
        not again,
        "nobody twice for the same time",
        f"{again:,} times that somebody stands in two releases" if again else "as promised",
        "people and times of the releases, as the ledger remembers them",
        tuple(f"release {n:04d}" for n in where[:SHOWN].tolist()),
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
