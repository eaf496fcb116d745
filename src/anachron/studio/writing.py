"""Pages as HTML: the templates of this room, in the language of whoever reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from anachron.errors import AnachronError
from anachron.reporting.languages import language
from anachron.reporting.messages import speaking
from anachron.reporting.tight import tight

if TYPE_CHECKING:
    from anachron.studio.studio import Studio

__all__ = ["CODES", "preferred", "written"]

CODES = ("en", "de")
"""The languages that pages can be read in."""
_PACKAGE = "anachron.studio"


def written(studio: Studio, code: str, template: str, path: str, values: Mapping[str, Any]) -> str:
    """Write a page, or a part of one."""
    page = (
        _templates(code)
        .get_template(template)
        .render({"studio": studio, "here": path, "token": studio.keys.form, **values})
    )
    return tight(page)


def preferred(cookie: str, accepted: str) -> str:
    """The language that somebody chose, else the first of their browser's that is known.

    >>> preferred("", "fr-FR,en;q=0.7"), preferred("xx", "")
    ('en', 'en')
    """
    if cookie in CODES:
        return cookie
    asked = (one.partition(";")[0].strip()[:2].lower() for one in accepted.split(","))
    return next((code for code in asked if code in CODES), CODES[0])


@cache
def _templates(code: str) -> Environment:
    spoken = language(code, _PACKAGE)
    templates = Environment(
        loader=PackageLoader(_PACKAGE), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    if code != CODES[0]:
        templates.add_extension(speaking(spoken.text))
    templates.filters |= {**spoken.words, "plainly": spoken.plainly, "lines": _lines}
    templates.globals |= {"_": spoken.text, "language": code, "languages": CODES}
    return templates


def _lines(error: AnachronError | str) -> list[str]:
    """What is wrong, one thing in each line."""
    return str(error).splitlines()
