"""Write out groups with boxes: real and counterfeit rows alike, beside the box of their group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Numbers
from anachron.engines.base import Table
from anachron.guarantees import MInvariance
from anachron.methods import boxes
from anachron.methods.invariance.margins import margins
from anachron.methods.invariance.memory import StandingGroups
from anachron.methods.invariance.plan import Plan
from anachron.methods.invariance.register import CheckedRegister
from anachron.methods.invariance.written import (
    GROUP,
    WrittenRegister,
    counterfeits,
    of_groups,
    signature_places,
    values_of,
)
from anachron.methods.vocabulary import Vocabulary
from anachron.published.margins import Margin
from anachron.schema import Schema, check_published

__all__ = ["check_names", "write"]


def check_names(schema: Schema) -> None:
    """Refuse columns that would be published under one name."""
    bounds = [f"{column}_{end}" for column in schema.quasi for end in ("low", "high")]
    check_published([GROUP, *schema.sensitive, *bounds])


def write(
    table: Table, promise: MInvariance, planned: Plan, people: CheckedRegister, values: Vocabulary
) -> WrittenRegister:
    """Round the boxes, and put them beside the values of each group."""
    number = _published_order(planned, people, values)
    order = np.argsort(number)
    edges = list(zip(people.axes, *_edges(planned, people), strict=True))

    def rows(begin: int, end: int) -> dict[str, pa.Array]:
        """The rows of some groups."""
        some = order[begin:end]
        group, held = values_of(planned, values, some)
        columns: dict[str, pa.Array] = {GROUP: pa.array(begin + group + 1)}
        for axis, low, high in edges:
            columns |= boxes.columns(axis, low[some[group]], high[some[group]])
        return {**columns, table.schema.sensitive[0]: held}

    return WrittenRegister(
        {"data": of_groups(rows, len(order)), "counterfeits": counterfeits(planned, order)},
        {axis.column: boxes.way(axis) for axis in people.axes},
        number,
        _on_the_grid(planned.standing, people),
        _margins(planned, people, promise.margins),
    )


def _published_order(planned: Plan, people: CheckedRegister, values: Vocabulary) -> Array:
    """The place of each planned group in the release: by what is published, nothing else."""
    groups = planned.groups
    keys: list[Numbers] = [
        groups.counterfeits,
        signature_places(planned, values)[groups.signature],
    ]
    for low, high in reversed(list(zip(*_edges(planned, people), strict=True))):
        keys += [high, low]
    number = np.empty(len(groups.signature), dtype=np.int64)
    number[np.lexsort(keys)] = np.arange(len(groups.signature))
    return number


def _edges(planned: Plan, people: CheckedRegister) -> tuple[list[Numbers], list[Numbers]]:
    """The ends of all published intervals, by axis."""
    ends = [
        boxes.rounded(axis, planned.groups.low[:, i], planned.groups.high[:, i])
        for i, axis in enumerate(people.axes)
    ]
    return [low for low, _ in ends], [high for _, high in ends]


def _margins(planned: Plan, people: CheckedRegister, step: int | None) -> dict[str, Margin] | None:
    if step is None:
        return None
    edges = list(zip(*_edges(planned, people), strict=True))
    return margins(planned.rows, people.axes, edges, step)


def _on_the_grid(standing: StandingGroups | None, people: CheckedRegister) -> StandingGroups | None:
    """What is remembered of standing groups is what is published of them, not the exact bounds.

    Those are somebody's values, and would outlive whoever is erased from the register. Rounding
    what is rounded changes nothing, so the next release is the same.
    """
    if standing is None or not people.axes:
        return standing
    ends = [
        boxes.rounded(axis, standing.low[:, i], standing.high[:, i])
        for i, axis in enumerate(people.axes)
    ]
    low, high = (np.stack(side, axis=1).astype(np.float64) for side in zip(*ends, strict=True))
    return replace(standing, low=low, high=high)
