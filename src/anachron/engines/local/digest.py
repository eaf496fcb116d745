"""One short text for the content of a table, whatever the order of its rows.

Every row is written as one text, length before value so that no two rows are written alike, and
hashed once; the hashes are added up. Equal tables give equal digests in whatever file format.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Words
from anachron.engines.local.kinds import canonical, canonical_number
from anachron.engines.local.scan import Scan
from anachron.engines.local.time_text import Kind
from anachron.engines.local.times import Times, microseconds_sql
from anachron.schema import Schema
from anachron.source.base import reading

__all__ = [
    "HASH",
    "HASHED",
    "digest",
    "digest_of",
    "row_keys",
    "row_sql",
    "row_texts",
    "told_apart",
]

HASH = 32
"""So many hexadecimal digits of a row's hash are kept."""
_LOW = 2**64 - 1
HASHED = (f"CAST(hash & {_LOW} AS UBIGINT)", "CAST(hash >> 64 AS UBIGINT)")
"""SQL for the two halves of a row's hash. Twice 64 bits, because DuckDB adds up 128-bit numbers as
floating-point ones."""


def digest(scan: Scan, schema: Schema, times: Times) -> str:
    """SHA-256 over the roles, the number of rows, and the sum of the rows' hashes."""
    row = row_sql(scan.source.columns, schema, times.kind)
    query = (
        f"SELECT sum({HASHED[0]}), sum({HASHED[1]}) "
        f"FROM (SELECT md5_number(concat({row})) AS hash FROM {scan.source.relation})"
    )
    with reading(scan.source.name), scan.cursor() as cursor:
        low, high = cursor.execute(query).fetchall()[0]
    return digest_of(schema, times.is_wall, scan.rows, (int(low), int(high)))


def digest_of(schema: Schema, is_wall: bool, rows: int, sums: tuple[int, int]) -> str:
    """The digest of a table, given the sums of the hashes of its rows."""
    roles: dict[str, object] = {
        "subject": schema.subject if isinstance(schema.subject, str) else sorted(schema.subject),
        "time": schema.time,
        "quasi": sorted(schema.quasi),
        "sensitive": sorted(schema.sensitive),
    }
    if schema.series:
        # Their order is that of time.
        roles["series"] = list(schema.series)
    content = {
        "roles": roles,
        # Times without an offset mean nothing without the zone; times with one need none.
        "clock": schema.clock_zone if is_wall else "UTC",
        "rows": rows,
        "sums": [half % 2**64 for half in sums],
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def row_keys(scan: Scan, schema: Schema, times: Times, secret: bytes) -> Words:
    """Two numbers for each row, in the order of the source: SHA-256 over a secret and the row.

    They are uniform, repeatable, and tell nothing to who does not know the secret.
    """
    row = row_sql(scan.source.columns, schema, times.kind)
    # DuckDB hashes on all processors; its answer is text, of which 32 digits are enough.
    found = scan.column(f"unhex(left(sha256(concat('{secret[:16].hex()}', {row})), {HASH}))")
    bytes_ = b"".join(chunk.buffers()[2].to_pybytes()[: 16 * len(chunk)] for chunk in found.chunks)
    return np.frombuffer(bytes_, dtype=">u8").reshape(-1, 2).astype(np.uint64)


def told_apart(keys: Words, names: pa.Array, secret: bytes) -> Words:
    """Keys of rows that are people each: rows that are alike have keys of their own.

    ``names`` end in how many rows before are the same; without such, a row keeps its key.
    """
    before = pc.utf8_slice_codeunits(names, HASH + 1).cast(pa.int64()).to_numpy()
    found = keys.copy()
    for row in np.flatnonzero(before).tolist():
        high, low = keys[row].tolist()
        text = f"{secret[:16].hex()}{high:016x}{low:016x}-{before[row]}"
        found[row] = np.frombuffer(hashlib.sha256(text.encode()).digest()[:16], dtype=">u8")
    return found


def row_texts(scan: Scan, schema: Schema, times: Times) -> pa.ChunkedArray:
    """A hash of each row, as text, in the order of the source."""
    row = row_sql(scan.source.columns, schema, times.kind)
    return scan.column(f"left(sha256(concat({row})), {HASH})")


def row_sql(types: Mapping[str, str], schema: Schema, kind: Kind) -> str:
    """The arguments of concat() that write a row so that no two rows are written alike."""
    # The order in which a schema lists its columns does not matter.
    plain = [*sorted(schema.subject_columns), *sorted(schema.quasi), *sorted(schema.sensitive)]
    texts = [canonical(column, types[column]) for column in plain]
    texts += [canonical_number(column, types[column]) for column in schema.series]
    if schema.time:
        when = microseconds_sql(schema, types[schema.time], kind)
        texts.append(f"CAST({when} AS VARCHAR)")
    # concat() leaves out nulls, so a missing value is ":" and an empty text is "0:".
    return ", ".join(f"strlen({text}), ':', {text}" for text in texts)
