"""Frontiers that are explored while somebody looks at the page: points as they come."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from anachron.errors import AnachronError, InternalError, whereabouts
from anachron.exploring.cache import Cache
from anachron.plan import Plan

if TYPE_CHECKING:
    from anachron.exploring.details import Details
    from anachron.exploring.frontier import Frontier
    from anachron.exploring.point import Point
    from anachron.studio.pictures import Picture

__all__ = ["Exploration", "Explorations", "Sought"]

_KEPT = 6


class _Stopped(BaseException):
    """Somebody cancelled it."""


@dataclass(frozen=True)
class Sought:
    """What is explored: a plan as it is now, what is tried, and what is measured."""

    plan: Plan
    over: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    risk: str | None = None
    loss: str | None = None


@dataclass(eq=False)
class Exploration:
    """One frontier, as far as it is known."""

    question: Sought
    told: tuple[str, float] = ("", 0.0)
    points: list[Point] = field(default_factory=list)
    found: Frontier | None = None
    """All of it, once it is."""
    failed: str = ""
    running: bool = True
    stopping: bool = False
    _closer: dict[int, Details] = field(default_factory=dict)
    _drawn: Picture | None = None

    def run(self, cache: Cache) -> None:
        """Explore; in a thread of its own."""
        from anachron.flow import frontier

        asked = self.question
        try:
            self.found = frontier(
                asked.plan, _over(asked.over), risk=asked.risk, loss=asked.loss,
                each=self._hear_point, cache=cache, progress=self._hear,
            )  # fmt: skip
        except AnachronError as error:
            self.failed = str(error)
        except _Stopped:
            self.failed = "It was cancelled. Nothing was written."
        except Exception as error:  # noqa: BLE001 - what a library says may hold a cell
            mistake = InternalError(f"{type(error).__name__} at {whereabouts(error)}.")
            self.failed = str(mistake)
        finally:
            self.running = False

    def _hear(self, what: str, share: float) -> None:
        self.told = what, share
        if self.stopping:
            raise _Stopped

    def _hear_point(self, point: Point) -> None:
        self.points.append(point)
        if self.stopping:
            raise _Stopped

    @property
    def picture(self) -> Picture | None:
        """All points, drawn once."""
        if self.found is None:
            return None
        if self._drawn is None:
            from anachron.studio.pictures import Picture

            self._drawn = Picture(self.found.chart())
        return self._drawn

    def closer(self, number: int) -> Details | None:
        """Look closer at a point; None before all points are known."""
        if self.found is None:
            return None
        if number not in self._closer:
            self._closer[number] = self.found.details(number)
        return self._closer[number]


@dataclass(frozen=True)
class Explorations:
    """What was explored since the page was opened; figures are kept in memory, by digest."""

    cache: Cache = field(default_factory=Cache)
    _known: dict[tuple[str, str], Exploration] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def of(self, name: str, state: str) -> Exploration | None:
        """The last one of a plan, as the plan is now."""
        return self._known.get((name, state))

    def start(self, name: str, state: str, question: Sought) -> Exploration:
        """Explore, beside the page; what was explored of the plan before is stopped."""
        made = Exploration(question)
        with self._lock:
            before = self._known.pop((name, state), None)
            if before is not None:
                before.stopping = True
            self._known[name, state] = made
            for key in list(self._known)[:-_KEPT]:
                self._known.pop(key).stopping = True
        threading.Thread(target=made.run, args=(self.cache,), daemon=True).start()
        return made

    def stop_all(self) -> None:
        """Stop whatever is explored still."""
        for one in self._known.values():
            one.stopping = True


def _over(given: Sequence[tuple[str, tuple[Any, ...]]]) -> Mapping[str, tuple[Any, ...]] | None:
    return dict(given) or None
