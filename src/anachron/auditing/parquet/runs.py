"""Whole numbers in runs and packs of bits: exactly as many as there must be, and nothing behind.

The hybrid encoding of levels, indexes and flags. A run is a count and a value; a pack is a number
of groups of eight values. The last pack may be filled up, with zeros.
"""

from __future__ import annotations

from anachron.auditing.parquet.thrift import Beside

__all__ = ["walk_runs"]


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
