"""Tables that lie elsewhere: a web server, or an object store, by the file systems of Arrow.

A file, or all files of a folder or pattern of a store, is copied into a private folder, read there,
and removed. Who may read it is told by the environment, as the tools of its provider expect it, and
never by its address.
"""

from __future__ import annotations

import shutil
import urllib.error
import urllib.request
from collections.abc import Sequence
from fnmatch import fnmatchcase
from glob import has_magic
from itertools import takewhile
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pyarrow as pa
from pyarrow import fs

from anachron.errors import TableError

__all__ = ["REMOTE", "fetch"]

REMOTE = ("https", "http", "s3", "gs", "gcs", "abfs", "abfss")
"""Schemes of addresses of files."""
_HERE = ("localhost", "127.0.0.1", "::1")
_PATIENCE = 60


def fetch(address: str, folder: Path) -> Path:
    """Copy a file, or the files of a folder or pattern of a store, and say where they are now."""
    parts = urlsplit(address)
    # What follows a question mark in the address of a store is how to reach it.
    path = unquote(parts.path)
    name = path.rstrip("/").rpartition("/")[2]
    of_web = parts.scheme in ("https", "http")
    if "\0" in path or (of_web and (path.endswith("/") or not name or has_magic(path))):
        raise TableError(
            "the address names no file, and a web server does not list what it has.",
            remedy="Give one file; copy the files of a folder or pattern first.",
        )
    if not of_web and "?" in address and not all("=" in how for how in parts.query.split("&")):
        raise TableError(
            "what follows a question mark in the address of a store is how to reach it.",
            name,
            remedy="Write %3F for any one character of a pattern, or use *.",
        )
    if parts.scheme == "http" and parts.hostname not in _HERE:
        raise TableError(
            "the address is not encrypted: others could read the table on its way.",
            name,
            remedy="Use https.",
        )
    try:
        if not of_web:
            return _stored(address, folder)
        # The scheme is one of two.
        with urllib.request.urlopen(address, timeout=_PATIENCE) as found:  # noqa: S310
            _copy(found, folder / name)
    except (OSError, urllib.error.URLError, pa.ArrowException, ValueError):
        raise TableError(
            "cannot be read from its address.",
            name or None,
            remedy="Check the address, that the server answers, and that the environment holds "
            "what it asks for, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        ) from None
    return folder / name


def _stored(address: str, folder: Path) -> Path:
    """Copy what lies in an object store: one file, or the files of a folder or pattern."""
    # Arrow knows one name for Google's store, and wants spaces, brackets and accents escaped.
    written = quote(address, safe="%/:@?&=*!$'()+,;~").replace("gcs://", "gs://", 1)
    store, found = fs.FileSystem.from_uri(written)
    path: str = found.rstrip("/")
    steps = path.split("/")
    plain = list(takewhile(lambda step: not has_magic(step), steps))
    if plain == steps and store.get_file_info(path).type == fs.FileType.File:
        _copied(store, path, folder / steps[-1])
        return folder / steps[-1]
    for one in store.get_file_info(fs.FileSelector("/".join(plain), recursive=True)):
        inside = plain == steps or _matches(one.path.split("/"), steps)
        if inside and one.type == fs.FileType.File:
            # Folders may be columns, so files keep the path that they have.
            _copied(store, one.path, folder / one.path)
    return folder / path


def _matches(path: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether a pattern means a path, step by step; two stars are any number of steps."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_matches(path[at:], pattern[1:]) for at in range(len(path) + 1))
    here = bool(path) and fnmatchcase(path[0], pattern[0])
    return here and _matches(path[1:], pattern[1:])


def _copied(store: fs.FileSystem, path: str, target: Path) -> None:
    if ".." in path.split("/"):
        raise ValueError("a name that leads elsewhere")
    target.parent.mkdir(parents=True, exist_ok=True)
    with store.open_input_stream(path) as found:
        _copy(found, target)


def _copy(found: Any, target: Path) -> None:
    with target.open("wb") as copy:
        shutil.copyfileobj(found, copy, 1 << 20)
