"""Subjects as keyed digests: the same person is recognised, and nobody without the key can."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import pyarrow as pa

from anachron.spelling import foldings, joined, parted, trimmed

__all__ = ["PSEUDONYM", "SUBJECT", "VALUE", "Pseudonyms", "pseudonyms"]

PSEUDONYM = pa.binary(32)
SUBJECT, VALUE = b"subject\0", b"value\0"
"""What is digested: a subject and a sensitive value that are written alike differ."""
_AT_ONCE = 1 << 16


def pseudonyms(
    key: bytes,
    values: pa.Array | pa.ChunkedArray,
    purpose: bytes = SUBJECT,
    *,
    folded: bool = False,
) -> pa.Array:
    """Digest each value with HMAC-SHA256; a missing value stays missing.

    A person has one pseudonym however the table was stored: 7 in Parquet, ``"7"`` in CSV and
    7.0 in a data frame with gaps are the same, as are a text with and without blanks around
    it, and the two ways of Unicode to write é. If people are known by their folded names
    (:mod:`anachron.spelling`), so are all spellings of a name. Subjects of several columns are
    bytes, as :func:`anachron.spelling.joined` makes them, and of them this holds of each part.
    """
    return Pseudonyms(key, folded=folded)(values, purpose)


class Pseudonyms:
    """Digests values with one key, and does the same values twice only once.

    A method and the audit after it ask for the same people; most of a release's time would
    go into digesting them again.
    """

    def __init__(self, key: bytes, *, folded: bool = False) -> None:
        self._key = key
        self._folded = folded
        self._last: dict[bytes, tuple[pa.Array, pa.Array]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What goes along where it is sent: not whom it saw last."""
        return {**vars(self), "_last": {}}

    def __call__(self, values: pa.Array | pa.ChunkedArray, purpose: bytes = SUBJECT) -> pa.Array:
        """Digest each value; see :func:`pseudonyms`."""
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        if not isinstance(values, pa.DictionaryArray):
            values = values.dictionary_encode()
        return self._digested(values.dictionary, purpose).take(values.indices)

    def _digested(self, values: pa.Array, purpose: bytes) -> pa.Array:
        last = self._last.get(purpose)
        if last is None or not last[0].equals(values):
            # As objects of Python they take four times as much memory: some at a time.
            starts = range(0, max(len(values), 1), _AT_ONCE)
            parts = [self._some(values.slice(start, _AT_ONCE), purpose) for start in starts]
            last = self._last[purpose] = values, pa.concat_arrays(parts)
        return last[1]

    def _some(self, values: pa.Array, purpose: bytes) -> pa.Array:
        # A value is remembered in the spelling in which it is published, so marks fold nothing.
        forms = _forms(values, purpose, folded=self._folded and purpose == SUBJECT)
        return pa.array(_keyed(self._key, purpose, forms), PSEUDONYM)


def _keyed(key: bytes, purpose: bytes, messages: Iterable[bytes | None]) -> list[bytes | None]:
    """HMAC-SHA256 as RFC 2104 defines it, with the work on the key done once for all."""
    block = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block) + purpose).copy
    outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in block)).copy
    digests: list[bytes | None] = []
    for message in messages:
        if message is None:
            digests.append(None)
            continue
        inside, outside = inner(), outer()
        inside.update(message)
        outside.update(inside.digest())
        digests.append(outside.digest())
    return digests


def _forms(values: pa.Array, purpose: bytes, *, folded: bool) -> Iterable[bytes | None]:
    """Write each value in the one form that stands for the person."""
    if purpose == SUBJECT and pa.types.is_binary(values.type):
        names = foldings(values) if folded else _trimmed_parts(values)
        return list(names.to_pylist())
    if folded and (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        values = foldings(values)
        return list(values.cast(pa.binary()).to_pylist())
    if pa.types.is_integer(values.type):
        return list(values.cast(pa.string()).cast(pa.binary()).to_pylist())
    return (None if value is None else _text(value).encode() for value in values.to_pylist())


def _trimmed_parts(names: pa.Array) -> pa.Array:
    """Joined names, each part as the name of somebody known by it alone would be written."""
    return joined([pa.array(map(trimmed, part.to_pylist()), pa.string()) for part in parted(names)])


def _text(value: Any) -> str:
    if isinstance(value, str):
        return trimmed(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return str(int(value))
    return str(value)
