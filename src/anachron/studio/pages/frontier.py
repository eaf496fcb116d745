"""Frontier: one point for each candidate, its risk against its loss; one is looked at, and used."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import anyio
from starlette.responses import Response, StreamingResponse

from anachron.errors import AnachronError, InputError
from anachron.studio.asked import opened
from anachron.studio.commands import Doing, call, typed
from anachron.studio.editing import changed, state_of
from anachron.studio.explored import Exploration, Sought
from anachron.studio.projects import Project
from anachron.studio.view import View, Visit

if TYPE_CHECKING:
    from anachron.exploring.frontier import Frontier

__all__ = ["STREAMS", "VIEWS"]

RISKS = ("group", "row", "value", "unique", "attack")
LOSSES = ("time", "left_out", "windows", "trends", "weekdays", "lags", "questions", "quasi",
          "counterfeits", "delay", "moving", "values", "shapes")  # fmt: skip
_OFTEN = 0.3


def show(visit: Visit) -> Response:
    """The points that are known by now, and the one that was chosen."""
    known = opened(visit)
    return _page(visit, known)


def take(visit: Visit) -> Response:
    """Explore; or cancel; or write the plan of a point."""
    from anachron.trying.written import read_all

    known = opened(visit)
    assert known.plan is not None  # noqa: S101
    state = state_of(known.file)
    done = visit.studio.explorations.of(known.name, state)
    try:
        if visit.said("what") == "cancel":
            if done is not None:
                done.stopping = True
            return visit.see("/frontier", plan=known.name)
        if visit.said("what") == "use":
            return _use(visit, known, done)
        over = tuple(
            (name, _frozen(values))
            for name, values in read_all(visit.said("over").splitlines()).items()
        )
    except AnachronError as error:
        return _page(visit, known, problem=error, status=422)
    risk, loss = visit.said("risk") or None, visit.said("loss") or None
    question = Sought(known.plan, over, risk, loss)
    visit.studio.explorations.start(known.name, state, question)
    return visit.see("/frontier", plan=known.name)


def _use(visit: Visit, known: Project, done: Exploration | None) -> Response:
    if visit.studio.read_only:
        raise InputError("this page only reads: it was started with --read-only.")
    if done is None or done.found is None:
        raise InputError("this was explored for another plan, or not to its end. Explore again.")
    changed(known, visit.said("state"), done.found.use(visit.number("point", 0)))
    return visit.see("/publish", plan=known.name)


def _page(
    visit: Visit, known: Project, problem: AnachronError | None = None, status: int = 200
) -> Response:
    from anachron.studio.pictures import Picture

    state = state_of(known.file)
    done = visit.studio.explorations.of(known.name, state)
    found = done.found if done else None
    number = visit.number("point", 0)
    closer = None
    if done is not None and found is not None and 1 <= number <= len(found):
        point = found.point(number)
        try:
            closer = done.closer(number) if point.kept else None
        except AnachronError as error:
            # What could be published when it was explored may not be any more.
            problem = error
    return visit.page(
        "frontier.html", _doing(known, done), status=status, project=known, state=state, done=done,
        found=found, picture=None if done is None else done.picture, number=number,
        chosen=found.point(number) if found and 1 <= number <= len(found) else None,
        points=() if done is None else found.points if found else tuple(done.points),
        closer=closer, pictures=[] if closer is None else [*map(Picture, closer.charts.values())],
        risks=RISKS, losses=LOSSES, problem=problem, line=_line(found),
    )  # fmt: skip


def _frozen(values: object) -> Any:
    """Lists as tuples, so that a question can be compared."""
    return tuple(map(_frozen, values)) if isinstance(values, list) else values


def _line(found: Frontier | None) -> frozenset[int]:
    return frozenset() if found is None else frozenset(found.line)


def _doing(known: Project, done: Exploration | None) -> Doing:
    asked = done.question if done else Sought(known.plan)  # type: ignore[arg-type]
    over = dict(asked.over)
    options = [f"{name}={','.join(map(str, values))}" for name, values in over.items()]
    tried = {name: list(values) for name, values in over.items()} or None
    return Doing(
        typed("frontier", known.name, over=options, risk=asked.risk, loss=asked.loss),
        call("an.frontier", known.name, over=tried, risk=asked.risk, loss=asked.loss),
    )


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
