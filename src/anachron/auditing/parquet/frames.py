"""One Zstandard frame and nothing behind it (RFC 8878).

A decoder takes several frames one after the other, and skips frames that are marked to be skipped:
the place for any amount of other data.
"""

from __future__ import annotations

import pyarrow as pa

from anachron.auditing.parquet.thrift import Beside

__all__ = ["unpacked"]

_MAGIC = bytes.fromhex("28b52ffd")
_CODEC = pa.Codec("zstd")
_RUN = 1
_RESERVED = 3


def unpacked(body: memoryview, size: int) -> memoryview:
    """Give what a frame holds; refuse if it is not one frame of that size."""
    if not size and not len(body):
        return body
    try:
        stated, end = _extent(body)
    except IndexError:
        raise Beside("a compressed block that ends before it is complete") from None
    if end != len(body):
        raise Beside(f"{len(body) - end:,} bytes behind what is compressed")
    if stated != size:
        raise Beside("compressed data of another size than stated")
    return memoryview(_CODEC.decompress(body, decompressed_size=size)).cast("B")


def _extent(body: memoryview) -> tuple[int, int]:
    """The size of the content that a frame states, and where the frame ends."""
    if bytes(body[:4]) != _MAGIC:
        raise Beside("data that is not compressed as stated")
    head = body[4]
    single, checked = head >> 5 & 1, head >> 2 & 1
    if head & 0b11011:  # a dictionary of its own, or bits that must be zero
        raise Beside("compressed data in a form that Anachron does not use")
    at = 5 if single else 6
    width = (0 if not single else 1, 2, 4, 8)[head >> 6]
    if not width:
        raise Beside("compressed data that does not state its size")
    stated = int.from_bytes(body[at : at + width], "little") + (256 if width == 2 else 0)
    at += width
    last = 0
    while not last:
        block = body[at] | body[at + 1] << 8 | body[at + 2] << 16
        last, kind, length = block & 1, block >> 1 & 3, block >> 3
        if kind == _RESERVED:
            raise Beside("compressed data in a form that Anachron does not use")
        at += 3 + (1 if kind == _RUN else length)
    return stated, at + 4 * checked
