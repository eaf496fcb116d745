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

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array
from anachron.engines.base import Batch, Rows, Table, quasi
from anachron.guarantees import MInvariance
from anachron.methods.invariance.buckets import NEW
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
    keys = [quasi(column) for column in columns]
    rows = planned.rows.map(_there).where("there").only("group", *keys)
    number = _published_order(planned, rows, keys, values)
    groups = {"group": np.arange(len(number)), "number": number}
    in_order = np.argsort(number)

    def held(begin: int, end: int) -> dict[str, pa.Array]:
        """The values of some groups."""
        group, each = values_of(planned, values, in_order[begin:end])
        once = pa.array(np.ones(len(group), dtype=np.int64))
        return {GROUP: pa.array(begin + group + 1), table.schema.sensitive[0]: each, COUNT: once}

    return WrittenRegister(
        {
            "data": _rows(table, rows.join(groups, ("group",)).ordered(("number", *keys))),
            "sensitive": of_groups(held, len(number)),
            "counterfeits": counterfeits(planned, in_order),
        },
        {column: AsItIs(column) for column in columns},
        number,
        _without_boxes(planned.standing),
    )


def _there(batch: Batch) -> Batch:
    return {"there": batch["group"] != NEW}


def _rows(
    table: Table, in_order: tuple[pa.Schema, Iterator[pa.RecordBatch]]
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """What is published of rows that are given in order: of each the group, and its values."""
    domains = [table.values(column) for column in table.schema.quasi]
    types = zip(table.schema.quasi, (domain.type for domain in domains), strict=True)
    schema = pa.schema([(GROUP, pa.int64()), *types])

    def made() -> Iterator[pa.RecordBatch]:
        for batch in in_order[1]:
            number, *codes = batch.columns
            found = [domain.take(code) for domain, code in zip(domains, codes, strict=True)]
            yield pa.RecordBatch.from_arrays([pc.add(number, 1), *found], schema=schema)

    return schema, made()


def _published_order(planned: Plan, rows: Rows, keys: Sequence[str], values: Vocabulary) -> Array:
    """The place of each planned group in the release: by its rows and its values, nothing else."""
    groups = planned.groups
    sizes = np.array([len(signature) for signature in planned.signatures], dtype=np.int64)
    most = int((sizes[groups.signature] - groups.counterfeits).max(initial=1))
    shown = rows.by("group", partial(_shown, keys, most))
    found, other = [], []
    last = pa.array([], pa.binary())
    for batch in shown.ordered(("shown", "group"))[1]:
        here = pa.concat_arrays([last, batch["shown"].cast(pa.binary())])
        differs = pc.not_equal(here[1:], here[:-1]).to_numpy(zero_copy_only=False)
        other.append(differs if len(last) else np.append(True, differs))
        found.append(batch["group"].to_numpy())
        last = here[-1:]
    group = np.concatenate([*found, groups.signature[:0]])
    same = np.cumsum(np.concatenate([*other, np.zeros(0, dtype=bool)]))
    of_values = signature_places(planned, values)[groups.signature]
    number = np.empty(len(of_values), dtype=np.int64)
    number[group[np.lexsort((group, of_values[group], same))]] = np.arange(len(number))
    return number


def _shown(keys: Sequence[str], most: int, batch: Batch) -> Batch:
    """What is published of the rows of each group, as bytes that sort like it.

    Of groups with fewer rows than others the last bytes are zero: they come first.
    """
    codes = [batch[key] for key in keys]
    by = np.lexsort((*codes[::-1], batch["group"]))
    group, begin, of = np.unique(batch["group"][by], return_index=True, return_inverse=True)
    lines = np.zeros((len(group), most, len(codes)), dtype=">u4")
    lines[of, np.arange(len(by)) - begin[of]] = np.stack(codes, axis=1)[by] + 1
    content = pa.py_buffer(lines.tobytes())
    kind = pa.binary(4 * most * len(codes))
    shown = pa.FixedSizeBinaryArray.from_buffers(kind, len(group), [None, content])
    return {"group": group, "shown": shown.cast(pa.binary())}


def _without_boxes(standing: StandingGroups | None) -> StandingGroups | None:
    """Of standing groups no bounds are published, and none are remembered: they are people's."""
    if standing is None:
        return None
    nothing = np.zeros_like(standing.low)
    return replace(standing, low=nothing, high=nothing)
