"""What the names of columns say about them, in seven languages (``words.toml``).

A name is cut into words (``patientID`` is patient and id), accents are taken off, and each word is
looked up. German and Dutch write in one word what others write in two, so entries may be
beginnings and endings of words.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Literal

__all__ = ["Meaning", "says"]

Meaning = Literal[
    "person",
    "id",
    "affair",
    "time",
    "birth",
    "quasi",
    "secret",
    "direct",
    "place",
    "order",
    "fixed",
    "core",
    "count",
]
"""*Affair*: what people have to do with, and what has numbers of its own, such as a basket or a
shop. *Order*: which person of a household, which line of a form; nobody by itself. *Fixed*: what
stays with a person for life. *Core*: what outsiders are most likely to know. *Count*: how many a
row stands for."""

_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ł": "l"})


def says(name: str, *meanings: Meaning) -> bool:
    """Whether a word of the name has one of the meanings in one of the languages."""
    return any(_known(meaning).fullmatch(word) for meaning in meanings for word in _words(name))


@cache
def _known(meaning: Meaning) -> re.Pattern[str]:
    entries = {word for words in _languages().values() for word in words[meaning].split()}
    return re.compile("|".join(sorted(map(_entry, entries))))


@cache
def _languages() -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


def _entry(word: str) -> str:
    if word.startswith("*"):
        return f".+{word[1:]}"
    if not word.endswith("*"):
        return word
    # "age*" is age and ages, but not agenda.
    return f"{word[:-1]}.*" if len(word) > 5 else f"{word[:-1]}(s|n|en|e|r|i)?"


@cache
def _words(name: str) -> tuple[str, ...]:
    """Cut a name into words of plain small letters, and add those that stand side by side."""
    cut = re.findall(r"[A-ZÀ-Þ]+(?![a-zß-ÿ])|[A-ZÀ-Þ]?[^\W\d_A-ZÀ-Þ]+|[^\W\d_]+", name)
    plain = [_plain(word) for word in cut]
    return (*plain, *(one + two for one, two in pairwise(plain)))


def _plain(word: str) -> str:
    """Small letters without accents, as people write them where they must."""
    spelled = unicodedata.normalize("NFD", word.lower().translate(_SPELLED_OUT))
    return "".join(letter for letter in spelled if not unicodedata.combining(letter))
