"""Files of every kind, damaged byte by byte."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from tests.fire.good import FORMATS
from tests.fire.made import Class, Made

__all__ = ["damaged"]


def _flip(luck: Random, content: bytearray, many: int = 1) -> bytes:
    for _ in range(many):
        content[luck.randrange(len(content))] ^= 1 << luck.randrange(8)
    return bytes(content)


def _within(luck: Random, content: bytes) -> tuple[int, int]:
    start = luck.randrange(len(content))
    return start, min(len(content), start + 1 + luck.randrange(64))


def _zeros(luck: Random, content: bytearray) -> bytes:
    start, end = _within(luck, content)
    content[start:end] = bytes(end - start)
    return bytes(content)


def _cut(luck: Random, content: bytearray) -> bytes:
    start, end = _within(luck, content)
    return bytes(content[:start] + content[end:])


def _twice(luck: Random, content: bytearray) -> bytes:
    start, end = _within(luck, content)
    return bytes(content[:end] + content[start:])


def _noise(luck: Random, content: bytearray) -> bytes:
    start, _ = _within(luck, content)
    return bytes(content[:start] + luck.randbytes(1 + luck.randrange(64)) + content[start:])


def _number(luck: Random, content: bytearray) -> bytes:
    """A length, a count or an offset becomes an extreme one."""
    start = luck.randrange(max(1, len(content) - 8))
    extreme = luck.choice(
        [b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\xff" * 8, b"\xfe\xff\xff\xff\x0f"]
    )
    content[start : start + len(extreme)] = extreme
    return bytes(content)


def _at_the_end(luck: Random, content: bytearray) -> bytes:
    """Where Parquet, Arrow and archives say what they hold."""
    start = max(0, len(content) - 400)
    return bytes(content[:start]) + _flip(luck, content[start:], 2)


DAMAGES: dict[str, Callable[[Random, bytearray], bytes]] = {
    "a bit flipped": _flip,
    "bits flipped": lambda luck, content: _flip(luck, content, 2 + luck.randrange(20)),
    "truncated": lambda luck, content: bytes(content[: luck.randrange(1, len(content))]),
    "zeros": _zeros,
    "bytes cut out": _cut,
    "bytes twice": _twice,
    "noise inside": _noise,
    "extreme numbers": _number,
    "bits flipped at the end": _at_the_end,
}
_ARCHIVES = ("xlsx", "ods")


def _inside(luck: Random, content: bytes) -> bytes:
    """Damage a part of an archive, which is whole otherwise."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        names = [name for name in old.namelist() if not name.startswith("docProps")]
        hit = luck.choice(names)
        for name in names:
            part = bytearray(old.read(name))
            if name == hit and part:
                part = bytearray(luck.choice(list(DAMAGES.values()))(luck, part))
            new.writestr(name, bytes(part))
    return out.getvalue()


def damaged(folder: Path) -> Iterator[tuple[str, Class]]:
    """A class for every kind of file and of damage."""
    for kind, (table, options, make) in FORMATS.items():
        content = make(folder)
        # A database of DuckDB is half a MB of which little is used.
        damages = dict(DAMAGES)
        if kind in _ARCHIVES:
            damages["a part damaged"] = lambda luck, content: _inside(luck, bytes(content))
        for name, damage in damages.items():
            yield f"{kind}: {name}", _class(table, options, content, damage)


def _class(
    table: str, options: str, content: bytes, damage: Callable[[Random, bytearray], bytes]
) -> Class:
    file = table.rpartition("#")[0].partition(":")[2] or table
    key, _, value = options.partition(" = ")
    told = {key: value.strip('"')} if key else {}

    def make(luck: Random, folder: Path) -> Made:
        (folder / file).write_bytes(damage(luck, bytearray(content)))
        return Made(table, told)

    return make
