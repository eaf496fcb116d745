"""When two ways of writing a name are one, by other steps than those that published.

Two spellings count as one if they differ only in capitals, width, blanks, invisible characters or
Unicode form, unless spelling is exact: then only blanks around a text and its Unicode form do not
count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["folded_names", "looks", "spelled"]

_BLANKS = re.compile(r"\s+")
_IGNORED = ((0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180D),
            (0x180F, 0x180F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0),
            (0xE0100, 0xE01EF))  # fmt: skip
"""Characters that are not drawn, beside format and control characters."""


def spelled(text: str, *, exact: bool) -> str:
    """One text for all spellings that count as the same."""
    if exact:
        return unicodedata.normalize("NFC", text).strip()
    before = None
    while text != before:
        before = text
        whole = unicodedata.normalize("NFKD", text).casefold()
        drawn = "".join(c for c in whole if c.isspace() or not _is_hidden(c))
        text = _BLANKS.sub(" ", unicodedata.normalize("NFKD", drawn)).strip()
    return text


def folded_names(names: pa.Array, *, exact: bool, whole: bool = True) -> pa.Array:
    """The folded form of each of some different names; most are plain, and quickly done.

    If these are the ``whole`` of the names, those that differ in more than spelling stay as they
    are. Of names of several columns, which are bytes, each part is folded by itself.
    """
    if pa.types.is_binary(names.type):
        folded = [[spelled(text, exact=exact) for text in _parts(n)] for n in names.to_pylist()]
        return pa.array(map(repr, folded), pa.string())
    plain, small, capital = looks(names)
    # What differs at all differs in more than spelling.
    if plain and (exact or (whole and not (small and capital))):
        return names
    found = names if exact else pc.ascii_lower(names)
    if not plain:
        odd = pc.match_substring_regex(names, "[^ -~]|^ | $|  ")
        by_hand = [spelled(text, exact=exact) for text in names.filter(odd).to_pylist()]
        found = pc.replace_with_mask(found, odd, pa.array(by_hand, found.type))
    return found


def _parts(name: bytes) -> Iterator[str]:
    """The texts of which a name is made: each has its length before it."""
    while name:
        length, _, rest = name.partition(b":")
        yield rest[: int(length)].decode()
        name = rest[int(length) :]


def looks(names: pa.Array) -> tuple[bool, bool, bool]:
    """Whether names are of visible ASCII without blanks, and whether some are small, and capitals.

    It is told by their bytes, in a hundredth of the time that it takes to compare names.
    """
    ends = np.frombuffer(names.buffers()[1], np.int32)[names.offset : names.offset + len(names) + 1]
    content = np.frombuffer(names.buffers()[2] or b"", np.uint8)[ends[0] : ends[-1]]
    small, capital = (((content >= low) & (content < low + 26)).any() for low in b"aA")
    return not ((content < 33) | (content > 126)).any(), bool(small), bool(capital)


def _is_hidden(character: str) -> bool:
    if unicodedata.category(character) in ("Cf", "Cc"):
        return True
    return any(low <= ord(character) <= high for low, high in _IGNORED)
