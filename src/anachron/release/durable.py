"""Everything that must survive a power cut: files, folders and moves.

Only SQLite and this module write a release or a ledger, so a test that makes the n-th
operation here fail, for every n, covers them all.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from anachron import steps
from anachron.errors import AnachronError

__all__ = [
    "DurableFile",
    "digest_of",
    "failures_as",
    "make_folder",
    "move",
    "remove",
    "sync_file",
    "sync_folder",
    "write_file",
    "write_text",
]

_BUFFER = 1 << 20
_REMEDIES = {
    errno.ENOSPC: "Free some space and try again.",
    errno.EDQUOT: "Free some space and try again.",
    errno.EMFILE: "Raise the limit of open files and try again.",
    errno.EACCES: "Check who may write there and try again.",
    errno.EPERM: "Check who may write there and try again.",
    errno.EROFS: "Choose a place that can be written to.",
    errno.EIO: "Check the disk before trying again.",
}


@contextmanager
def failures_as(kind: type[AnachronError], doing: str) -> Iterator[None]:
    """Turn a failure of the operating system into an error that says what failed."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        place = f" ({error.filename})" if error.filename else ""
        known = _REMEDIES.get(error.errno or 0, "Try again when the cause is removed.")
        remedy = getattr(error, "remedy", known)  # a store knows better what helps
        raise kind(f"{doing} failed: {reason}{place}. {remedy}") from error


class DurableFile(io.RawIOBase):
    """A new file that is digested while it is written, and on disk once finished.

    The file must not exist yet. Until :meth:`finish` returns, nothing is promised.
    """

    def __init__(self, path: Path, mode: int = 0o666, modified: int | None = None) -> None:
        super().__init__()
        self.path = path
        self.bytes = 0
        self._hash = hashlib.sha256()
        self._buffer = bytearray()
        self._modified = modified
        self._abandoned = False
        steps.reached("create file")
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        steps.reached("created file")

    @property
    def sha256(self) -> str:
        """The digest of what was written so far."""
        return self._hash.hexdigest()

    def writable(self) -> bool:
        """Tell file-like callers that this file takes bytes."""
        return True

    def write(self, data: object) -> int:
        """Take some bytes; they reach the disk in blocks of fixed size."""
        view = memoryview(data)  # type: ignore[arg-type]  # typeshed's Buffer needs Python 3.12
        if not self._abandoned:
            self._buffer += view
            if len(self._buffer) >= _BUFFER:
                self._empty()
        return view.nbytes

    def finish(self) -> str:
        """Put everything on disk, close, and return the digest."""
        self._empty()
        if self._modified is not None:
            os.utime(self.path, (self._modified, self._modified))
        steps.reached("sync file")
        os.fsync(self._file)
        steps.reached("synced file")
        self.close()
        return self.sha256

    def abandon(self) -> None:
        """Write no more: what is still sent here is thrown away."""
        self._abandoned = True
        self._buffer.clear()

    def close(self) -> None:
        """Let go of the file without any promise about its content."""
        if not self.closed:
            super().close()
            # __init__ may have failed before there was a file to close.
            if "_file" in self.__dict__:
                os.close(self._file)

    def _empty(self) -> None:
        self._hash.update(self._buffer)
        self.bytes += len(self._buffer)
        rest = memoryview(bytes(self._buffer))
        self._buffer.clear()
        while rest:
            steps.reached("write")
            rest = rest[os.write(self._file, rest) :]
            steps.reached("wrote")


def write_file(path: Path, content: bytes, mode: int = 0o666, modified: int | None = None) -> str:
    """Write a new small file and return its digest."""
    file = DurableFile(path, mode, modified)
    try:
        file.write(content)
        return file.finish()
    finally:
        file.close()


def write_text(path: Path, text: str) -> Path:
    """Write a text file for people, in the place of one that is there already."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.new")
    with failures_as(AnachronError, f"Writing {path}"):
        try:
            write_file(aside, text.encode())
            move(aside, path)
        finally:
            remove(aside)
    return path


def sync_file(path: Path) -> None:
    """Make sure that the content of an existing file is on disk."""
    _sync(path, os.O_RDONLY, "file")


def sync_folder(path: Path) -> None:
    """Make sure that the names in a folder are on disk."""
    if os.name == "posix":  # elsewhere folders cannot be opened, and need not be
        _sync(path, os.O_RDONLY | os.O_DIRECTORY, "folder")


def _sync(path: Path, flags: int, kind: str) -> None:
    steps.reached(f"sync {kind}")
    opened = os.open(path, flags)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
    steps.reached(f"synced {kind}")


def make_folder(path: Path, mode: int = 0o777) -> None:
    """Make a folder, and the folders above it, so that they are there after a crash."""
    missing = [path]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for folder in reversed(missing):
        steps.reached("make folder")
        folder.mkdir(mode if folder is path else 0o777)
        sync_folder(folder.parent)
        steps.reached("made folder")


def move(source: Path, target: Path) -> None:
    """Give a file or folder its final name, in one atomic step, for good."""
    steps.reached("move")
    source.replace(target)
    steps.reached("moved")
    sync_folder(target.parent)
    if source.parent != target.parent:
        sync_folder(source.parent)


def remove(path: Path) -> None:
    """Remove a file or a folder with all it holds; it need not be there."""
    steps.reached("remove")
    if path.is_dir() and not path.is_symlink():
        while path.is_dir():
            with suppress(FileNotFoundError):  # somebody else may be removing it, too
                shutil.rmtree(path)
    else:
        with suppress(FileNotFoundError):
            path.unlink()
    steps.reached("removed")


def digest_of(path: Path) -> str:
    """Compute the SHA-256 digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
