"""Frontier: one point for each candidate, its risk against its loss; one is looked at, and used."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import anyio
from starlette.responses import Response, StreamingResponse

from anachron.errors import AnachronError, InputError
from anachron.studio.asked import opened, refuse_reading
from anachron.studio.commands import Doing, call, typed
from anachron.studio.editing import changed, state_of
from anachron.studio.explored import Exploration, Sought
from anachron.studio.folder import NotChosen
from anachron.studio.projects import Project, project, projects
from anachron.studio.view import View, Visit

if TYPE_CHECKING:
    from anachron.exploring.details import Details
    from anachron.exploring.point import Point

__all__ = ["STREAMS", "VIEWS"]

_OFTEN = 0.3


def show(visit: Visit) -> Response:
    """The points that are known by now, and the one that was chosen."""
    known = opened(visit)
    return _page(visit, known)


def take(visit: Visit) -> Response:
    """Explore; or cancel; or write the plan of a point."""
    known = opened(visit)
    done = visit.studio.explorations.of(known.name, state_of(known.file))
    if visit.said("what") == "cancel":
        if done is not None:
            done.stopping = True
        return visit.see("/frontier", plan=known.name)
    try:
        if visit.said("what") == "use":
            return _use(visit, done)
        question = _question(visit, known)
    except AnachronError as error:
        return _page(visit, known, problem=error, status=422)
    visit.studio.explorations.start(known.name, question.states[0], question)
    return visit.see("/frontier", plan=known.name)


def _question(visit: Visit, known: Project) -> Sought:
    """What is to be explored: this plan, and those that it is compared with."""
    from anachron.trying.written import read_all

    others = [project(visit.studio.folder, name) for name in visit.several("with")]
    several = [known, *(one for one in others if one.name != known.name)]
    for one in several:
        if one.plan is None:
            raise InputError(one.problem)
        if one.outside:
            raise NotChosen(one.outside)
    lines = [line for line in visit.said("over").splitlines() if line.strip()]
    over = read_all(lines)
    return Sought(
        tuple(one.plan for one in several if one.plan is not None),
        tuple(one.name for one in several),
        tuple(state_of(one.file) for one in several),
        tuple((name, _frozen(values)) for name, values in over.items()),
        visit.said("risk") or None,
        visit.said("loss") or None,
        past=not visit.said("without_past"),
        written="\n".join(lines),
    )


def _use(visit: Visit, done: Exploration | None) -> Response:
    """Write the plan of a point into the file of the plan that it is a candidate of."""
    refuse_reading(visit)
    if done is None or done.found is None or visit.said("state") != done.question.states[0]:
        raise InputError("this was explored for another plan, or not to its end. Explore again.")
    number = visit.number("point", 0)
    wanted, given = done.found.use(number), done.found.point(number).given
    target = project(visit.studio.folder, done.question.names[given])
    changed(target, done.question.states[given], wanted)
    return visit.see("/publish", plan=target.name)


def _page(
    visit: Visit, known: Project, problem: AnachronError | None = None, status: int = 200
) -> Response:
    from anachron.exploring.run import comparable
    from anachron.exploring.yardsticks import measured

    assert known.plan is not None  # noqa: S101
    state = state_of(known.file)
    done = visit.studio.explorations.of(known.name, state)
    seen = done.so_far if done else None
    there = comparable(done.question.plans if done else [known.plan])
    chosen, closer, wrong = _chosen(visit, done)
    pictures = (
        []
        if done is None or chosen is None or closer is None
        else done.pictures(chosen.number, visit.language)
    )
    return visit.page(
        "frontier.html", _doing(known, done), status=status, project=known, state=state, done=done,
        found=seen, whole=done is not None and done.found is not None,
        picture=None if done is None else done.picture(visit.language),
        chosen=chosen, closer=closer, pictures=pictures,
        risks=measured(there, "risk"), losses=measured(there, "loss"), problem=problem or wrong,
        others=[one for one in projects(visit.studio.folder)
                if one.plan is not None and not one.outside and one.name != known.name],
    )  # fmt: skip


def _chosen(
    visit: Visit, done: Exploration | None
) -> tuple[Point | None, Details | None, AnachronError | None]:
    """The point that an address names, a closer look at it, and why there is none."""
    number = visit.number("point", 0)
    if done is None or done.found is None or not 1 <= number <= len(done.found):
        return None, None, None
    point = done.found.point(number)
    try:
        return point, done.closer(number) if point.kept else None, None
    except AnachronError as error:
        # What could be published when it was explored may not be any more.
        return point, None, error


def _frozen(values: object) -> Any:
    """Lists as tuples, so that a question can be compared."""
    return tuple(map(_frozen, values)) if isinstance(values, list) else values


def _doing(known: Project, done: Exploration | None) -> Doing:
    assert known.plan is not None  # noqa: S101
    asked = done.question if done else Sought((known.plan,), (known.name,))
    tried = {name: list(values) for name, values in asked.over} or None
    given = asked.names[0] if len(asked.names) == 1 else list(asked.names)
    command = typed(
        "frontier", *asked.names, over=asked.written.splitlines(), risk=asked.risk, loss=asked.loss,
        without_past=not asked.past,
    )  # fmt: skip
    python = call("an.frontier", given, over=tried, risk=asked.risk, loss=asked.loss)
    return Doing(command, python if asked.past else f"{python[:-1]}, past=False)")


def stream(visit: Visit) -> Response:
    """Server-sent events: how far it is, and how many points there are."""
    known = opened(visit)
    done = visit.studio.explorations.of(known.name, state_of(known.file))

    async def events() -> AsyncIterator[str]:
        before = None
        while done is not None and done.running:
            now = (*done.told, len(done.points))
            if now != before:
                told = {"what": now[0], "share": now[1], "points": now[2]}
                yield f"event: progress\ndata: {json.dumps(told)}\n\n"
                before = now
            await anyio.sleep(_OFTEN)
        yield "event: done\ndata: {}\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")


VIEWS = (View("/frontier", show, take, writes=False),)
STREAMS = (("/frontier/events", stream),)
