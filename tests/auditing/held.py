"""Tables as the audit gets them: most seeded bugs leave the table alone, so it is read once."""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa

from anachron.arrays import Words
from anachron.behind import Microdata, read
from anachron.schema import Schema

__all__ = ["held", "keys_held"]


def held(rows: Sequence[dict[str, Any]], schema: Schema) -> Microdata:
    """Read a table of these rows, or give the one that was read for the same rows."""
    table = pa.Table.from_pylist(list(rows))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return _held(sink.getvalue().to_pybytes(), schema)


@lru_cache(maxsize=8)
def _held(content: bytes, schema: Schema) -> Microdata:
    """What is forgotten here is closed when nobody looks at it any more."""
    return read(pa.ipc.open_stream(content).read_all(), schema)


@lru_cache(maxsize=8)
def keys_held(table: Microdata, secret: bytes) -> Words:
    """The keyed hashes of its rows, which are those of the last time, too."""
    return table.row_keys(secret)


# Connections that outlive the interpreter are complained about.
atexit.register(keys_held.cache_clear)
atexit.register(_held.cache_clear)
