"""Sensitive values as the ledger and the reader know them: by value, not by type.

A value is known by one text. A number is written with all its digits and no more (7, 0.5), whatever
its type; a time by its date if it is midnight, else with the seconds and their fraction as far as
need be, in UTC if it has a zone. A text stands for itself: 7 and "7" are the same, "7.0" is not.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from datetime import time
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.errors import Problem, TableError

__all__ = [
    "UNREADABLE",
    "as_kind",
    "by_value",
    "is_text",
    "kind_from_text",
    "kind_to_text",
    "typed",
]

UNREADABLE = (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError, ArithmeticError)
"""What :func:`typed` and :func:`by_value` raise where a value cannot be one."""


def by_value(values: pa.Array) -> pa.Array:
    """The text that stands for each value: equal values have equal texts, whatever their type."""
    kind = values.type
    if pa.types.is_floating(kind):
        # The fewest digits that tell a number from all others of its type.
        texts = values.fill_null(0).cast(pa.string()).to_pylist()
        return _where_valid(values, [_number(text) for text in texts])
    if pa.types.is_decimal(kind):
        return _where_valid(values, [_number(str(n)) for n in values.fill_null(0).to_pylist()])
    if pa.types.is_timestamp(kind):
        plain = values.cast(pa.timestamp(kind.unit, "UTC")).cast(pa.int64())
        texts = plain.cast(pa.timestamp(kind.unit)).cast(pa.string())
        return pc.replace_substring_regex(_short(texts), " 00:00:00$", "")
    if pa.types.is_date64(kind):
        return values.cast(pa.date32()).cast(pa.string())
    return _short(values.cast(pa.string())) if pa.types.is_time(kind) else values.cast(pa.string())


def typed(texts: Sequence[str], kind: pa.DataType) -> pa.Array:
    """Give values of a type, from the texts by which the ledger knows them.

    Raises ValueError, or an error of Arrow, where a text is no value of the type.
    """
    if pa.types.is_time(kind):  # which Arrow writes as text but does not read
        return pa.array([time.fromisoformat(text) for text in texts], kind)
    if pa.types.is_timestamp(kind):
        found = pa.array([text.removesuffix("Z") for text in texts], pa.string())
        plain = found.cast(pa.timestamp(kind.unit))
        return plain if kind.tz is None else pc.assume_timezone(plain, "UTC").cast(kind)
    if pa.types.is_date(kind):
        days = [re.sub(r" 00:00:00(\.0+)?Z?$", "", text) for text in texts]
        return pa.array(days, pa.string()).cast(pa.date32()).cast(kind)
    if pa.types.is_integer(kind):
        numbers = [Decimal(text) for text in texts]
        if any(number != int(number) for number in numbers):
            raise ValueError
        return pa.array([int(number) for number in numbers], kind)
    if pa.types.is_decimal(kind):
        return pa.array([Decimal(_number(text)) for text in texts], kind)
    return pa.array(texts, pa.string()).cast(kind)


def as_kind(values: pa.Array, kind: pa.DataType, column: str) -> pa.Array:
    """Give a column in the type that it had before, where all its values are of that type."""
    if values.type == kind:
        return values
    coded = values.dictionary_encode()
    try:
        if is_text(values.type) != is_text(kind):
            raise ValueError
        texts = by_value(coded.dictionary)
        before = typed(texts.to_pylist(), kind)
        if not by_value(before).equals(texts):
            raise ValueError
    except UNREADABLE:
        raise TableError(
            Problem(
                "has another type than in the snapshots before, and values that are none of that "
                "type.",
                column=column,
                remedy="Give every snapshot in the same format.",
            )
        ) from None
    return before.take(coded.indices)


def is_text(kind: pa.DataType) -> bool:
    """Whether values of this type are texts."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def kind_to_text(kind: pa.DataType) -> str:
    """Write a type down, whatever its parameters."""
    content = pa.schema([pa.field("value", kind)]).serialize().to_pybytes()
    return base64.b64encode(content).decode()


def kind_from_text(text: str) -> pa.DataType:
    """Read back what :func:`kind_to_text` wrote."""
    return pa.ipc.read_schema(pa.BufferReader(base64.b64decode(text))).field(0).type


def _number(text: str) -> str:
    """Write a number with all its digits and no more."""
    number = Decimal(text)
    if not number.is_finite():
        return text
    plain = format(number, "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "0" if plain == "-0" else plain


def _short(texts: pa.Array) -> pa.Array:
    """Leave out zeros that a fraction of a second ends with."""
    return pc.replace_substring_regex(texts, r"\.0+$|(\.\d*[1-9])0+$", r"\1")


def _where_valid(values: pa.Array, texts: list[str]) -> pa.Array:
    return pa.array(texts, pa.string(), mask=np.asarray(values.is_null()))
