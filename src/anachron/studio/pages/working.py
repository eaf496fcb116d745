"""Commands that run beside the page: how far they are, as a page, as a stream, and the cancel."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import anyio
from starlette.responses import Response, StreamingResponse

from anachron.errors import InputError
from anachron.studio.commands import Doing
from anachron.studio.view import View, Visit
from anachron.studio.work import Work

__all__ = ["STREAMS", "VIEWS"]

_OFTEN = 0.2
"""Seconds between two looks at a command."""


def show(visit: Visit) -> Response:
    """The bar alone, for those whose browser runs no scripts; it loads itself again."""
    work = _work(visit)
    return visit.page("working.html", Doing(" ".join(("anachron", *work.words))), work=work)


def cancel(visit: Visit) -> Response:
    """Stop it, and go back to where it was started."""
    work = _work(visit)
    work.stop()
    return visit.see(visit.said("back") if visit.said("back").startswith("/publish") else "/work",
                     plan=work.about, work=work.key)  # fmt: skip


def stream(visit: Visit) -> Response:
    """Server-sent events: one whenever something changed, and one at the end."""
    work = visit.studio.works.of(visit.query.get("work", ""))

    async def events() -> AsyncIterator[str]:
        before = None
        while work is not None and work.running:
            now = (*work.told, work.stopping)
            if now != before:
                yield _event("progress", {"what": work.told[0], "share": work.told[1]})
                before = now
            await anyio.sleep(_OFTEN)
        yield _event("done", {"code": None if work is None else work.code})

    return StreamingResponse(events(), media_type="text/event-stream")


def _event(name: str, data: dict[str, object]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def _work(visit: Visit) -> Work:
    work = visit.studio.works.of(visit.said("work"))
    if work is None:
        raise InputError("nothing like that was started since this page was opened.")
    return work


VIEWS = (
    View("/work", show),
    View("/work/cancel", take=cancel),
)
STREAMS = (("/work/events", stream),)
"""Answered while they last, without a thread for each."""
