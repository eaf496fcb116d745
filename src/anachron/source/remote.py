"""Tables that lie elsewhere: a web server, or an object store, by the file systems of Arrow.

A file is copied into a private folder, read there, and removed. Who may read it is told by the
environment, as the tools of its provider expect it, and never by its address.
"""

from __future__ import annotations

import shutil
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyarrow import fs

from anachron.errors import TableError

__all__ = ["REMOTE", "fetch"]

REMOTE = ("https", "http", "s3", "gs", "gcs", "abfs", "abfss")
"""Schemes of addresses of files."""
_HERE = ("localhost", "127.0.0.1", "::1")
_PATIENCE = 60


def fetch(address: str, folder: Path) -> Path:
    """Copy a file into a folder, under its own name."""
    parts = urlsplit(address)
    name = unquote(parts.path).rpartition("/")[2]
    if not name or any(sign in name for sign in "*?[\0"):
        raise TableError(
            "the address names no file.",
            remedy="Give one file; copy the files of a folder or pattern first.",
        )
    if parts.scheme == "http" and parts.hostname not in _HERE:
        raise TableError(
            "the address is not encrypted: others could read the table on its way.",
            name,
            remedy="Use https.",
        )
    target = folder / name
    try:
        if parts.scheme in ("https", "http"):
            # The scheme is one of two.
            with urllib.request.urlopen(address, timeout=_PATIENCE) as found:  # noqa: S310
                _copy(found, target)
        else:
            store, path = fs.FileSystem.from_uri(address.replace("gcs://", "gs://", 1))
            with store.open_input_stream(path) as found:
                _copy(found, target)
    except (OSError, urllib.error.URLError, pa.ArrowException, ValueError):
        raise TableError(
            "cannot be read from its address.",
            name,
            remedy="Check the address, that the server answers, and that the environment holds "
            "what it asks for, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        ) from None
    return target


def _copy(found: Any, target: Path) -> None:
    with target.open("wb") as copy:
        shutil.copyfileobj(found, copy, 1 << 20)
