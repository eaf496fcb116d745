"""Small text files that people give, plans and lists: one door that nothing can block or flood."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["read_text"]

_LARGEST = 64 << 20


def read_text(path: Path) -> str:
    """Read a file of UTF-8 text, with or without a byte order mark.

    Raises
    ------
    OSError
        If it cannot be read, is no ordinary file, or is larger than any list that people write.
        A pipe without a writer would be waited for, and a device read, for ever.
    UnicodeDecodeError
        If it is not UTF-8 text.
    """
    # Without O_NONBLOCK, opening a pipe waits for somebody to write into it.
    opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(opened, "rb") as file:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError(0, "it is not an ordinary file")
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise OSError(0, f"it is larger than {_LARGEST >> 20} MB")
    return content.decode("utf-8-sig")
