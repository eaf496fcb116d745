"""From a table to the lattice of views on offer."""

from __future__ import annotations

from dataclasses import dataclass

from anachron.calendar.granules import Granules
from anachron.calendar.order import order
from anachron.calendar.realise import Span, realise, span
from anachron.engines.base import Table
from anachron.errors import PlanError, Problem
from anachron.guarantees import TimeGranularity
from anachron.methods.granularity.lattice import Lattice
from anachron.methods.granularity.recode import rungs
from anachron.methods.recorded import coarse_enough, cutting

__all__ = ["Offer", "offer"]


@dataclass(frozen=True, eq=False)
class Offer:
    """The views that may be published, and the granularities that may not, with the reason."""

    lattice: Lattice
    dropped: dict[str, str]


def offer(table: Table, promise: TimeGranularity) -> Offer:
    """Realise the granularities over the table's span, climb the ladders, compare all."""
    if not table.schema.time:
        raise PlanError("a promise about time granularities needs a time column in the schema.")
    _check_ladders(table, promise)
    over = span(table.schema.time_zone, table.first, table.last)
    dropped: dict[str, str] = {}
    kept: list[Granules] = []
    for granularity in promise.granularities:
        granules = realise(granularity, over)
        reason = _unfit(granules, table, over)
        if reason is None:
            kept.append(granules)
        else:
            dropped[granularity.name] = reason
    if not kept:
        raise PlanError(
            f"none of the granularities fits the table, whose times are recorded by "
            f"{table.recorded_by}: "
            + "; ".join(f"{n}: {why}" for n, why in dropped.items())
            + coarse_enough(". Offer {}.", table)
        )
    ladders = dict(promise.ladders)
    columns = (rungs(table, column, ladders.get(column)) for column in table.schema.quasi)
    return Offer(Lattice(order(kept, table.first, table.last), tuple(columns)), dropped)


def _unfit(granules: Granules, table: Table, over: Span) -> str | None:
    """Why a granularity cannot express the table, if so (the paper's G finer than H)."""
    if granules.size == 0:
        return "it has no granule in the years of the table"
    return cutting(granules, table, over)


def _check_ladders(table: Table, promise: TimeGranularity) -> None:
    unknown = [name for name, _ in promise.ladders if name not in table.schema.quasi]
    if unknown:
        raise PlanError(
            [
                Problem("has a ladder but is not a quasi column of the schema.", column=name)
                for name in unknown
            ]
        )
