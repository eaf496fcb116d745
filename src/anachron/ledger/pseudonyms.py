"""Subjects as keyed digests: the same person is recognised, and nobody without the key can."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import pyarrow as pa

__all__ = ["PSEUDONYM", "SUBJECT", "VALUE", "pseudonyms"]

PSEUDONYM = pa.binary(32)
SUBJECT, VALUE = b"subject\0", b"value\0"
"""What is digested: a subject and a sensitive value that are written alike differ."""


def pseudonyms(
    key: bytes, values: pa.Array | pa.ChunkedArray, purpose: bytes = SUBJECT
) -> pa.Array:
    """Digest each value with HMAC-SHA256; a missing value stays missing.

    A person has one pseudonym however the table was stored: 7 in Parquet, ``"7"`` in CSV and
    7.0 in a data frame with gaps are the same, as are a text with and without blanks around
    it, and the two ways of Unicode to write é.
    """
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.DictionaryArray):
        values = values.dictionary_encode()
    digest = _keyed(key, purpose)
    known = pa.array(
        [None if form is None else digest(form) for form in _forms(values.dictionary)], PSEUDONYM
    )
    return known.take(values.indices)


def _keyed(key: bytes, purpose: bytes) -> Callable[[bytes], bytes]:
    """HMAC-SHA256 as RFC 2104 defines it, with the work on the key done once for all."""
    block = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block) + purpose)
    outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in block))

    def digest(message: bytes) -> bytes:
        inside, outside = inner.copy(), outer.copy()
        inside.update(message)
        outside.update(inside.digest())
        return outside.digest()

    return digest


def _forms(values: pa.Array) -> Iterable[bytes | None]:
    """Write each value in the one form that stands for the person."""
    if pa.types.is_integer(values.type):
        return list(values.cast(pa.string()).cast(pa.binary()).to_pylist())
    return (None if value is None else _text(value).encode() for value in values.to_pylist())


def _text(value: Any) -> str:
    if isinstance(value, str):
        return (value if value.isascii() else unicodedata.normalize("NFC", value)).strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return str(int(value))
    return str(value)
