"""Pages without the white space by which templates are indented."""

from __future__ import annotations

import re

__all__ = ["tight"]

_AS_IT_IS = re.compile(
    r"(<pre\b[^>]*>.*?</pre>|<style>.*?</style>|<textarea\b.*?</textarea>)", re.DOTALL
)
_SPACE = re.compile(r"[ \t\r\n\f]+")
"""What HTML shows as one space, and no other: a name may hold spaces of its own."""
_BETWEEN = re.compile(
    r" ?(</?(?:body|circle|dd|defs|details|div|dl|dt|figcaption|figure|footer|g|h1|h2|h3|head"
    r"|header|html|li|main|meta|p|path|pattern|rect|section|summary|symbol|table|tbody|td|text"
    r"|th|thead|title|tr|ul)\b[^>]*>) ?"
)
"""Elements that begin and end lines of their own."""


def tight(page: str) -> str:
    """Leave out the white space by which templates are indented, where no reader would see it."""
    parts = _AS_IT_IS.split(page)
    parts[::2] = [_BETWEEN.sub(r"\1", _SPACE.sub(" ", part)) for part in parts[::2]]
    return "".join(parts) + "\n"
