"""The texts of a language: each message of the templates, and each text that comes from elsewhere.

A catalogue is a folder of files in gettext's format (``.po``), which translators have tools for.
The English text is the key. ``said.po`` holds what other rooms say in words that are finished when
they come here (checks, attacks, charts). What was put in stands in gaps: ``{}`` for a number, a
quoted name or a word that is no plain one, ``{n}`` for a whole number, ``{list}`` for several,
``{name}`` for any text, ``{said}`` for words of the catalogue or a name of one's own, ``{items}``
for several of these, and ``{told}`` for words that the catalogue must have: else it is not known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["SAID", "Catalogue", "Said", "catalogue", "entries"]

SAID = "said.po"
"""The file of texts that come from elsewhere."""
_LINE = re.compile(r'(?:(msgid|msgstr)\s+)?(".*")\s*')
_GAP = re.compile(r"\{(n|list|name|said|items|told|)\}")
_FILLED = {
    # Narrow, so that a text that is not known is not taken for one that is.
    "": r"""([\d.,–/() %+-]*?\d[\d.,–/() %+-]*?|'.+?'|".+?"|[^\s;]*?[A-Z\d/.][^\s;]*?)""",
    "n": r"(-?\d[\d,]*)",
    "list": r"(-?\d+(?:, -?\d+)*)",
    "name": "(.+?)",
    "said": "(.+?)",
    "items": "([^;]+?)",
    "told": "(.+?)",
}
"""What may fill a gap, by its kind."""
_JOINED = ("; ", ", ")
"""Between several things that a check or an attack found."""
_LONG = 400
"""Longer texts, which names that strangers gave can make, would take too long to be taken apart."""


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
class Said:
    """A finished text in another language, and what fills its gaps."""

    text: str
    filled: tuple[tuple[str, str], ...] = ()
    """Each with the kind of its gap."""


@dataclass(frozen=True)
class Catalogue:
    """The texts of a language by their English ones."""

    texts: Mapping[str, str]
    said: Mapping[str, str]

    def text(self, english: str) -> str:
        """Give a message of a template; none may be missing."""
        return self.texts[english]

    def said_as(self, english: str) -> Iterator[Said]:
        """Find what a finished text can be, the likeliest first."""
        if english in self.said:
            yield Said(self.said[english])
        for pattern, kinds, told in self._patterns if len(english) <= _LONG else ():
            if found := pattern.fullmatch(english):
                yield Said(told, tuple(zip(found.groups(), kinds, strict=True)))

    @cached_property
    def _patterns(self) -> tuple[tuple[re.Pattern[str], tuple[str, ...], str], ...]:
        """Those with gaps, from the one that says most to the one that says least."""
        gaps = [(english, told) for english, told in self.said.items() if _GAP.search(english)]
        gaps.sort(key=lambda pair: (-len(_GAP.sub("", pair[0])), pair[0]))
        return tuple(_pattern(english, told) for english, told in gaps)

    def split(self, english: str) -> Iterator[tuple[str, str, str]]:
        """Give the ways to take the first off several things: it, what joins them, and the rest."""
        for joint in _JOINED if len(english) <= _LONG else ():
            for found in re.finditer(re.escape(joint), english):
                yield english[: found.start()], joint, english[found.end() :]


def _pattern(english: str, told: str) -> tuple[re.Pattern[str], tuple[str, ...], str]:
    *parts, last = _GAP.split(english)
    words, kinds = parts[::2], parts[1::2]
    pairs = zip(map(re.escape, words), (_FILLED[kind] for kind in kinds), strict=True)
    pattern = "".join(part for pair in pairs for part in pair) + re.escape(last)
    return re.compile(pattern, re.DOTALL), tuple(kinds), _GAP.sub("{}", told)


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
