"""Packed files: how large they may become, looked at before they are unpacked."""

from __future__ import annotations

import codecs
import gzip
import io
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from anachron.errors import TableError

__all__ = ["MOST_BYTES", "check_archive", "check_packed", "packing", "transcode", "unpacked"]

MOST_BYTES = 2 << 30
"""A spreadsheet with more bytes than this, unpacked, is not one that a program wrote for people."""
MOST_TIMES = 200
"""A text file that unpacks to more than so many times its size, and more than a GB, is a trap."""
_LARGE = 1 << 30
_PACKINGS = {".gz": "gzip", ".zst": "zstd"}
_OLD = b"\xd0\xcf\x11\xe0"
_BLOCK = 1 << 20


def check_archive(file: Path, name: str) -> None:
    """Refuse what is no archive, is damaged, or unpacks to more than it may or says."""
    with file.open("rb") as stream:
        start = stream.read(4)
    if start == _OLD:
        raise TableError(
            "is protected by a password, or in the format of Excel before 2007.",
            name,
            remedy="Open it, remove the password, and save it as .xlsx.",
        )
    try:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
            if sum(part.file_size for part in parts) > MOST_BYTES:
                raise TableError(
                    f"would unpack to more than {MOST_BYTES >> 30} GB.",
                    name,
                    remedy="Save the table as CSV or Parquet.",
                )
            # What is read is at most what is declared; more or less is an error.
            for part in parts:
                with archive.open(part) as content:
                    while content.read(_BLOCK):
                        pass
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError):
        raise TableError(
            "is damaged, or not what its name says.",
            name,
            remedy="Open it with the program that wrote it, and save it again.",
        ) from None


def packing(name: str) -> str:
    """How a file is packed, by its name: ``none``, ``gzip`` or ``zstd``."""
    return next((how for end, how in _PACKINGS.items() if name.lower().endswith(end)), "none")


def unpacked(file: Path, how: str) -> BinaryIO:
    """The bytes of a file, unpacked as they are read."""
    if how == "gzip":
        return gzip.open(file)  # type: ignore[return-value]
    if how == "zstd":
        return io.BufferedReader(pa.input_stream(str(file), compression="zstd"))
    return file.open("rb")


def check_packed(file: Path, name: str) -> None:
    """Refuse a packed file that is damaged, or unpacks to far more than tables do."""
    how = packing(name)
    if how == "none":
        return
    most = max(_LARGE, MOST_TIMES * file.stat().st_size)
    seen = 0
    try:
        with unpacked(file, how) as stream:
            while block := stream.read(_BLOCK):
                seen += len(block)
                if seen > most:
                    raise TableError(
                        f"unpacks to more than {MOST_TIMES} times its size.",
                        name,
                        remedy="If it is a table all the same, unpack it, and give what comes out.",
                    )
    except (OSError, EOFError, zlib.error, pa.ArrowException):
        raise TableError(
            "cannot be unpacked or opened.",
            name,
            remedy="Check that the file is whole, and packed as its name says.",
        ) from None


def transcode(file: Path, name: str, encoding: str, to: Path) -> None:
    """Write a text file once more, unpacked and as UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="strict")
    row = 0
    with unpacked(file, packing(name)) as stream, to.open("wb") as other:
        while True:
            block = stream.read(_BLOCK)
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                before = codecs.decode(error.object[: error.start], encoding, "ignore")
                row += before.count("\n")
                raise TableError(
                    f"{'the row' if row else 'the header'} has bytes that are not {encoding}.",
                    name,
                    row=row or None,
                    remedy="Check encoding: how the program that wrote the file writes text.",
                ) from None
            except UnicodeError:  # of UTF-16, before the first sign
                raise TableError(
                    "does not begin with the mark that tells the order of its bytes.",
                    name,
                    remedy="Check encoding, or save it as UTF-8.",
                ) from None
            row += text.count("\n")
            other.write(text.removeprefix("\ufeff").encode())
            if not block:
                return
