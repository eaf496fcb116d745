"""The language of the pages, as whoever reads them chooses it."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.responses import Response

from anachron.studio.view import View, Visit
from anachron.studio.writing import CODES

__all__ = ["COOKIE", "VIEWS"]

COOKIE = "anachron-language"


def take(visit: Visit) -> Response:
    """Remember it in the browser, and go back to the page."""
    back = urlsplit(visit.said("back"))
    # A path of ours, whatever was sent: never another site.
    path = "/" + back.path.lstrip("/\\") + (f"?{back.query}" if back.query else "")
    there = visit.see(path)
    if visit.said("code") in CODES:
        there.set_cookie(COOKIE, visit.said("code"), httponly=True, samesite="strict", path="/")
    return there


VIEWS = (View("/language", take=take, writes=False),)
