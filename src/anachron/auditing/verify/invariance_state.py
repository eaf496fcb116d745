"""What the ledger remembers of the people of a register, read without trust.

Signatures and values have numbers of their own in every state. The :class:`Book` gives each the
same number wherever it comes from, so that states and published groups can be compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Words
from anachron.auditing.verify.invariance_groups import whole
from anachron.auditing.verify.spelled import spelled, text_keys

__all__ = ["Book", "State", "found_in", "state_of"]

_DIGEST = pa.binary(32)
_COLUMNS = {
    "subject": _DIGEST,
    "value": _DIGEST,
    "signature": pa.int32(),
    "earlier": pa.list_(pa.int32()),
    "group": pa.int32(),
    "standing": pa.int32(),
}
_ALWAYS_THERE = ("subject", "value", "signature", "earlier")


class Book:
    """Numbers for texts of values, for signatures, and for marks of values."""

    def __init__(self, *, exact: bool = True) -> None:
        self.exact = exact
        """Whether values count as they are spelled."""
        self.texts: dict[str, int] = {}
        """The number of each value, by its first spelling."""
        self._spelled: dict[str, int] = {}
        self.marks: dict[bytes | None, int] = {}
        self.signatures: list[frozenset[int]] = []
        self._number: dict[frozenset[int], int] = {}

    def text(self, text: str) -> int:
        """The number of a value, by its text."""
        number = self._spelled.setdefault(spelled(text, exact=self.exact), len(self._spelled))
        if number == len(self.texts):
            self.texts[text] = number
        return number

    def named(self, text: str, kind: pa.DataType) -> int:
        """The number of a value of a type that a promise names."""
        known = text_keys(list(self.texts), kind, exact=self.exact)
        [key] = text_keys([text], kind, exact=self.exact)
        return known.index(key) if key in known else self.text(text)

    def signature(self, values: Iterable[int]) -> int:
        """The number of a set of values."""
        found = frozenset(values)
        if found not in self._number:
            self._number[found] = len(self.signatures)
            self.signatures.append(found)
        return self._number[found]

    def sizes(self) -> Array:
        """How many values each signature has."""
        return np.array([len(signature) for signature in self.signatures], dtype=np.int64)

    def marks_of(self, column: pa.Array) -> Array:
        """The number of each mark."""
        coded = column.dictionary_encode()
        numbers = [
            self.marks.setdefault(mark, len(self.marks)) for mark in coded.dictionary.to_pylist()
        ]
        return np.array([*numbers, -1], dtype=np.int64)[whole(coded.indices, -1)]


@dataclass(frozen=True, eq=False)
class State:
    """Everyone who was ever published up to a release, one place for each."""

    subject: pa.Array
    mark: Array
    """The value last published, as a number of the book."""
    signature: Array
    """The latest, as a number of the book."""
    owner: Array
    """For each earlier signature, the place of the person."""
    earlier: Array
    """For each earlier signature, its number in the book."""
    group: Array
    """The published group in this release; 0 for who is not in it."""
    standing: Array
    """The group that stands for ever, in sticky mode; -1 if there is none."""

    @property
    def present(self) -> Array:
        """The places of those who are in the release."""
        return np.flatnonzero(self.group)


def state_of(table: pa.Table, book: Book) -> State | None:
    """Read a state; None if it does not have the form of one."""
    try:
        return _state(table.combine_chunks(), book)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        # Among them: wrong JSON, and pyarrow's errors about columns.
        return None


def _state(table: pa.Table, book: Book) -> State:
    columns = {name: _column(table, name, kind) for name, kind in _COLUMNS.items()}
    if any(columns[name].null_count for name in _ALWAYS_THERE) or not _ascend(columns["subject"]):
        raise ValueError
    said = json.loads((table.schema.metadata or {})[b"anachron"])
    numbers = np.array(_signatures(said, book), dtype=np.int64)
    group = whole(columns["group"], 0)
    earlier = columns["earlier"]
    if len(group) and group.min() < 0:
        raise ValueError
    return State(
        subject=columns["subject"],
        mark=book.marks_of(columns["value"]),
        signature=_numbered(numbers, whole(columns["signature"], -1)),
        owner=np.repeat(np.arange(len(earlier)), whole(earlier.value_lengths(), 0)),
        earlier=_numbered(numbers, whole(earlier.flatten(), -1)),
        group=group,
        standing=whole(columns["standing"], -1),
    )


def _column(table: pa.Table, name: str, kind: pa.DataType) -> pa.Array:
    column = table.column(name)
    # The name of the items of a list is a matter of who wrote it.
    items = pa.types.is_list(kind) and pa.types.is_list(column.type)
    if column.type != kind and not (items and column.type.value_type == kind.value_type):
        raise ValueError
    return column.chunk(0) if column.num_chunks else pa.array([], kind)


def found_in(wanted: pa.Array, ascending: pa.Array) -> Array:
    """The place of each wanted digest among ascending ones; -1 where it is not there."""
    if not len(ascending) or wanted.null_count:
        return whole(pc.index_in(wanted, value_set=ascending), -1)
    # Eight bytes tell almost everyone apart, and can be compared as one number.
    words, head = _words(ascending), _words(wanted)[:, 0]
    if (words[1:, 0] == words[:-1, 0]).any():
        return whole(pc.index_in(wanted, value_set=ascending), -1)
    if (head[1:] >= head[:-1]).all():
        at = np.searchsorted(words[:, 0].copy(), head)
    else:  # neighbours are found near each other
        order = np.argsort(head)
        at = np.empty(len(head), dtype=np.int64)
        at[order] = np.searchsorted(words[:, 0].copy(), head[order])
    at = np.minimum(at, len(words) - 1)
    return np.where((words.take(at, axis=0) == _words(wanted)).all(axis=1), at, -1)


def _words(subject: pa.Array) -> Words:
    content = np.frombuffer(subject.buffers()[1], dtype=">u8").reshape(-1, 4)
    return content[subject.offset : subject.offset + len(subject)].astype(np.uint64)


def _ascend(subject: pa.Array) -> bool:
    if not len(subject):
        return True
    content = np.frombuffer(subject.buffers()[1], dtype="S32")
    texts = content[subject.offset : subject.offset + len(subject)]
    return bool((texts[:-1] < texts[1:]).all())


def _signatures(said: dict[str, Any], book: Book) -> Sequence[int]:
    texts, signatures = said["values"], said["signatures"]
    if len(set(texts)) != len(texts) or not all(isinstance(text, str) for text in texts):
        raise ValueError
    values = [book.text(text) for text in texts]
    for codes in signatures:
        if len(set(codes)) != len(codes) or any(not 0 <= code < len(texts) for code in codes):
            raise ValueError
    return [book.signature(values[code] for code in codes) for codes in signatures]


def _numbered(numbers: Array, index: Array) -> Array:
    if len(index) and (index.min() < 0 or index.max() >= len(numbers)):
        raise ValueError
    return numbers[index] if len(index) else index
