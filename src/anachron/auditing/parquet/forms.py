"""The structures of a Parquet file that a release may hold, field by field.

By the numbers of the format's definition (parquet.thrift). What is not listed is refused: notes,
encryption, page indexes, Bloom filters, other files, sort orders, names of fields by number.
"""

from __future__ import annotations

from anachron.auditing.parquet.thrift import BINARY, BOOL, I8, I16, I32, I64, List, Struct

__all__ = ["FILE", "PAGE"]

_NOTHING: Struct = {}
_UNIT: Struct = {1: _NOTHING, 2: _NOTHING, 3: _NOTHING}
_CLOCK: Struct = {1: BOOL, 2: _UNIT}
_LOGICAL: Struct = {
    1: _NOTHING,  # text
    5: {1: I32, 2: I32},  # decimal: scale, precision
    6: _NOTHING,  # date
    7: _CLOCK,  # time
    8: _CLOCK,  # timestamp
    10: {1: I8, 2: BOOL},  # integer: bits, signed
    11: _NOTHING,  # always null
    14: _NOTHING,  # UUID
    15: _NOTHING,  # half-precision number
}
_ELEMENT: Struct = {
    1: I32,  # physical type
    2: I32,  # length of fixed bytes
    3: I32,  # repetition
    4: BINARY,  # name
    5: I32,  # children
    6: I32,  # converted type
    7: I32,  # scale
    8: I32,  # precision
    10: _LOGICAL,
}
_STATISTICS: Struct = {
    1: BINARY,  # largest, in the old field
    2: BINARY,  # least, in the old field
    3: I64,  # nulls
    5: BINARY,  # largest
    6: BINARY,  # least
    7: BOOL,  # largest is exact
    8: BOOL,  # least is exact
}
_COLUMN: Struct = {
    1: I32,  # physical type
    2: List(I32),  # encodings
    3: List(BINARY),  # name
    4: I32,  # codec
    5: I64,  # values
    6: I64,  # uncompressed size
    7: I64,  # compressed size
    9: I64,  # where the first data page is
    11: I64,  # where the dictionary is
    12: _STATISTICS,
    13: List({1: I32, 2: I32, 3: I32}),  # pages by kind and encoding
    16: {1: I64, 2: List(I64), 3: List(I64)},  # bytes of texts; levels
}
_GROUP: Struct = {
    1: List({2: I64, 3: _COLUMN}),
    2: I64,  # uncompressed size
    3: I64,  # rows
    5: I64,  # where it is
    6: I64,  # compressed size
    7: I16,  # which one it is
}
FILE: Struct = {
    1: I32,  # version
    2: List(_ELEMENT),
    3: I64,  # rows
    4: List(_GROUP),
    5: List({1: BINARY, 2: BINARY}),  # notes: known here, to be refused by their name
    6: BINARY,  # by whom
    7: List({1: _NOTHING}),  # how values are ordered
}
"""The footer."""
PAGE: Struct = {
    1: I32,  # kind
    2: I32,  # uncompressed size
    3: I32,  # compressed size
    5: {1: I32, 2: I32, 3: I32, 4: I32, 5: _STATISTICS},
    7: {1: I32, 2: I32, 3: BOOL},
}
"""The head of a page of data or of a dictionary."""
