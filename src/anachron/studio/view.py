"""Pages, requests for them, and what they may answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import FormData, QueryParams
from starlette.responses import HTMLResponse, RedirectResponse, Response

from anachron.errors import AnachronError, Refusal
from anachron.studio.commands import Doing
from anachron.studio.studio import Studio
from anachron.studio.writing import written

__all__ = ["View", "Visit", "fields"]

_FIELDS = 20_000
"""A form may have so many: tables are wide."""


@dataclass(frozen=True)
class View:
    """A page, or a part of one: its address, and what answers there."""

    path: str
    show: Callable[[Visit], Response] | None = None
    """Answers GET. It changes nothing."""
    take: Callable[[Visit], Response] | None = None
    """Answers POST."""
    writes: bool = True
    """Whether POST writes into the folder: ``--read-only`` refuses it then."""


@dataclass(frozen=True)
class Visit:
    """One request: by whom it is answered, and what was asked."""

    studio: Studio
    path: str
    query: QueryParams
    form: FormData
    language: str
    live: bool = False
    """Whether htmx asks, and wants a part of a page."""

    def said(self, name: str) -> str:
        """What a form or an address says, without the spaces around it; empty if nothing."""
        given = self.form.get(name, self.query.get(name, ""))
        return given.strip() if isinstance(given, str) else ""

    def number(self, name: str, otherwise: int) -> int:
        """The same, if it is to be a whole number."""
        given = self.said(name)
        return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else otherwise

    def several(self, name: str) -> list[str]:
        """All that is said under a name, as it is."""
        held = self.form if name in self.form else self.query
        return [one for one in held.getlist(name) if isinstance(one, str)]

    def page(
        self, template: str, doing: Doing | None = None, status: int = 200, **values: Any
    ) -> Response:
        """Answer with a page."""
        shown = {"plan_name": self.said("plan"), **values, "doing": doing or Doing()}
        return HTMLResponse(written(self.studio, self.language, template, self.path, shown), status)

    def part(self, template: str, **values: Any) -> Response:
        """Answer with a part that htmx puts into a page; a whole page to whoever has no htmx."""
        values = {"plan_name": self.said("plan"), "doing": Doing(), **values}
        return HTMLResponse(written(self.studio, self.language, template, self.path, values))

    def see(self, path: str, **query: Any) -> Response:
        """Answer a form: go there."""
        given = {name: value for name, value in query.items() if value not in (None, "")}
        there = f"{path}?{urlencode(given, doseq=True)}" if given else path
        return RedirectResponse(there, 303)

    def trouble(self, error: AnachronError) -> Response:
        """Answer with what is wrong; our own errors hold no cell."""
        status = 409 if isinstance(error, Refusal) else 422
        return self.page("trouble.html", status=status, lines=str(error).splitlines(), error=error)


def fields(body: bytes) -> FormData:
    """Read a form."""
    text = body.decode("utf-8", "replace")
    return FormData([*parse_qsl(text, keep_blank_values=True, max_num_fields=_FIELDS)])


Views = tuple[View, ...]
Shown = Mapping[str, Any]
