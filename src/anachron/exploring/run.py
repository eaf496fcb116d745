"""Explore: each table is read once, points come one by one, and nothing is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from anachron.errors import InputError, PlanError
from anachron.exploring.cache import Cache
from anachron.exploring.choices import Choices
from anachron.exploring.closer import closer
from anachron.exploring.details import Details
from anachron.exploring.frontier import Frontier
from anachron.exploring.point import Point
from anachron.exploring.yardsticks import Exploring, Yardstick, chosen, common
from anachron.parts.part import parts_of
from anachron.plan import Plan
from anachron.progress import Tell, between, silent
from anachron.registry import METHODS
from anachron.scratch import near
from anachron.trying.run import looking

__all__ = ["Wish", "comparable", "explored"]

Over = Mapping[str, Iterable[Any]]


@dataclass(frozen=True)
class Wish:
    """What is to be explored, and as if it were published how."""

    over: Over | None = None
    risk: str | Sequence[str] | None = None
    loss: str | Sequence[str] | None = None
    table: object = None
    past: bool = True
    as_of: str | None = None
    max_views: int | None = None
    accept: frozenset[str] = frozenset()

    def aimed(self, plan: Plan) -> Plan:
        """The plan, for the table that is explored if that has a name."""
        return plan.with_table(self.table) if isinstance(self.table, str | PathLike) else plan

    def table_of(self, plan: Plan) -> object:
        """The table that is explored."""
        given = self.table
        return plan.table if given is None or isinstance(given, str | PathLike) else given


@dataclass(frozen=True, eq=False)
class _Measured:
    """What all candidates are measured by."""

    risks: tuple[Yardstick, ...]
    losses: tuple[Yardstick, ...]


def comparable(plans: Sequence[Plan]) -> tuple[Yardstick, ...]:
    """What the promises of these plans can be compared by."""
    return common([_exploring(plan) for plan in plans])


def _exploring(plan: Plan) -> Exploring:
    found: Exploring = METHODS[plan.guarantee.method].frontier.load()
    return found


def explored(
    plans: Sequence[Plan],
    wish: Wish,
    *,
    each: Callable[[Point], None] | None = None,
    cache: Cache | str | os.PathLike[str] | None = None,
    tell: Tell = silent,
) -> Frontier:
    """Lay out the candidates of all plans."""
    if not plans:
        raise InputError("no plan was given. Name one, such as plan.toml.")
    several, there = [_exploring(plan) for plan in plans], comparable(plans)
    by = _Measured(chosen(there, "risk", wish.risk), chosen(there, "loss", wish.loss))
    overs = _overs(plans, several, wish.over)
    points: list[Point] = []
    basis: dict[str, None] = {}
    rows = people = 0
    for place, (plan, exploring, over) in enumerate(zip(plans, several, overs, strict=True)):
        told = between(tell, place / len(plans), (place + 1) / len(plans))
        with _looked(wish.aimed(plan), exploring, over, wish, by, Cache.at(cache), told) as some:
            for found in _points(some, len(points) + 1, told):
                point = replace(found, given=place)
                points.append(point)
                if each is not None:
                    each(point)
            basis.update(dict.fromkeys(some.looked.basis))
            rows, people = some.looked.held.rows, some.looked.held.subjects
    parts = tuple(dict.fromkeys(name for over in overs for name in over))

    def look(point: Point) -> Details:
        return _closer(point, wish)

    return Frontier(tuple(points), by.risks, by.losses, parts, rows, people, tuple(basis), look)


def _points(some: Choices, number: int, tell: Tell) -> Iterator[Point]:
    order = some.order
    for done, at in enumerate(order):
        tell(f"candidate {done + 1:,} of {len(order):,}", 0.2 + 0.8 * done / len(order))
        for point in some.points(at, number):
            number = point.number + 1
            yield point


@contextmanager
def _looked(
    plan: Plan,
    exploring: Exploring,
    over: Over,
    wish: Wish,
    by: _Measured,
    cache: Cache | None,
    tell: Tell,
) -> Iterator[Choices]:
    with (
        looking(
            plan, over, wish.table_of(plan), past=wish.past, as_of=wish.as_of,
            max_views=wish.max_views, accept=wish.accept, tell=tell,
        ) as looked,
        ExitStack() as until,
    ):  # fmt: skip
        risks, losses = ([one.name for one in some] for some in (by.risks, by.losses))
        yield Choices(looked, plan, exploring, risks, losses, cache, until)


def _overs(plans: Sequence[Plan], several: Sequence[Exploring], over: Over | None) -> list[Over]:
    """What is tried of each plan: what suits it, or what is asked for and it has."""
    if over is None:
        pairs = zip(plans, several, strict=True)
        found = [exploring.over(plan.guarantee) for plan, exploring in pairs]
        return [{name: list(values) for name, values in one.items()} for one in found]
    given = {name: list(values) if _is_list(values) else values for name, values in over.items()}
    if len(plans) == 1:
        return [given]  # whatever is wrong with it is said when it is tried
    has = [parts_of(type(plan.guarantee)) for plan in plans]
    unknown = [name for name in given if not any(name in parts for parts in has)]
    if unknown:
        raise PlanError(f"none of the promises has a part {', '.join(map(repr, unknown))}.")
    return [{name: given[name] for name in given if name in parts} for parts in has]


def _is_list(values: object) -> bool:
    return isinstance(values, Iterable) and not isinstance(values, str | Mapping)


def _closer(point: Point, wish: Wish) -> Details:
    """Read the table of a point again, and look at what publishing it gives."""
    plan = point.plan
    if plan is None:
        raise InputError(f"point {point.number} cannot be kept: {point.reason}")
    exploring = _exploring(plan)
    nothing: _Measured = _Measured((), ())
    with near(plan.ledger), _looked(plan, exploring, {}, wish, nothing, None, silent) as some:
        return closer(point, some)
