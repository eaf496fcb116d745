"""Tables that were looked at: in the background, once for each state of a file, kept in numbers."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from anachron.errors import AnachronError, InternalError, whereabouts
from anachron.plan import Source
from anachron.registry import MethodName
from anachron.scratch import near

if TYPE_CHECKING:
    from anachron.proposing.roles import Name
    from anachron.proposing.watched import Watched

__all__ = ["Tables", "Wish"]

_KEPT = 4
"""So many tables are kept, each as a few bytes for each of its cells."""
_AT_ONCE = threading.BoundedSemaphore(2)


@dataclass(frozen=True)
class Wish:
    """A table, and what is known of it beforehand."""

    source: Source
    method: MethodName | None = None
    subject: tuple[str, ...] = ()
    said: tuple[tuple[str, Name], ...] = ()
    time_zone: str = "UTC"
    k: int = 5
    time_format: str | None = None
    stored_zone: str | None = None

    def look(self, ledger: Path) -> Watched:
        """Look at it, with what does not fit into memory put aside where the ledger is."""
        from anachron.proposing.watched import watched

        with near(ledger):
            return watched(
                self.source, self.method, self.subject, dict(self.said), self.time_zone, self.k,
                self.time_format, self.stored_zone,
            )  # fmt: skip


@dataclass(frozen=True)
class Tables:
    """What was looked at, and what is being looked at."""

    _found: OrderedDict[object, Future[Watched]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def look(self, wish: Wish, ledger: Path, patience: float = 0.5) -> Watched | None:
        """Give what can be seen of a table; None while it is still being looked at."""
        future = self._future(wish, ledger)
        try:
            return future.result(patience)
        except NotYet:
            return None
        except AnachronError:
            self._forget(future)
            raise
        except Exception as error:  # noqa: BLE001
            self._forget(future)
            # What a library says may hold a cell.
            said = f"{type(error).__name__} at {whereabouts(error)}"
            raise InternalError(f"the table could not be looked at: {said}.") from None

    def _future(self, wish: Wish, ledger: Path) -> Future[Watched]:
        key = wish, _moment(wish.source.table)
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
            future: Future[Watched] = Future()
            self._found[key] = future
            while len(self._found) > _KEPT:
                self._found.popitem(last=False)
        # A daemon: whoever closes the page does not wait for it.
        threading.Thread(target=_run, args=(future, wish, ledger), daemon=True).start()
        return future

    def share(self, wish: Wish, found: Watched) -> None:
        """Let a table that was looked at answer for what a plan now says of it."""
        future: Future[Watched] = Future()
        future.set_result(found)
        with self._lock:
            self._found[wish, _moment(wish.source.table)] = future

    def _forget(self, future: Future[Watched]) -> None:
        with self._lock:
            for key in [key for key, held in self._found.items() if held is future]:
                del self._found[key]

    def close(self) -> None:
        """Let go of all tables."""
        with self._lock:
            self._found.clear()


def _run(future: Future[Watched], wish: Wish, ledger: Path) -> None:
    with _AT_ONCE:
        try:
            future.set_result(wish.look(ledger))
        except BaseException as error:  # noqa: BLE001 - handed to whoever asks
            future.set_exception(error)


def _moment(table: str) -> tuple[int, int] | None:
    """What changes when a file does."""
    try:
        found = os.stat(table)  # noqa: PTH116 - may be the address of a database
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size
