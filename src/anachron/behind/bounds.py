"""How much so many bytes may become: a table is refused before a bomb goes off."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from anachron.behind.folders import files_of
from anachron.errors import Problem, TableError
from anachron.plan import Source

__all__ = ["refuse_bomb", "size_of"]

_ROWS, _ROWS_PER_BYTE = 10**7, 16
_TEXT, _TEXT_PER_BYTE = 10**9, 200


def size_of(how: Source | None, held: pa.Table | None) -> int | None:
    """The bytes in which a table is stored; None if nobody can tell."""
    if how is None:
        return None if held is None else int(held.nbytes)
    place = Path(how.table).expanduser()
    files = [] if "://" in how.table or "#" in how.table else files_of(place, ("",))
    return sum(file.stat().st_size for file in files) or None


def refuse_bomb(rows: int, texts: int, size: int | None, name: str) -> None:
    """Refuse more rows, or more bytes of text, than a table of so many bytes has."""
    if size is None:
        return
    if (rows > _ROWS and rows > size * _ROWS_PER_BYTE) or (
        texts > _TEXT and texts > size * _TEXT_PER_BYTE
    ):
        raise TableError(
            Problem(
                "would become far more than a table of its size is.",
                name,
                remedy="Check what wrote it.",
            )
        )
