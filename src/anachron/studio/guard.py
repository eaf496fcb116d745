"""What stands before every page: who asks, from where, how much they send, and what they get back.

The page is for one person on this machine. A site that they visit meanwhile can make their browser
send requests here; it does not know the token, has no cookie of ours (SameSite), another Origin,
and, with a name that it points to this machine, another Host. Each is enough to be refused.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anachron.errors import whereabouts
from anachron.studio.keys import Keys

__all__ = ["MOST", "TOKEN", "UPLOAD", "Guard", "TooLarge", "cookie_name", "too_large"]

TOKEN = "token"  # noqa: S105 - the name of it
UPLOAD = "/upload"
"""The one address that takes files."""
MOST = 1 << 20
"""Bytes that any other request may send."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with none at all, browsers send no Origin with forms
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
_SAFE = ("GET", "HEAD")
_FREE = "/static/"
"""Needs no cookie: it is the same for everybody, and holds nothing of anybody."""


class TooLarge(Exception):
    """More was sent than may be."""


def cookie_name(host: str) -> str:
    """Cookies do not know ports, and several folders may be open at once."""
    return f"anachron-{host.rpartition(':')[2]}"


@dataclass(frozen=True)
class Guard:
    """Lets through what our own reader asks, and says no in few words to anything else."""

    app: ASGIApp
    keys: Keys
    hosts: frozenset[str]
    """Under which names and port the page is known."""
    upload: int
    """Bytes that a file may have."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        begun: list[bool] = []

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                begun.append(True)
                headers = MutableHeaders(scope=message)
                for name, value in {**_HEADERS, "Cache-Control": "no-store"}.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refused(scope)
        if refused is not None:
            await refused(scope, receive, dressed)
            return
        try:
            await self.app(scope, self._bounded(scope, receive), dressed)
        except TooLarge:
            if not begun:
                await too_large(self.upload)(scope, receive, dressed)
        except Exception as error:  # noqa: BLE001
            # The one place that lets nothing through: what libraries say may hold a cell.
            told = f"{type(error).__name__} at {whereabouts(error)}"
            print(f"anachron studio: a mistake of Anachron, {told}", file=sys.stderr)  # noqa: T201

    def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self.hosts:
            return PlainTextResponse("This page is not known under that name.", 421)
        if not _ours(headers, scope["method"], host):
            return PlainTextResponse("Another page sent this request. It was refused.", 403)
        if _length(headers) > self._most(scope):
            return too_large(self.upload)
        return None if scope["path"].startswith(_FREE) else self._let_in(scope, headers, host)

    def _let_in(self, scope: Scope, headers: Headers, host: str) -> Response | None:
        """Ask for the cookie; or for the token, and then give the cookie."""
        query = parse_qs(scope["query_string"].decode("latin-1"))
        name = cookie_name(host)
        if scope["method"] in _SAFE and self.keys.opens(query.pop(TOKEN, [""])[0]):
            rest = urlencode(query, doseq=True)
            there = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
            there.set_cookie(name, self.keys.session, httponly=True, samesite="strict", path="/")
            return there
        if self.keys.is_session(_cookies(headers).get(name, "")):
            return None
        return PlainTextResponse(
            "This page is for whoever started it: open the address that 'anachron studio' shows.",
            403,
        )

    def _most(self, scope: Scope) -> int:
        return self.upload if scope["path"] == UPLOAD else MOST

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        """Count what is sent, whatever was said of it before."""
        left = self._most(scope)

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise TooLarge
            return message

        return counted


def too_large(most: int) -> Response:
    """Say how much may be sent, and hang up: the rest is not read."""
    said = f"That is too large: a file may have {most >> 20:,} MB here. Larger ones are chosen "
    return PlainTextResponse(said + "where they lie.", 413, headers={"Connection": "close"})


def _ours(headers: Headers, method: str, host: str) -> bool:
    """Whether a request comes from our own pages, or from a person who typed an address."""
    origin = headers.get("origin")
    if origin is None and method not in _SAFE:
        return False
    if origin is not None and origin != f"http://{host}":
        return False
    return headers.get("sec-fetch-site", "none") in _sites(method)


def _sites(method: str) -> Iterable[str]:
    # A link in a mail or on another site may open the page: the cookie is not sent then.
    return ("none", "same-origin", "cross-site", "same-site") if method in _SAFE else (
        "none", "same-origin",
    )  # fmt: skip


def _length(headers: Headers) -> int:
    try:
        return int(headers.get("content-length", "0"))
    except ValueError:
        return sys.maxsize


def _cookies(headers: Headers) -> dict[str, str]:
    try:
        found = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in found.items()}
