"""The texts of a language: each message of the templates, and each text that comes from elsewhere.

A catalogue is a folder of files in the format of gettext (``.po``), which translators have tools for.
The English text is the key. ``said.po`` holds what other rooms say in words that are finished when
they come here (checks, attacks, charts): a pair of braces stands for whatever was put in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["SAID", "Catalogue", "catalogue", "entries"]

SAID = "said.po"
"""The file of texts that come from elsewhere."""
_LINE = re.compile(r'(?:(msgid|msgstr)\s+)?(".*")\s*')
_GAP = "{}"
_JOINED = "; "
"""Between several things that a check or an attack found."""


def entries(text: str) -> Iterator[tuple[str, str]]:
    """Read a file of gettext: the English texts, and what they are."""
    pair: dict[str, str] = {}
    part = "msgid"
    for line in (*text.splitlines(), 'msgid ""'):
        found = _LINE.fullmatch(line)
        if found is None:  # a comment, or nothing
            continue
        if found[1] == "msgid" and pair.get("msgid"):
            yield pair["msgid"], pair["msgstr"]
        if found[1]:
            part = found[1]
            pair = {"msgid": ""} if part == "msgid" else {**pair, "msgstr": ""}
        pair[part] += json.loads(found[2])


@dataclass(frozen=True)
class Catalogue:
    """The texts of a language by their English ones."""

    texts: Mapping[str, str]
    said: Mapping[str, str]

    def text(self, english: str) -> str:
        """Give a message of a template; none may be missing."""
        return self.texts[english]

    def said_as(self, english: str) -> tuple[str, tuple[str, ...]] | None:
        """Find a finished text: what it is in this language, and what fills its gaps."""
        if english in self.said:
            return self.said[english], ()
        for pattern, told in self._patterns:
            if found := pattern.fullmatch(english):
                return told, found.groups()
        return None

    @cached_property
    def _patterns(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """Those with gaps, from the one that says most to the one that says least."""
        gaps = [(english, told) for english, told in self.said.items() if _GAP in english]
        gaps.sort(key=lambda pair: (-len(pair[0].replace(_GAP, "")), pair[0]))
        return tuple(
            (re.compile("(.+?)".join(map(re.escape, english.split(_GAP))), re.DOTALL), told)
            for english, told in gaps
        )

    def joined(self, english: str) -> list[str]:
        """The things that a text tells, one by one."""
        return english.split(_JOINED)


@cache
def catalogue(language: str, *packages: str) -> Catalogue:
    """Read the texts of a language from the folder ``texts`` of these packages."""
    texts: dict[str, str] = {}
    said: dict[str, str] = {}
    for package in packages:
        for file in _files(files(package) / "texts" / language):
            found = dict(entries(file.read_text("utf-8")))
            (said if file.name == SAID else texts).update(found)
    return Catalogue(texts, said)


def _files(folder: Traversable) -> list[Traversable]:
    if not folder.is_dir():
        return []
    there = (file for file in folder.iterdir() if file.name.endswith(".po"))
    return sorted(there, key=lambda file: file.name)
