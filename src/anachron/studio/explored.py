"""Frontiers that are explored while somebody looks at the page: points as they come."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from anachron.errors import AnachronError, InputError, InternalError, whereabouts
from anachron.exploring.cache import Cache
from anachron.plan import Plan

if TYPE_CHECKING:
    from anachron.exploring.details import Details
    from anachron.exploring.frontier import Frontier
    from anachron.exploring.point import Point
    from anachron.studio.pictures import Picture

__all__ = ["Exploration", "Explorations", "Sought"]

_KEPT = 6
_Drawn = tuple[str, int, bool]
"""A drawing: its language, of how many points, and whether these are all."""


class _Stopped(BaseException):
    """Somebody cancelled it."""


@dataclass(frozen=True)
class Sought:
    """What is explored: plans as they are now, what is tried, and what is measured."""

    plans: tuple[Plan, ...]
    names: tuple[str, ...]
    """The files of the plans, from the folder; the first is the one that the page is about."""
    states: tuple[str, ...] = ()
    """Of each file, as it was when it was read."""
    over: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    risk: str | None = None
    loss: str | None = None
    past: bool = True
    """Whether what was published before counts."""
    written: str = ""
    """What is tried, as it was written."""


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
    _pictures: dict[tuple[int, str], list[Picture]] = field(default_factory=dict)
    _drawn: dict[_Drawn, Picture] = field(default_factory=dict)

    def run(self, cache: Cache) -> None:
        """Explore; in a thread of its own."""
        from anachron.flow import frontier

        asked = self.question
        try:
            self.found = frontier(
                asked.plans, _over(asked.over), risk=asked.risk, loss=asked.loss,
                past=asked.past, each=self._hear_point, cache=cache, progress=self._hear,
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
    def so_far(self) -> Frontier | None:
        """All points that are known by now; None before the first."""
        if self.found is not None or not self.points:
            return self.found
        from anachron.exploring.frontier import Frontier
        from anachron.exploring.run import comparable
        from anachron.exploring.yardsticks import chosen

        asked, there = self.question, comparable(self.question.plans)
        risks, losses = chosen(there, "risk", asked.risk), chosen(there, "loss", asked.loss)
        return Frontier(tuple(self.points), risks, losses, (), 0, 0, (), _not_yet)

    def picture(self, code: str) -> Picture | None:
        """The points that are known by now, drawn once for so many, in a language."""
        found = self.so_far
        if found is None:
            return None
        key = code, len(found), self.found is not None
        if key not in self._drawn:
            from anachron.studio.pictures import pictured

            self._drawn = {**_of_all(self._drawn), key: pictured(found.chart(), code)}
        return self._drawn[key]

    def pictures(self, number: int, code: str) -> list[Picture]:
        """The charts of a closer look, drawn once in a language."""
        if (number, code) not in self._pictures:
            from anachron.studio.pictures import pictured

            closer = self.closer(number)
            charts = () if closer is None else closer.charts.values()
            self._pictures[number, code] = [pictured(one, code) for one in charts]
        return self._pictures[number, code]

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


def _of_all(drawn: Mapping[_Drawn, Picture]) -> dict[_Drawn, Picture]:
    """Drawings that are of use still: those of all points."""
    return {key: picture for key, picture in drawn.items() if key[2]}


def _not_yet(_: Point) -> Details:
    raise InputError("not all candidates are known yet. Wait, and look closer then.")


def _over(given: Sequence[tuple[str, tuple[Any, ...]]]) -> Mapping[str, tuple[Any, ...]] | None:
    return dict(given) or None
