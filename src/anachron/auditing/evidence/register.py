"""What the ledger remembers of the people of a register, read without trust.

Signatures and values have numbers of their own in every state. The :class:`Book` gives each the
same number wherever it comes from, so that states and published groups can be compared: is
everyone published in the group that is remembered, under the same signature?
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Flags
from anachron.auditing.evidence.digests import ascends, find, repeated, words_of
from anachron.auditing.reading.columns import NO_MEMORY, notes_of, places, whole
from anachron.auditing.reading.description import register_of
from anachron.auditing.reading.form import is_legible
from anachron.auditing.reading.register import RegisterGroups, register_groups
from anachron.auditing.reading.spelled import keys_of, text_keys
from anachron.behind.folding import spelled
from anachron.release.read import Release

__all__ = [
    "Book",
    "Hosts",
    "RegisterState",
    "found_in",
    "hosts_of",
    "register_state",
    "signatures_of",
]

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


def register_state(table: pa.Table, book: Book) -> RegisterState | None:
    """Read a state; None if it does not have the form of one."""
    try:
        return _state(table.combine_chunks(), book)
    except NO_MEMORY:
        return None


def _state(table: pa.Table, book: Book) -> RegisterState:
    columns = {name: _column(table, name, kind) for name, kind in _COLUMNS.items()}
    if any(columns[name].null_count for name in _ALWAYS_THERE):
        raise ValueError
    subject = words_of(columns["subject"])
    if not ascends(subject) or repeated(subject):
        raise ValueError
    said = notes_of(table)
    numbers = np.array(_signatures(said, book), dtype=np.int64)
    group = whole(columns["group"], 0)
    earlier = columns["earlier"]
    if len(group) and group.min() < 0:
        raise ValueError
    return RegisterState(
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


@dataclass(frozen=True, eq=False)
class Hosts:
    """The groups that people were published in, by what was published and what is remembered."""

    place: Array
    """Of each person in the release: the place of the group; -1 if there is no such group."""
    signature: Array
    """Of each person in the release: the set of values that his group was published with."""
    real: Array
    """Of each group: how many people are in it."""
    differing: Flags
    """Of each person in the release: whether another signature is remembered."""


def hosts_of(groups: RegisterGroups, state: RegisterState, book: Book) -> Hosts:
    """Find the group of everyone who is in a release."""
    present = state.present
    place = groups.places(state.group[present])
    there = place >= 0
    remembered = state.signature[present]
    real = np.bincount(place[there], minlength=len(groups.number))
    # What is remembered of a group is what is remembered of its last member.
    said = np.full(len(groups.number), -1, dtype=np.int64)
    said[place[there]] = remembered[there]
    published = _published(groups, said, book)
    signature = np.full(len(present), book.signature(()), dtype=np.int64)
    signature[there] = published[place[there]]
    return Hosts(place, signature, real, signature != remembered)


def _published(groups: RegisterGroups, said: Array, book: Book) -> Array:
    """The signature of each group; only those that are not as said are gathered one by one."""
    value = _in_book(groups.domain, book)[groups.value]
    signature = np.where(said >= 0, said, 0)
    size = book.sizes()
    width = len(book.texts) + 1
    known = np.sort(
        np.array([n * width + v for n, s in enumerate(book.signatures) for v in s], dtype=np.int64)
    )
    belongs = places(known, np.repeat(signature, groups.size) * width + value) >= 0
    of_row = np.repeat(np.arange(len(said)), groups.size)
    matching = np.bincount(of_row[belongs & (value >= 0)], minlength=len(said))
    repeated = np.zeros(len(value), dtype=bool)
    repeated[1:] = (value[1:] == value[:-1]) & (of_row[1:] == of_row[:-1])
    odd = (said < 0) | (matching != groups.size) | (size[signature] != groups.size)
    odd |= np.bincount(of_row[repeated], minlength=len(said)) > 0
    for at in np.flatnonzero(odd).tolist():
        rows = slice(int(groups.start[at]), int(groups.start[at] + groups.size[at]))
        signature[at] = book.signature(value[rows].tolist())
    return signature


def _in_book(domain: pa.Array, book: Book) -> Array:
    """The number of each published value; -1 for one that the ledger does not know.

    The place after the last stands for a missing value.
    """
    # Texts are read as values and not values written as texts: 1 and 1.0 are the same.
    texts = text_keys(list(book.texts), domain.type, exact=book.exact)
    known = {key: number for number, key in enumerate(texts)}
    numbers = [known.get(key, -1) for key in keys_of(domain, exact=book.exact)]
    return np.array([*numbers, -1], dtype=np.int64)


def signatures_of(release: Release | None, state: RegisterState, book: Book) -> Array:
    """The set of values of everyone's group: as published, or else as the ledger remembers it."""
    form = None if release is None else register_of(release)
    if form is None or not is_legible(form):
        return state.signature[state.present]
    return hosts_of(register_groups(form), state, book).signature
