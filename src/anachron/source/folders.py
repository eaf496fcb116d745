"""Folders and patterns of files that are one table; folders such as ``year=2024`` are columns."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from anachron.errors import TableError
from anachron.source.base import check_opens

__all__ = ["Piece", "is_many", "pieces_of"]

_NOTHING = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class Piece:
    """One file of a table, and what the folders that it lies in say of all its rows."""

    file: Path
    keys: Mapping[str, str | None] = field(default_factory=dict)


def is_many(where: Path) -> bool:
    """Whether a path is a folder or a pattern."""
    return where.is_dir() or (not where.exists() and glob.has_magic(str(where)))


def pieces_of(where: Path, endings: Sequence[Sequence[str]]) -> list[Piece]:
    """The files of a folder or pattern, in the order of their names, all of one kind of ending."""
    if where.is_dir():
        root, found = where, _walked(where)
    else:
        root = Path(where.anchor)
        found = sorted(root.glob(str(where.relative_to(root))))
    if any("_delta_log" in path.parts for path in found):
        raise TableError(
            "is a Delta table: some of its files may not belong to it any more.",
            where.name,
            remedy="Write its present state as Parquet, and give that.",
        )
    kinds = [
        [path for path in found if path.name.lower().endswith(tuple(some)) and not path.is_dir()]
        for some in endings
    ]
    several = [files for files in kinds if files]
    if not several:
        raise TableError(
            "holds no table." if where.is_dir() else "matches no table.",
            where.name,
            remedy="Give one file, or a folder or pattern of Parquet, CSV or JSON lines files.",
        )
    if len(several) > 1:
        raise TableError(
            "holds files of several kinds.",
            where.name,
            remedy="Say which are meant by a pattern, such as 'folder/*.csv'.",
        )
    for file in several[0]:
        if not file.is_file():
            raise TableError(
                "is not an ordinary file.", file.name, remedy="Remove it, or put a file there."
            )
        check_opens(file)
    return _agreed([Piece(file, _keys(file, root)) for file in several[0]], where)


def _walked(folder: Path) -> list[Path]:
    """All files below a folder. What cannot be listed would be missing without a word."""

    def refuse(error: OSError) -> None:
        raise TableError(
            f"a folder in it cannot be listed: {error.strerror}.",
            folder.name,
            remedy="Ask its owner for the right to.",
        ) from None

    found: list[Path] = []
    for here, folders, files in os.walk(folder, onerror=refuse):
        if any(Path(here, name).is_symlink() for name in folders):
            raise TableError(
                "holds a link to another folder, which is not followed.",
                folder.name,
                remedy="Put the files themselves there, or remove the link.",
            )
        found += [Path(here, name) for name in files]
    return sorted(found)


def _keys(file: Path, root: Path) -> dict[str, str | None]:
    folders = [part.partition("=") for part in file.relative_to(root).parts[:-1]]
    told = {unquote(key): unquote(value) for key, mark, value in folders if mark}
    return {key: None if value == _NOTHING else value for key, value in told.items()}


def _agreed(parts: list[Piece], where: Path) -> list[Piece]:
    for part in parts:
        if part.keys.keys() != parts[0].keys.keys():
            raise TableError(
                "its folders do not name the same columns for all files.",
                where.name,
                remedy="Give every file a folder for each of them, such as year=2024.",
            )
    return parts
