"""Where work in progress is put aside: private, and gone when the work ends, however it ends.

What does not fit into memory is a person's data on a disk. It goes where the ledger is, or where
``ANACHRON_TMP`` says, and nowhere else: into a folder of its own, which only its owner can enter
and whose lock is held while the work lasts. A process that is killed cannot clean up; its lock
falls with it, and whoever works here next removes what it left.
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
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from anachron.errors import PlanError

__all__ = [
    "HOW",
    "PLACE",
    "WAYS",
    "Room",
    "folder",
    "how",
    "near",
    "published",
    "room",
    "sweep",
    "working",
]

PLACE = "ANACHRON_TMP"
"""The environment variable that says where."""
HOW = "ANACHRON_SPILL"
"""The environment variable that says how: as it is, encrypted, or not at all."""
WAYS = ("plain", "encrypted", "never")
_INSIDE = "aside"
_LOCK = "lock"
_TRIES = 100
_ledger: ContextVar[Path | None] = ContextVar("ledger", default=None)


@dataclass(frozen=True)
class Room:
    """A private folder to put rows aside in; or none, and why."""

    path: Path | None
    why: str = ""


@contextmanager
def near(ledger: str | os.PathLike[str] | None) -> Iterator[None]:
    """Put aside, while the block lasts, where this ledger is; what was said before stands."""
    if ledger is None or _ledger.get() is not None:
        yield
        return
    before = _ledger.set(Path(os.path.realpath(ledger)))
    try:
        yield
    finally:
        _ledger.reset(before)


@contextmanager
def folder(what: str = "a copy of the table") -> Iterator[Path]:
    """Give an empty private folder that is removed at the end, with all that is in it.

    ``what`` is to be put there, if anybody must be told why it cannot be.

    >>> with near("ledger"), folder() as aside:
    ...     _ = (aside / "rows").write_text("of people")
    >>> aside.exists()
    False
    """
    if how() != "plain":
        raise PlanError(
            f"{what} would have to be put aside as it is, and {HOW} is {how()}.",
            remedy=f"Give a local file in UTF-8, which is read where it lies, or set {HOW} to "
            "plain.",
        )
    with room() as found:
        if found.path is None:
            raise PlanError(f"nothing can be put aside: {found.why}", remedy=_remedy())
        yield found.path


@contextmanager
def published() -> Iterator[Path]:
    """Give such a folder for a copy of what was published, which is fetched to be read.

    It holds nothing that is not handed out, so it may lie where the system keeps temporary files,
    unless :data:`PLACE` says where.
    """
    root = _declared() or Path(tempfile.gettempdir()) / f"anachron-{_user()}"
    try:
        mine, held = _made(root)
    except OSError as error:
        raise PlanError(
            f"a copy of the release cannot be put aside here: {error.strerror}.",
            str(root.parent),
            remedy=_remedy(),
        ) from None
    try:
        yield mine
    finally:
        shutil.rmtree(mine, ignore_errors=True)
        os.close(held)
        _unmake([root])


@contextmanager
def room() -> Iterator[Room]:
    """Give such a folder, or say why there is none.

    A place that was declared and cannot be used is an error; no other one is taken in its stead.
    """
    declared = os.environ.get(PLACE)
    root = _root()
    if how() == "never":
        yield Room(None, f"{HOW} is never.")
        return
    if root is None:
        yield Room(None, f"there is no ledger, and {PLACE} names no folder.")
        return
    made = _parents(root) if declared is None else []
    try:
        mine, held = _made(root)
    except OSError as error:
        _unmake(made)
        if declared is not None:
            raise PlanError(
                f"what does not fit into memory cannot be put aside here: {error.strerror}.",
                str(root.parent),
                remedy=_remedy(),
            ) from None
        yield Room(None, f"{root.parent}: {error.strerror}.")
        return
    try:
        yield Room(mine)
    finally:
        shutil.rmtree(mine, ignore_errors=True)
        os.close(held)
        # Others may be at work there, or just begin.
        _unmake([*made, root])


@contextmanager
def working() -> Iterator[None]:
    """Say what is wrong with the disk, and nothing of what was to be put there."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or "the disk does not work"
        raise PlanError(
            f"rows that do not fit into memory could not be put aside: {reason}.",
            remedy=f"Free some space there, or set {PLACE} to a folder on another disk.",
        ) from None


def how() -> str:
    """How rows may be put aside: one of :data:`WAYS`."""
    said = os.environ.get(HOW) or WAYS[0]
    if said not in WAYS:
        raise PlanError(
            f"the environment variable {HOW} is none of {', '.join(WAYS)}.",
            remedy="Set it to one of them, or not at all.",
        )
    return said


def sweep() -> list[Path]:
    """Remove what processes that were killed left behind, and give the folders that it was in."""
    over: list[Path] = []
    for root in _roots():
        if root.is_dir():
            with suppress(OSError), _alone(root):
                _check_private(root)
                over += _swept(root)
            with suppress(OSError):
                root.rmdir()
    return over


def _remedy() -> str:
    return f"Set {PLACE} to a folder on a local disk that you may write to."


def _root() -> Path | None:
    """The folder of this user: others may know its name, but not enter it."""
    return next(iter(_roots()), None)


def _roots() -> list[Path]:
    """All folders in which something may have been put aside; the first is the one to use."""
    declared = _declared()
    found = [] if declared is None else [declared]
    ledger = _ledger.get()
    if ledger is not None:
        # A ledger that is to be made must find its place empty.
        inside, beside = ledger / _INSIDE, ledger.with_name(f".{ledger.name}.{_INSIDE}")
        found += [inside, beside] if _is_there(ledger) else [beside]
    return found


def _declared() -> Path | None:
    """The folder of this user where the environment says."""
    said = os.environ.get(PLACE)
    return Path(said).absolute() / f"anachron-{_user()}" if said else None


def _user() -> str:
    return str(os.getuid()) if os.name == "posix" else "work"


def _is_there(ledger: Path) -> bool:
    try:
        return any(ledger.iterdir())
    except OSError:
        # It may be there and closed to us: then nothing can be put aside in it, nor beside it.
        return os.path.isdir(ledger)  # noqa: PTH112  # which never raises


def _parents(root: Path) -> list[Path]:
    """Make the folders that a new ledger will be in, and give those that were missing."""
    made: list[Path] = []
    missing = [parent for parent in root.parents if not parent.exists()]
    for parent in reversed(missing):
        try:
            parent.mkdir()
        except OSError:
            break
        made.append(parent)
    return made


def _unmake(folders: list[Path]) -> None:
    """Remove folders that nobody needs, the last first."""
    for one in reversed(folders):
        with suppress(OSError):
            one.rmdir()


def _made(root: Path) -> tuple[Path, int]:
    """A new folder, and its lock."""
    for other in _roots()[1:]:
        if other.is_dir():
            sweep()
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
            try:
                _lock(held)
            except OSError:
                os.close(held)
                shutil.rmtree(mine, ignore_errors=True)
                raise
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
