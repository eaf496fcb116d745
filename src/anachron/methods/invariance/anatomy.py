"""Write out groups as two tables: quasi values of people as they are, and the values of each group.

A counterfeit is a value of its group that nobody has: it has no quasi values, and nothing tells it
from the others. How many a group has is what its values are more than its people; it is said, as it
is said of groups with boxes.

Notes
-----
Not in the paper. Its Lemma 3 is about an adversary who knows everybody's quasi values, and for whom
the groups of people may just as well be published: what a group with boxes tells such an adversary
about values, this one does. Who knows less sees more in it; see docs/promises-and-limits.md.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.engines.base import Batch, Table, quasi
from anachron.guarantees import MInvariance
from anachron.kernels.sorting import numbered, order, side_by_side
from anachron.methods.invariance.buckets import NEW
from anachron.methods.invariance.memory import StandingGroups
from anachron.methods.invariance.plan import Plan
from anachron.methods.invariance.register import CheckedRegister
from anachron.methods.invariance.written import (
    GROUP,
    WrittenRegister,
    batches,
    counterfeits,
    signature_places,
    values_of,
)
from anachron.methods.vocabulary import Vocabulary
from anachron.published.layouts import COUNT
from anachron.published.ways import AsItIs
from anachron.schema import Schema, check_published

__all__ = ["check_names", "write"]


def check_names(schema: Schema) -> None:
    """Refuse columns that would be published under one name."""
    check_published([GROUP, *schema.quasi], "'count' beside the sensitive column")
    check_published([GROUP, COUNT, *schema.sensitive], "'count' beside the sensitive column")


def write(
    table: Table, _promise: MInvariance, planned: Plan, _people: CheckedRegister, values: Vocabulary
) -> WrittenRegister:
    """Take rows and values apart."""
    columns = table.schema.quasi
    here = planned.rows.map(_there).where("there").collect("group", *map(quasi, columns))
    codes, domains = [here[quasi(column)] for column in columns], [table.values(c) for c in columns]
    rank = numbered(side_by_side(codes, [len(domain) for domain in domains]))[1]
    number = _published_order(planned, here["group"], rank, values)
    group = number[here["group"]]
    by = order(side_by_side([group, rank], [len(number), int(rank.max(initial=-1)) + 1]))
    rows = {GROUP: pa.array(group[by] + 1)}
    for column, code, domain in zip(columns, codes, domains, strict=True):
        rows[column] = domain.take(pa.array(code[by]))
    in_order = np.argsort(number)
    place, held = values_of(planned, values, in_order)
    of_groups = {
        GROUP: pa.array(place + 1),
        table.schema.sensitive[0]: held,
        COUNT: pa.array(np.ones(len(place), dtype=np.int64)),
    }
    return WrittenRegister(
        {
            "data": batches(rows),
            "sensitive": batches(of_groups),
            "counterfeits": counterfeits(planned, in_order),
        },
        {column: AsItIs(column) for column in columns},
        number,
        _without_boxes(planned.standing),
    )


def _there(batch: Batch) -> Batch:
    return {"there": batch["group"] != NEW}


def _published_order(planned: Plan, group: Array, rank: Array, values: Vocabulary) -> Array:
    """The place of each planned group in the release: by its rows and its values, nothing else.

    ``group`` and ``rank`` have a place for each row: the planned group, and what sorts like what
    is published of the row.
    """
    groups = len(planned.groups.signature)
    by = np.lexsort((rank, group))
    start = np.searchsorted(group[by], np.arange(groups + 1))
    most = int(np.diff(start).max(initial=0))
    shown = np.full((most, groups), -1, dtype=np.int64)
    shown[np.arange(len(by)) - start[group[by]], group[by]] = rank[by]
    of_values = signature_places(planned, values)[planned.groups.signature]
    number = np.empty(groups, dtype=np.int64)
    number[np.lexsort((of_values, *shown[::-1]))] = np.arange(groups)
    return number


def _without_boxes(standing: StandingGroups | None) -> StandingGroups | None:
    """Of standing groups no bounds are published, and none are remembered: they are people's."""
    if standing is None:
        return None
    nothing = np.zeros_like(standing.low)
    return replace(standing, low=nothing, high=nothing)
