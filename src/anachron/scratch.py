"""Where work in progress is put aside: private, and gone when the work ends, however it ends.

What does not fit into memory is a person's data on a disk. It goes into a folder of its own, which
only its owner can enter and whose lock is held while the work lasts. A process that is killed
cannot clean up; its lock falls with it, and whoever works here next removes what it left.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from anachron.errors import PlanError

__all__ = ["PLACE", "folder", "sweep"]

PLACE = "ANACHRON_TMP"
"""The environment variable that says where."""
_SYSTEM = ("TMPDIR", "TEMP", "TMP")
_LOCK = "lock"
_TRIES = 100


@contextmanager
def folder() -> Iterator[Path]:
    """Give an empty private folder that is removed at the end, with all that is in it.

    >>> with folder() as aside:
    ...     _ = (aside / "rows").write_text("of people")
    >>> aside.exists()
    False
    """
    place = _place()
    try:
        mine, held = _made(place)
    except OSError as error:
        raise PlanError(
            f"what does not fit into memory cannot be put aside here: {error.strerror}.",
            str(place),
            remedy=f"Set {PLACE} to a folder on a local disk that you may write to.",
        ) from None
    try:
        yield mine
    finally:
        shutil.rmtree(mine, ignore_errors=True)
        os.close(held)
        # Others may be at work there, or just begin.
        with suppress(OSError):
            mine.parent.rmdir()


def sweep() -> list[Path]:
    """Remove what processes that were killed left behind, and give the folders that it was in."""
    root = _root(_place())
    if not root.is_dir():
        return []
    with suppress(FileNotFoundError), _alone(root):
        return _swept(root)
    return []


def _place() -> Path:
    """The folder that was chosen. If it cannot be used, no other one is taken in its stead."""
    for name in (PLACE, *_SYSTEM):
        if os.environ.get(name):
            return Path(os.environ[name]).absolute()
    return Path("/tmp" if os.name == "posix" else tempfile.gettempdir())  # noqa: S108


def _root(place: Path) -> Path:
    """The folder of this user: others may know its name, but not enter it."""
    return place / f"anachron-{os.getuid() if os.name == 'posix' else 'work'}"


def _made(place: Path) -> tuple[Path, int]:
    """A new folder, and its lock."""
    root = _root(place)
    for _ in range(_TRIES):
        # Whoever was there last removes the root, perhaps at this very moment.
        with suppress(FileExistsError):
            root.mkdir(0o700)
        with suppress(FileNotFoundError), _alone(root):
            _check_private(root)
            _swept(root)
            mine = root / secrets.token_hex(8)
            mine.mkdir(0o700)
            held = os.open(mine / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            _lock(held)
            return mine, held
    raise OSError(None, "its folder vanishes again and again")


def _check_private(root: Path) -> None:
    found = os.lstat(root)
    if not stat.S_ISDIR(found.st_mode):
        raise OSError(None, f"{root.name} is not a folder")
    if os.name == "posix" and (found.st_uid != os.getuid() or found.st_mode & 0o077):
        raise OSError(None, f"{root.name} can be entered by others")


def _swept(root: Path) -> list[Path]:
    """Remove the folders that nobody works in. The caller is alone in the root."""
    over = [work for work in sorted(root.iterdir()) if work.is_dir() and _is_over(work / _LOCK)]
    for work in over:
        shutil.rmtree(work, ignore_errors=True)
    return over


if sys.platform == "win32":  # pragma: no cover

    @contextmanager
    def _alone(root: Path) -> Iterator[None]:
        """Folders cannot be locked here; a folder without its lock file yet is left alone."""
        root.stat()
        yield

    def _lock(held: int) -> None:
        """A file that is open cannot be removed here, which is lock enough."""

    def _is_over(lock: Path) -> bool:
        try:
            lock.unlink()
        except OSError:
            return False
        return True

else:
    import fcntl

    @contextmanager
    def _alone(root: Path) -> Iterator[None]:
        """Be the only one who makes or removes folders here."""
        here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(here, fcntl.LOCK_EX)
            # The folder may have been removed, and made again, while we waited.
            if not os.path.samestat(os.fstat(here), root.stat()):
                raise FileNotFoundError(root)
            yield
        finally:
            os.close(here)

    def _lock(held: int) -> None:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _is_over(lock: Path) -> bool:
        """Whether the process that made a folder is gone, and its lock with it."""
        try:
            held = os.open(lock, os.O_RDWR)
        except FileNotFoundError:
            return True
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            os.close(held)
        return True
