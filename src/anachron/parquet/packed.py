"""What is packed in a page: one frame, runs of numbers, and nothing behind them.

A decoder of Zstandard (RFC 8878) takes several frames one after the other, and skips frames that
are marked to be skipped: the place for any amount of other data.

Levels, indexes and flags are whole numbers in runs and packs of bits. A run is a count and a value;
a pack is a number of groups of eight values. The last pack may be filled up, with zeros.
"""

from __future__ import annotations

import pyarrow as pa

from anachron.parquet.thrift import Beside

__all__ = ["unpacked", "walk_runs"]

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


def walk_runs(data: memoryview, width: int, values: int) -> None:
    """Walk over all runs; refuse what is too short, too long, empty or padded with anything."""
    at, left, end = 0, values, len(data)
    size = (width + 7) // 8
    try:
        # A page may have thousands of runs: this loop is kept short.
        while left > 0:
            head = data[at]
            at += 1
            if head >= 128:
                head, at = _long(data, head, at)
            if head < 2:
                raise Beside("a run of no values")
            if head & 1:
                left -= (head >> 1) * 8
                at += (head >> 1) * width
            else:
                left -= head >> 1
                at += size
                if data[at - 1] >> (width - 8 * (size - 1)) if size else False:
                    raise Beside("a run of a value that cannot be")
    except IndexError:
        raise Beside("a page that ends before it is complete") from None
    if at != end:
        raise Beside(f"{end - at:,} bytes behind the values of a page")
    if left < 0:
        _check_filling(data, head, width, -left)


def _long(data: memoryview, head: int, at: int) -> tuple[int, int]:
    """A head of several bytes, in its shortest form."""
    value, shift, byte = head & 127, 7, head
    while byte >= 128:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if shift > 42:
            raise Beside("a run that is too long")
    if not byte:
        raise Beside("a number that is not written in its shortest form")
    return value, at


def _check_filling(data: memoryview, head: int, width: int, more: int) -> None:
    """The values behind the last one, of a pack that was filled up: fewer than eight zeros."""
    if not head & 1 or more > 7:
        raise Beside("more values than rows")
    group = int.from_bytes(data[len(data) - width :], "little")
    if group >> (8 - more) * width:
        raise Beside("values behind the last one")
