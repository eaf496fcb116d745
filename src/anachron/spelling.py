"""When two ways of writing are one: the folding by which people and values are recognised.

A text is *folded* so: compatible characters become one (full width, ligatures, the two ways of
Unicode to write é; form NFKC), capitals become small (``casefold``), characters that nobody sees
are dropped (zero width, soft hyphens, byte order marks, NUL, variation selectors), and blanks, of
whatever kind and number, become one, and none at the ends. Letters that only look alike (Latin a,
Cyrillic а) stay different, and so do P7 and P07: no rule could know.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Bytes

__all__ = ["SETTING", "SPELT", "Letters", "folded", "foldings", "joined", "letters", "one_way",
           "parted", "trimmed", "trimmings"]  # fmt: skip

SPELT = "capitals, width, blanks, invisible characters or Unicode form"
"""What folding does away with, in words."""
SETTING = 'set spelling to "merge" if they are one, or to "exact" if they are not'
"""What else can be done about two spellings that are refused."""

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that are not drawn, though Unicode files them under letters and marks."""
_ODD = "[^ -~]|  "
"""What ASCII folding does not cover: anything not printable, and blanks in a row."""


@dataclass(frozen=True)
class Letters:
    """Which letters some texts have."""

    plain: bool
    """None but printable ASCII, no blanks at the ends, and no two in a row."""
    small: bool
    capital: bool


def folded(text: str) -> str:
    """Write a text in the one way that stands for all its spellings.

    Example
    -------
    >>> from anachron.spelling import folded
    >>> folded("  Ｆlu\\u200b\\tA ") == folded("flu a")
    True
    """
    while (again := _once(text)) != text:
        text = again
    return text


def foldings(texts: pa.Array) -> pa.Array:
    """Fold each text of a column without repetitions; most are plain ASCII, and quickly done.

    Of names that are :func:`joined`, each part is folded by itself.
    """
    if pa.types.is_binary(texts.type):
        return joined([_once_each(foldings, part) for part in parted(texts)])
    texts = texts.cast(pa.string())
    plain = pc.ascii_lower(pc.ascii_trim_whitespace(texts))
    if _is_plain(texts):
        return plain
    odd = pc.match_substring_regex(texts, _ODD).fill_null(False)
    by_hand = [folded(text) for text in texts.filter(odd).to_pylist()]
    return pc.replace_with_mask(plain, odd, pa.array(by_hand, plain.type))


def trimmings(texts: pa.Array) -> pa.Array:
    """Write each text of a column, or each part of joined names, as :func:`trimmed` does."""
    if pa.types.is_binary(texts.type):
        return joined([_once_each(trimmings, part) for part in parted(texts)])
    return pc.utf8_normalize(pc.utf8_trim_whitespace(texts), "NFC")


def joined(parts: Sequence[pa.Array]) -> pa.Array:
    """One name, as bytes, for people whom several texts tell apart together.

    The length of each part stands before it: ``a`` and ``bc`` are not ``ab`` and ``c``.

    >>> joined([pa.array(["a", "ab"]), pa.array(["bc", "c"])]).to_pylist()
    [b'1:a2:bc', b'2:ab1:c']
    """
    colon = pa.scalar(b":")
    told: list[pa.Array] = []
    for part in parts:
        texts = part.cast(pa.string()).cast(pa.binary())
        told += [pc.binary_length(texts).cast(pa.string()).cast(pa.binary()), colon, texts]
    return pc.binary_join_element_wise(*told, pa.scalar(b""))


def parted(names: pa.Array) -> list[pa.Array]:
    """Give the parts of names that were :func:`joined`, column by column."""
    columns: list[list[bytes]] = []
    for name in names.to_pylist():
        at, place = 0, 0
        while at < len(name):
            begin = name.index(b":", at) + 1
            at = begin + int(name[at : begin - 1])
            if place == len(columns):
                columns.append([])
            columns[place].append(name[begin:at])
            place += 1
    return [pa.array(column, pa.binary()).cast(pa.string()) for column in columns]


def _once_each(change: Callable[[pa.Array], pa.Array], texts: pa.Array) -> pa.Array:
    """Change each of some texts that come again and again."""
    coded = texts.dictionary_encode()
    return change(coded.dictionary).take(coded.indices)


def trimmed(text: str) -> str:
    """Write a text as it counts where spelling does: in Unicode form NFC, no blanks around it."""
    return (text if text.isascii() else unicodedata.normalize("NFC", text)).strip()


def _once(text: str) -> str:
    if not text.isascii():
        text = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    if not text.isprintable():
        text = "".join(" " if c.isspace() else c for c in text if c.isspace() or not _hidden(c))
    text = " ".join(text.casefold().split())
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _hidden(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf")


def letters(texts: pa.Array) -> Letters:
    """Say which letters some texts have, by their bytes."""
    texts = texts.cast(pa.string())
    content = _bytes_of(texts)
    return Letters(
        plain=_is_plain(texts) and bool(pc.ascii_trim_whitespace(texts).equals(texts)),
        small=bool(((content >= ord("a")) & (content <= ord("z"))).any()),
        capital=bool(((content >= ord("A")) & (content <= ord("Z"))).any()),
    )


def one_way(several: Sequence[Letters]) -> bool:
    """Whether no two texts of such letters can be one, folded or trimmed, unless they are equal.

    >>> one_way([letters(pa.array(["P7"])), letters(pa.array(["P8 B"]))])
    True
    >>> one_way([letters(pa.array(["P7"])), letters(pa.array(["p8"]))])
    False
    """
    of_both = any(one.small for one in several) and any(one.capital for one in several)
    return all(one.plain for one in several) and not of_both


def _bytes_of(texts: pa.Array) -> Bytes:
    if not len(texts) or texts.buffers()[2] is None:
        return np.zeros(0, dtype=np.uint8)
    ends = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return np.frombuffer(texts.buffers()[2], np.uint8)[ends[0] : ends[-1]]


def _is_plain(texts: pa.Array) -> bool:
    """Whether all texts are printable ASCII without two blanks in a row, by their bytes."""
    content = _bytes_of(texts)
    blank = content == ord(" ")
    # Of two texts, one may end and the next begin with a blank: then each is looked at.
    return not (((content < 32) | (content > 126)).any() or (blank[1:] & blank[:-1]).any())
