"""The same text, written in other ways; and tables in which it is."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import pyarrow as pa

WAYS: dict[str, Callable[[str], str]] = {
    "capitals": str.upper,
    "width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "blanks around": lambda text: f"\t{text} ",
    "kind of blank": lambda text: text.replace(" ", "\u00a0\u2003"),
    "zero width": lambda text: f"{text[:1]}\u200b{text[1:]}",
    "byte order mark": lambda text: f"\ufeff{text}",
    "soft hyphen": lambda text: f"{text[:-1]}\u00ad{text[-1:]}",
    "NUL": lambda text: f"{text}\0",
    "variation selector": lambda text: f"{text}\ufe0f",
}
"""What makes another text of one, and not another person or value."""


def respelled(texts: Iterable[str], seed: int) -> list[str]:
    """Write texts in other ways, some in several at once; blanks inside stay blanks."""
    rng = random.Random(seed)
    found = []
    for text in texts:
        for way in rng.sample(sorted(WAYS), rng.randint(0, 3)):
            text = WAYS[way](text)
        found.append(text)
    return found


def with_column(table: pa.Table, name: str, values: object) -> pa.Table:
    """A table with other values in one column."""
    return table.set_column(table.column_names.index(name), name, [pa.array(values)])
