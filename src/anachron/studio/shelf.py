"""Releases that were opened: read once, asked and drawn often, for as long as their files stay."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from anachron import flow
from anachron.errors import AnachronError, InternalError, ReleaseError, whereabouts
from anachron.release import Release
from anachron.reporting.languages import language
from anachron.stores import Address, Place

if TYPE_CHECKING:
    from anachron.asking.answer import Answer

__all__ = ["Drawing", "Held", "Shelf"]

_KEPT = 4
"""Releases that are held: their rows are in memory once they were asked."""
_NOT_SHOWN = frozenset({"values"})
"""Charts that show what stands in cells."""

_SPOKEN = re.compile(r' (?:role|aria-\w+)="[^"]*"')

Moment = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Drawing:
    """A chart as it stands in a page, and the figures behind it."""

    name: str
    says: str
    svg: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...]


@dataclass(frozen=True)
class Held:
    """A release that is open."""

    release: Release
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _drawn: dict[str, Future[tuple[Drawing, ...]]] = field(default_factory=dict, repr=False)

    def ask(self, question: str) -> Answer:
        """Answer a question; one at a time, as a release has one connection to its rows."""
        with self._lock:
            return flow.ask(self.release, question)

    @cached_property
    def askable(self) -> tuple[tuple[str, str], ...]:
        """The columns that can be asked about, and what each holds; no value of them."""
        columns, _ = flow.askable(self.release)
        return tuple(columns)

    def drawings(self, code: str, patience: float) -> tuple[Drawing, ...] | None:
        """Draw all charts of it in a language; None while they are being drawn."""
        with self._lock:
            begun = code not in self._drawn
            future = self._drawn.setdefault(code, Future())
        if begun:
            threading.Thread(target=self._draw, args=(future, code), daemon=True).start()
        try:
            return future.result(patience)
        except NotYet:
            return None
        except AnachronError:
            raise
        except Exception as error:  # noqa: BLE001 - what a library says may hold a cell
            said = f"{type(error).__name__} at {whereabouts(error)}"
            raise InternalError(f"the charts could not be drawn: {said}.") from None

    def _draw(self, future: Future[tuple[Drawing, ...]], code: str) -> None:
        spoken = language(code)
        try:
            # A release of its own: rows of the other may be asked meanwhile.
            charts = Release(self.release.path).charts
            drawn = []
            for name in charts:
                if name not in _NOT_SHOWN:
                    chart = spoken.chart(getattr(charts, name))
                    drawn.append(Drawing(name, chart.says, _one_picture(chart.inline()),
                                         chart.head, chart.rows, chart.numeric))  # fmt: skip
            future.set_result(tuple(drawn))
        except BaseException as error:  # noqa: BLE001 - handed to whoever asks
            future.set_exception(error)


def _one_picture(svg: str) -> str:
    """A drawing with one name for all of it, and none for its parts, which say nothing."""
    whole, end, parts = svg.partition(">")
    return whole + end + _SPOKEN.sub("", parts)


@dataclass(frozen=True)
class Shelf:
    """The releases that were looked at last."""

    _held: OrderedDict[tuple[Place, Moment], Held] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def open(self, path: Place) -> Held:
        """Open a release, or give the one that is open, if no file of it changed since."""
        key = path, _moment(path)
        with self._lock:
            if key not in self._held:
                self._held[key] = Held(Release(path))
                while len(self._held) > _KEPT:
                    self._held.popitem(last=False)
            self._held.move_to_end(key)
            return self._held[key]

    def close(self) -> None:
        """Let go of all releases."""
        with self._lock:
            self._held.clear()


def _moment(path: Place) -> Moment:
    """What changes when a file of a release does; in a store nothing does."""
    if isinstance(path, Address):
        return ()
    try:
        found = [(file.name, file.stat()) for file in sorted(path.iterdir())]
    except OSError:
        raise ReleaseError(f"{path.name} is not where it was put.") from None
    return tuple((name, of.st_mtime_ns, of.st_size) for name, of in found)
