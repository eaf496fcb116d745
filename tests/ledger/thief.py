"""Whoever has a copy of a ledger but not its key, and knows our source.

Three attempts on what lies open: the words in every byte, also of what can be unpacked; the last
cell of a table of which all others are known, by digests; and the value behind each mark, by the
sets of possible values of all who have it. Exact ages are read off the bounds of groups.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.engines.local.load import load
from anachron.schema import Schema
from tests.house.canaries import forms, looks


def copied(ledger: Path) -> Iterator[Path]:
    """The files of a ledger, but for its key."""
    return (file for file in sorted(ledger.rglob("*")) if file.is_file() and file.name != "key")


def words_found(ledger: Path, words: Iterable[str]) -> set[str]:
    """The words that can be read anywhere, in any form that is not a cipher."""
    seen = [look for file in copied(ledger) for look in looks(file)]
    written = {word: [form for form in forms(word) if len(form) >= len(word)] for word in words}
    return {w for w, all_ in written.items() if any(f in look for look in seen for f in all_)}


def last_cell_found(
    ledger: Path, table: pa.Table, schema: Schema, column: str, guesses: Iterable[str]
) -> set[str]:
    """The guesses for the last cell of a table that a digest in the ledger confirms."""
    seen = [look for file in copied(ledger) for look in looks(file)]
    digests = set(re.findall(r"[0-9a-f]{64}", " ".join(look.decode("latin-1") for look in seen)))
    confirmed = set()
    for guess in guesses:
        cells = [*table[column].to_pylist()[:-1], guess]
        place = table.column_names.index(column)
        with closing(load(table.set_column(place, column, pa.array(cells)), schema)) as whole:
            digest = whole.digest()
        after = (hashlib.sha256(f"{digest} after {p}".encode()) for p in (None, *digests))
        if {digest, *(name.hexdigest() for name in after)} & digests:
            confirmed.add(guess)
    return confirmed


def states_found(ledger: Path) -> list[tuple[pa.Table, dict[str, Any]]]:
    """The states of releases that can be opened, with what their numbers stand for."""
    found = []
    for file in copied(ledger):
        try:
            state = pq.read_table(file)
        except (pa.ArrowInvalid, OSError):
            continue
        found.append((state, json.loads((state.schema.metadata or {}).get(b"anachron", b"{}"))))
    return found


def marks_decoded(ledger: Path) -> dict[bytes, str]:
    """The value behind each mark that the sets of its people leave only one for."""
    decoded: dict[bytes, str] = {}
    for state, notes in states_found(ledger):
        if "signatures" not in notes:  # what a feed keeps between two pushes
            continue
        sets: dict[bytes, set[int]] = {}
        columns = (state[name].to_pylist() for name in ("value", "signature"))
        for mark, number in zip(*columns, strict=True):
            possible = set(notes["signatures"][number])
            sets[mark] = sets.get(mark, possible) & possible
        decoded |= {mark: notes["values"][s.pop()] for mark, s in sets.items() if len(s) == 1}
    return decoded


def bounds_found(ledger: Path) -> set[float]:
    """The ends of the intervals of all groups that stand."""
    standing = [notes.get("standing") or {} for _, notes in states_found(ledger)]
    boxes = (one.get(end, []) for one in standing for end in ("low", "high"))
    return {number for sides in boxes for box in sides for number in box}
