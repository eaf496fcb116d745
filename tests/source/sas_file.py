"""A file of SAS (.sas7bdat), written by hand: small-endian, 32 bits, UTF-8, not packed.

A head, a page that describes the columns, and pages of rows. What each part holds was found out by
others, since SAS never said it; both readers of the project have to agree on what is in it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["sas"]

_MAGIC = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
_HEAD, _PAGE = 1024, 4096
_MISSING = struct.pack("<Q", 0xFFFFFE0000000000)


def sas(
    file: Path, columns: Mapping[str, Sequence[object]], formats: Mapping[str, str] | None = None
) -> Path:
    """Write columns of texts, or of numbers, with the formats in which SAS shows them."""
    names, rows = list(columns), [*zip(*columns.values(), strict=True)]
    sizes = [_size(values) for values in columns.values()]
    record = sum(size for size, _ in sizes)
    text, places = _texts([*names, *(formats or {}).values()])
    shown = {name: places[how] for name, how in (formats or {}).items()}
    parts = [
        _row_size(record, len(rows), len(names)),
        struct.pack("<4sII", b"\xf6" * 4, len(names), 0),
        _sized(b"\xfd\xff\xff\xff", text),
        _sized(b"\xff\xff\xff\xff", b"".join(_reference(places[name]) for name in names), 6),
        _sized(b"\xfc\xff\xff\xff", b"".join(_attributes(sizes)), 6),
        *(_shown(shown.get(name)) for name in names),
    ]
    pages = [_described(parts), *_filled([_record(row, sizes) for row in rows], record)]
    file.write_bytes(_head(len(pages)) + b"".join(pages))
    return file


def _size(values: Sequence[object]) -> tuple[int, bool]:
    """How many bytes each value takes, and whether it is a number."""
    if any(isinstance(value, str) for value in values):
        return max(len(str(value or "").encode()) for value in values) or 1, False
    return 8, True


def _head(pages: int) -> bytes:
    head = bytearray(_HEAD)
    head[:32] = _MAGIC
    head[32], head[35], head[37], head[39] = 0x22, 0x22, 0x01, 0x31
    head[70] = 20
    head[84:92] = b"SAS FILE"
    head[92:156] = b"VISITS".ljust(64)
    head[156:164] = b"DATA    "
    struct.pack_into("<dd", head, 164, 2.0e9, 2.0e9)
    struct.pack_into("<III", head, 196, _HEAD, _PAGE, pages)
    head[216:224] = b"9.0401M6"
    head[224:240] = b"Linux".ljust(16, b"\0")
    return bytes(head)


def _texts(texts: Sequence[str]) -> tuple[bytes, dict[str, tuple[int, int]]]:
    """All texts one after the other, and where each is, from the size of the block on."""
    block, places = bytearray(28), {}
    for text in texts:
        places[text] = (len(block) + 2, len(text.encode()))
        block += text.encode()
        block += b"\0" * (-len(block) % 4)
    return bytes(block), places


def _sized(mark: bytes, content: bytes, before: int = 0) -> bytes:
    """A part of the description that says how long it is."""
    content = b"\0" * before + content
    length = 4 + 2 + len(content) + 8
    return mark + struct.pack("<H", length - 12) + content + b"\0" * 8


def _row_size(record: int, rows: int, columns: int) -> bytes:
    part = bytearray(480)
    part[:4] = b"\xf7" * 4
    struct.pack_into("<II", part, 20, record, rows)
    struct.pack_into("<II", part, 36, columns, 0)
    struct.pack_into("<I", part, 52, _PAGE)
    return bytes(part)


def _reference(place: tuple[int, int]) -> bytes:
    return struct.pack("<HHHH", 0, place[0], place[1], 0)


def _attributes(sizes: Sequence[tuple[int, bool]]) -> list[bytes]:
    at, found = 0, []
    for size, is_number in sizes:
        found.append(struct.pack("<IIHBB", at, size, 4, 1 if is_number else 2, 0))
        at += size
    return found


def _shown(place: tuple[int, int] | None) -> bytes:
    part = bytearray(52)
    part[:4] = b"\xfe\xfb\xff\xff"
    if place is not None:
        struct.pack_into("<HHH", part, 34, 0, *place)
    return bytes(part)


def _described(parts: Sequence[bytes]) -> bytes:
    """The page of the description: where its parts are, and they from its end backwards."""
    page, end = bytearray(_PAGE), _PAGE
    struct.pack_into("<HHH", page, 16, 0, len(parts), len(parts))
    for number, part in enumerate(parts):
        end -= len(part) + (-len(part) % 4)
        page[end : end + len(part)] = part
        struct.pack_into("<IIBBH", page, 24 + 12 * number, end, len(part), 0, 0, 0)
    return bytes(page)


def _record(row: Sequence[object], sizes: Sequence[tuple[int, bool]]) -> bytes:
    cells = []
    for value, (size, is_number) in zip(row, sizes, strict=True):
        if is_number:
            cells.append(_MISSING if value is None else struct.pack("<d", value))
        else:
            cells.append(str(value or "").encode().ljust(size))
    return b"".join(cells)


def _filled(records: Sequence[bytes], size: int) -> list[bytes]:
    """Pages of rows."""
    many = (_PAGE - 24) // size
    pages = []
    for first in range(0, len(records), many):
        some = records[first : first + many]
        page = bytearray(_PAGE)
        struct.pack_into("<HHH", page, 16, 0x0100, len(some), 0)
        page[24 : 24 + size * len(some)] = b"".join(some)
        pages.append(bytes(page))
    return pages
