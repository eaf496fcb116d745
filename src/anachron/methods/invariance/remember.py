"""What the ledger remembers of everyone who was ever published, as one table.

One row a person, for ever: pseudonym, keyed digest of the value last published, signature,
earlier signatures, and the group in this release if the person is in it. What the numbers
stand for (values, signatures, standing groups) is in the table's metadata.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Bytes
from anachron.kernels.digests import insert, recall
from anachron.methods.invariance.memory import Memory, StandingGroups

__all__ = ["Remembered", "from_state", "to_state"]

_KEY = b"anachron"
_DIGEST = pa.binary(32)


class Remembered:
    """The memory as it is planned on, the values it knows, and marks of values."""

    def __init__(self, memory: Memory, values: list[str], marks: Bytes) -> None:
        self.memory, self.values, self.marks = memory, values, marks


def from_state(state: pa.Table | None) -> Remembered:
    """Read what the last release remembered; nothing before the first one."""
    if state is None:
        return Remembered(Memory(), [], np.zeros((0, 32), dtype=np.uint8))
    notes = json.loads(state.schema.metadata[_KEY])
    earlier = {
        state["subject"][row].as_py(): tuple(state["earlier"][row].as_py())
        for row in np.flatnonzero(_lengths(state["earlier"]))
    }
    standing = None
    if notes["standing"] is not None:
        stood = notes["standing"]
        width = len(stood["low"][0]) if stood["low"] else notes["quasi"]
        standing = StandingGroups(
            np.array(stood["signature"], dtype=np.int64),
            np.array(stood["low"], dtype=np.float64).reshape(-1, width),
            np.array(stood["high"], dtype=np.float64).reshape(-1, width),
            state["standing"].to_numpy().astype(np.int64),
        )
    memory = Memory(
        tuple(tuple(signature) for signature in notes["signatures"]),
        digests(state["subject"]),
        state["signature"].to_numpy().astype(np.int64),
        earlier,
        standing,
    )
    return Remembered(memory, list(notes["values"]), digests(state["value"]))


def to_state(
    memory: Memory,
    before: Remembered,
    values: list[str],
    present: tuple[Bytes, Array],
) -> pa.Table:
    """Write a memory, with (mark of the value, group) of everyone published now."""
    people, here = len(memory.subjects), memory.published
    marks = insert(before.marks, memory.inserted)
    marks[here] = present[0]
    group = np.zeros(people, dtype=np.int32)
    absent = np.ones(people, dtype=bool)
    group[here], absent[here] = present[1], False
    standing = memory.standing
    notes: dict[str, Any] = {
        "values": values,
        "signatures": memory.signatures,
        "quasi": 0 if standing is None else standing.low.shape[1],
        "standing": None
        if standing is None
        else {
            "signature": standing.signature.tolist(),
            "low": standing.low.tolist(),
            "high": standing.high.tolist(),
        },
    }
    table = pa.table(
        {
            "subject": _column(memory.subjects),
            "value": _column(marks),
            "signature": pa.array(memory.latest.astype(np.int32)),
            "earlier": _earlier(memory),
            "group": pa.array(group, pa.int32(), mask=absent),
            "standing": pa.nulls(people, pa.int32())
            if standing is None
            else pa.array(standing.group.astype(np.int32)),
        }
    )
    return table.replace_schema_metadata({_KEY: json.dumps(notes)})


def digests(column: pa.Array | pa.ChunkedArray) -> Bytes:
    """See a column of keyed digests as an (n, 32) array of bytes."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if not len(column):
        return np.zeros((0, 32), dtype=np.uint8)
    content = np.frombuffer(column.buffers()[1], dtype=np.uint8)
    start = 32 * column.offset
    return content[start : start + 32 * len(column)].reshape(-1, 32).copy()


def _column(array: Bytes) -> pa.Array:
    """The other way round, without a copy of each digest."""
    content = pa.py_buffer(np.ascontiguousarray(array))
    return pa.FixedSizeBinaryArray.from_buffers(_DIGEST, len(array), [None, content])


def _earlier(memory: Memory) -> pa.Array:
    """The earlier signatures of each person; hardly anybody has any."""
    who = np.frombuffer(b"".join(memory.earlier), dtype=np.uint8).reshape(-1, 32)
    lengths = np.zeros(len(memory.subjects) + 1, dtype=np.int32)
    place = recall(who, memory.subjects)
    lengths[place + 1] = [len(signatures) for signatures in memory.earlier.values()]
    histories = list(memory.earlier.values())
    in_order = [histories[i] for i in np.argsort(place)]
    numbers = pa.array([n for signatures in in_order for n in signatures], pa.int32())
    return pa.ListArray.from_arrays(pa.array(np.cumsum(lengths, dtype=np.int32)), numbers)


def _lengths(column: pa.ChunkedArray) -> Array:
    return np.asarray(pa.compute.list_value_length(column).to_numpy(), dtype=np.int64)
