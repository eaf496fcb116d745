"""What the ledger remembers of the people of a register, read without trust.

Signatures and values have numbers of their own in every state. The :class:`Book` gives each the
same number wherever it comes from, so that states and published groups can be compared: is
everyone published in the group that is remembered, under the same signature?

A state may be larger than memory. It stands by digests, so it is read in pieces, each with the
people of a range of digests: all that is asked of a person is asked of the same piece of every
state, and what is counted is added up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array
from anachron.auditing.evidence.digests import ascends, find, range_of, repeated, words_of
from anachron.auditing.reading.columns import NO_MEMORY, notes_of, whole
from anachron.auditing.reading.spelled import text_keys
from anachron.behind.folding import spelled
from anachron.memory import given_back, rows_at_once
from anachron.streamed import Streamed

__all__ = [
    "Book",
    "NoStateError",
    "OneState",
    "RegisterState",
    "found_in",
    "memory_of",
    "parts_of",
    "register_state",
]

AT_ONCE = 1 << 17
"""So many people are looked at at a time, or fewer where there is less memory."""
_EACH = 800
"""The memory that a person takes with all that is compared of them."""
_MOST = 400

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
class RegisterState:
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


class NoStateError(ValueError):
    """What is remembered does not have the form of a state."""


@dataclass(frozen=True, eq=False)
class OneState:
    """A state that nobody holds."""

    table: Streamed
    book: Book
    numbers: Array
    """Of each of its signatures, the number in the book."""

    @property
    def people(self) -> int:
        """How many are remembered."""
        return self.table.rows

    def pieces(self, parts: int) -> Iterator[RegisterState]:
        """Give as many pieces, by ranges of digests; an error if there is something else."""
        try:
            for piece in self._cut(parts):
                yield self._piece(piece)
                given_back()
        except NO_MEMORY:
            raise NoStateError from None

    def _cut(self, parts: int) -> Iterator[list[pa.RecordBatch]]:
        """The same as batches."""
        piece: list[pa.RecordBatch] = []
        at, last = 0, [-1]
        for batch in self.table.batches():
            digests = words_of(_column(batch, "subject"))
            if not len(digests):
                continue
            first, end = digests[[0, -1]].tolist()
            if not ascends(digests) or repeated(digests) or last >= first:
                raise ValueError
            last = end
            to = range_of(digests, parts)
            start = 0
            while start < len(to):
                while at < to[start]:
                    yield piece
                    piece, at = [], at + 1
                stop = int(np.searchsorted(to, at, side="right"))
                piece.append(batch.slice(start, stop - start))
                start = stop
        for _ in range(at, parts):
            yield piece
            piece = []

    def _piece(self, batches: Sequence[pa.RecordBatch]) -> RegisterState:
        table = pa.Table.from_batches(batches, self.table.schema).combine_chunks()
        columns = {name: _column(table, name) for name in _COLUMNS}
        if any(columns[name].null_count for name in _ALWAYS_THERE):
            raise ValueError
        group, earlier = whole(columns["group"], 0), columns["earlier"]
        if len(group) and group.min() < 0:
            raise ValueError
        return RegisterState(
            subject=columns["subject"],
            mark=self.book.marks_of(columns["value"]),
            signature=_numbered(self.numbers, whole(columns["signature"], -1)),
            owner=np.repeat(np.arange(len(earlier)), whole(earlier.value_lengths(), 0)),
            earlier=_numbered(self.numbers, whole(earlier.flatten(), -1)),
            group=group,
            standing=whole(columns["standing"], -1),
        )


def parts_of(people: int) -> int:
    """In how many pieces so many people are looked at."""
    return max(min(-(-people // min(rows_at_once(_EACH), AT_ONCE)), _MOST), 1)


def memory_of(table: Streamed | pa.Table, book: Book) -> OneState:
    """Open a state; an error if its notes are not those of one."""
    streamed = Streamed.of(table) if isinstance(table, pa.Table) else table
    try:
        said = notes_of(streamed)
        return OneState(streamed, book, np.array(_signatures(said, book), dtype=np.int64))
    except NO_MEMORY:
        raise NoStateError from None


def register_state(table: Streamed | pa.Table, book: Book) -> RegisterState | None:
    """Hold a whole state; None if it does not have the form of one."""
    try:
        [state] = memory_of(table, book).pieces(1)
    except NoStateError:
        return None
    return state


def _column(table: pa.Table | pa.RecordBatch, name: str) -> pa.Array:
    column, kind = table.column(name), _COLUMNS[name]
    # The name of the items of a list is a matter of who wrote it.
    items = pa.types.is_list(kind) and pa.types.is_list(column.type)
    if column.type != kind and not (items and column.type.value_type == kind.value_type):
        raise ValueError
    if isinstance(column, pa.Array):
        return column
    return column.chunk(0) if column.num_chunks else pa.array([], kind)


def found_in(wanted: pa.Array, ascending: pa.Array) -> Array:
    """The place of each wanted digest among ascending ones; -1 where it is not there."""
    if wanted.null_count:
        return whole(pc.index_in(wanted, value_set=ascending), -1)
    return find(words_of(wanted), words_of(ascending))


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
