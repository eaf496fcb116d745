"""Small tables that everybody can count by hand."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from anachron.engines.local.load import load
from anachron.engines.local.table import LocalTable
from anachron.guarantees import TimeGranularity
from anachron.methods.granularity.choose import Search, plan
from anachron.schema import Schema

TABLE_3 = [
    ("u1", "q1", "2006-01-03", "d0"),
    ("u2", "q1", "2006-01-03", "d1"),
    ("u1", "q1", "2006-01-11", "d2"),
    ("u4", "q1", "2006-01-12", "d3"),
    ("u5", "q2", "2006-02-07", "d4"),
    ("u6", "q2", "2006-02-10", "d5"),
]
"""Table 3 of Mascetti et al. (2006): not 2-anonymous."""

SCHEMA = Schema("uid", "at", quasi="q", sensitive="data")


def table(rows: Iterable[tuple[str, str, str, str]], schema: Schema = SCHEMA) -> LocalTable:
    uid, q, at, data = zip(*rows, strict=True)
    return load(pa.table({"uid": uid, "q": q, "at": at, "data": data}), schema)


def people(at: str, *who: str, q: str = "q") -> list[tuple[str, str, str, str]]:
    """One row for each person named, on one day."""
    return [(uid, q, at, "d") for uid in who]


def answers(rows: Iterable[tuple[str, str, str, str]], promise: TimeGranularity) -> list[str]:
    return names(plan(table(rows), promise))


def names(found: Search) -> list[str]:
    lattice = found.offer.lattice
    return [lattice.order.names[lattice.time[a.node]] for a in found.answers]
