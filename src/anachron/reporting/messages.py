"""The sentences of a template: cut out as they stand, and put back in another language.

Templates are written in English, once. What stands between two elements that begin lines of
their own (``<p>``, ``<li>``, …), two tags that end a part (``{% block %}``, ``{% for %}``, …), or
two lines that hold nothing but an ``{% if %}``, is a message, if there are words in it. Its names,
``{{ shown.rows | digits }}``, belong to it; so does an ``{% if %}`` among its words, since
languages inflect differently. Words inside of expressions are marked: ``_("groups")``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jinja2.ext import Extension

__all__ = ["Message", "messages", "names_in", "speaking", "spoken"]

_JINJA = r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}"
_BLOCKS = (
    "body|button|datalist|dd|defs|details|div|dl|dt|fieldset|figcaption|figure|footer|form|g|h1|h2"
    "|h3|head|header|html|input|label|legend|li|link|main|meta|nav|ol|option|p|path|pattern"
    "|progress|rect|section|select|script|summary|svg|symbol|table|tbody|td|text|textarea|th|thead"
    "|title|tr|ul|use"
)
_CUT = re.compile(
    rf"(<pre\b[^>]*>.*?</pre>|<style>.*?</style>|<!DOCTYPE[^>]*>|\{{#.*?#\}}"
    rf"|</?(?:{_BLOCKS})\b(?:{_JINJA}|[^>])*>"
    r"|\{%-?+\s*+(?!(?:if|elif|else|endif)\b).*?%\}"
    # One alone on its line.
    r"|^[ \t]*\{%-?+\s*+(?:if|elif|else|endif)\b(?:(?!%\})[^\n])*%\}[ \t]*$)",
    re.DOTALL | re.MULTILINE,
)
_CONTROL = re.compile(r"\{%-?\s*(if|elif|else|endif)\b.*?%\}", re.DOTALL)
_INLINE = re.compile(rf"{_JINJA}|</?\w+[^>]*>|&\w+;|\w+=\"[^\"]*\"", re.DOTALL)
"""What is no word: tags, attributes, and what a template puts in."""
_MARKED = re.compile(r'\b_\("((?:[^"\\]|\\.)*)"\)')
_NAME = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_PLAIN = re.compile(r"\{\w*\}")


@dataclass(frozen=True)
class Message:
    """Words of a template, and where they stand in it."""

    text: str
    """As translators see it: one line, without the marks that only trim white space."""
    start: int
    end: int
    marked: bool
    """Whether it is a text inside of an expression."""


def messages(source: str) -> Iterator[Message]:
    """Give the messages of a template, in order."""
    end = 0
    for cut in _CUT.finditer(source):
        yield from _words(source, end, cut.start())
        yield from _texts(source, cut.start(), cut.end())
        end = cut.end()
    yield from _words(source, end, len(source))


def names_in(message: str) -> set[str]:
    """The values that a message shows, without the words by which they are shown."""
    shown = {_value(name) for name in _NAME.findall(message)}
    return shown | set(_PLAIN.findall(_INLINE.sub("", message)))


def _value(expression: str) -> str:
    """The value of an expression: how it is written is a matter of language."""
    return re.split(r"\s*\||\s+~", re.sub(r'"[^"]*"|\'[^\']*\'', "", expression))[0].strip()


def _words(source: str, start: int, end: int) -> Iterator[Message]:
    """What stands between two cuts, if it holds words; else what is marked in it."""
    first, last = _balanced(source, start, end)
    beside = source[start:first] + source[last:end]
    if _has_words(beside):
        raise ValueError(f"words beside an 'if' that is closed on another line: {beside.strip()!r}")
    start, end = first, last
    said = source[start:end]
    if _has_words(said):
        inner = said.strip()
        at = start + said.index(inner)
        yield Message(_tidy(inner), at, at + len(inner), marked=False)
    else:
        yield from _texts(source, start, end)


def _has_words(said: str) -> bool:
    return re.search(r"[A-Za-z]{2}", _INLINE.sub(" ", said)) is not None


def _texts(source: str, start: int, end: int) -> Iterator[Message]:
    for found in _MARKED.finditer(source, start, end):
        yield Message(found[1].replace('\\"', '"'), found.start(1), found.end(1), marked=True)


def _balanced(source: str, start: int, end: int) -> tuple[int, int]:
    """Leave out an ``if`` at the edge that is closed elsewhere."""
    opened: list[re.Match[str]] = []
    for found in _CONTROL.finditer(source, start, end):
        if found[1] == "if":
            opened.append(found)
        elif opened and found[1] == "endif":
            opened.pop()
        elif not opened:
            start = found.end()
    return start, min([end, *(one.start() for one in opened)])


def _tidy(said: str) -> str:
    """One line, and no marks that trim white space: where they stand, there is none."""
    said = re.sub(r"\s*\{(%|\{)-", r"{\1", said)
    said = re.sub(r"-(%|\})\}\s*", r"\1}", said)
    return " ".join(said.split())


def speaking(translate: Callable[[str], str]) -> type[Extension]:
    """What puts the messages of templates into a language before they are read."""

    class Speaking(Extension):
        def preprocess(self, source: str, name: str | None, _: str | None = None) -> str:
            # A style has no sentences.
            return source if (name or "").endswith(".css") else spoken(source, translate)

    return Speaking


def spoken(source: str, translate: Callable[[str], str]) -> str:
    """Give a template in another language."""
    parts, end = [], 0
    for message in messages(source):
        # Texts in expressions are looked up when the page is written.
        if not message.marked:
            parts += [source[end : message.start], translate(message.text)]
            end = message.end
    return "".join([*parts, source[end:]])
