"""One short text for the content of a table, whatever the order of its rows.

Every row is written as one text, length before value so that no two rows are written alike, and
hashed once; the hashes are added up. Equal tables give equal digests in whatever file format.
"""

from __future__ import annotations

import hashlib
import json

from anachron.engines.local.kinds import canonical
from anachron.engines.local.scan import Scan
from anachron.engines.local.times import Times, microseconds_sql
from anachron.schema import Schema
from anachron.source.base import reading

__all__ = ["digest"]

_LOW = 2**64 - 1


def digest(scan: Scan, schema: Schema, times: Times) -> str:
    """SHA-256 over the roles, the number of rows, and the sum of the rows' hashes."""
    types = scan.source.columns
    # The order in which a schema lists its columns does not matter.
    plain = [schema.subject, *sorted(schema.quasi), *sorted(schema.sensitive)]
    texts = [canonical(column, types[column]) for column in plain]
    if schema.time:
        when = microseconds_sql(schema, types[schema.time], times.kind)
        texts.append(f"CAST({when} AS VARCHAR)")
    # concat() leaves out nulls, so a missing value is ":" and an empty text is "0:".
    row = ", ".join(f"strlen({text}), ':', {text}" for text in texts)
    # Twice 64 bits, because DuckDB adds up 128-bit numbers as floating-point ones.
    query = (
        f"SELECT sum(CAST(hash & {_LOW} AS UBIGINT)), sum(CAST(hash >> 64 AS UBIGINT)) "
        f"FROM (SELECT md5_number(concat({row})) AS hash FROM {scan.source.relation})"
    )
    with reading(scan.source.name), scan.cursor() as cursor:
        low, high = cursor.execute(query).fetchall()[0]
    content = {
        "roles": {
            "subject": schema.subject,
            "time": schema.time,
            "quasi": sorted(schema.quasi),
            "sensitive": sorted(schema.sensitive),
        },
        # Times without an offset mean nothing without the zone; times with one need none.
        "clock": schema.time_zone if times.is_wall else "UTC",
        "rows": scan.rows,
        "sums": [int(low) % 2**64, int(high) % 2**64],
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
