"""The application: every view of ``pages``, static files by name, and the guard before it all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from types import ModuleType

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from anachron.errors import AnachronError, Refusal, whereabouts
from anachron.studio.guard import Guard, TooLarge, too_large
from anachron.studio.pages import (
    frontier,
    home,
    language,
    ledger,
    picker,
    promise,
    publish,
    release,
    roles,
    table,
    upload,
    working,
)
from anachron.studio.studio import Studio
from anachron.studio.view import View, Visit, fields
from anachron.studio.writing import preferred

__all__ = ["application"]

PAGES: tuple[ModuleType, ...] = (
    home, table, picker, roles, promise, frontier, publish, release, ledger, working,
    language,
)  # fmt: skip
"""Each has ``VIEWS``."""
_KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def application(studio: Studio, hosts: Iterable[str]) -> ASGIApp:
    """Make the page of a studio, known under these names and ports and no others."""

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(studio.close)

    async def refuse(_: Request, __: Exception) -> Response:
        return too_large(studio.upload)

    views: tuple[View, ...] = tuple(view for page in PAGES for view in page.VIEWS)
    routes = [
        *(Route(view.path, _answering(studio, view), methods=_methods(view)) for view in views),
        *(
            Route(path, _streaming(studio, stream))
            for path, stream in (*working.STREAMS, *frontier.STREAMS)
        ),
        Route("/upload", _uploading(studio), methods=["POST"]),
        Route("/static/{name:path}", _static),
    ]
    app = Starlette(
        routes=routes, lifespan=life, exception_handlers={Exception: _mistake, TooLarge: refuse}
    )
    return Guard(app, studio.keys, frozenset(hosts), studio.upload)


async def _mistake(_: Request, error: Exception) -> Response:
    """Our own mistake: which and where, and nothing of what a library says of it."""
    told = f"{type(error).__name__} at {whereabouts(error)}"
    return PlainTextResponse(f"This is a mistake of Anachron, please report it: {told}.", 500)


def _methods(view: View) -> list[str]:
    return [*(["GET"] if view.show else []), *(["POST"] if view.take else [])]


def _answering(studio: Studio, view: View) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        posted = request.method == "POST"
        form = fields(await request.body()) if posted else FormData()
        visit = _visit(studio, request, form)
        if posted and not studio.keys.is_form(visit.said("csrf")):
            return PlainTextResponse("This form is from another run: load the page again.", 403)
        if posted and view.writes and studio.read_only:
            return visit.trouble(Refusal("This page only reads: it was started with --read-only."))
        run = view.take if posted else view.show
        assert run is not None  # noqa: S101 - the route has no other methods
        try:
            return await run_in_threadpool(run, visit)
        except AnachronError as error:
            return await run_in_threadpool(visit.trouble, error)

    return answer


def _streaming(
    studio: Studio, stream: Callable[[Visit], Response]
) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return stream(_visit(studio, request, FormData()))

    return answer


def _uploading(studio: Studio) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        visit = _visit(studio, request, FormData())
        try:
            return await upload.take(visit, request)
        except AnachronError as error:
            return visit.trouble(error)

    return answer


def _visit(studio: Studio, request: Request, form: FormData) -> Visit:
    chosen = preferred(
        request.cookies.get(language.COOKIE, ""), request.headers.get("accept-language", "")
    )
    live = request.headers.get("hx-request") == "true"
    return Visit(studio, request.url.path, request.query_params, form, chosen, live)


@cache
def _files() -> dict[str, bytes]:
    """Everything that is served as it is, by name: no path of a request is ever joined to one."""
    root = files("anachron.studio") / "static"
    found = {file.name: file for file in root.iterdir() if file.is_file()}
    found |= {f"vendor/{f.name}": f for f in (root / "vendor").iterdir() if f.is_file()}
    return {name: file.read_bytes() for name, file in found.items() if _kind(name) is not None}


def _kind(name: str) -> str | None:
    return _KINDS.get(f".{name.rpartition('.')[2]}")


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _files():
        return PlainTextResponse("There is no such file.", 404)
    kept = {"Cache-Control": "private, max-age=3600"}
    return Response(_files()[name], media_type=_kind(name), headers=kept)
