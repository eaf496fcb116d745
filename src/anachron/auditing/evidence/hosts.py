"""The groups of the people of a register: who is in which, by what the ledger remembers.

Is everyone in a group that is published, with the values that are remembered of them? States are
looked at in pieces; what is kept is told of groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags
from anachron.auditing.evidence.register import Book, OneState, RegisterState
from anachron.auditing.reading.columns import places, some_groups
from anachron.auditing.reading.description import register_of
from anachron.auditing.reading.form import is_legible
from anachron.auditing.reading.register import RegisterGroups, register_groups
from anachron.auditing.reading.spelled import keys_of, text_keys
from anachron.release.read import Release

__all__ = ["Hosts", "Signatures", "hosts_of", "published", "signatures_of"]


@dataclass(frozen=True, eq=False)
class Signatures:
    """The set of values that each group was published with."""

    number: Array
    """Of each group, ascending."""
    signature: Array
    """Of each group, as a number of the book; and of who is in none."""

    def places(self, state: RegisterState) -> Array:
        """The place of the group of everyone in the release; -1 if there is no such group."""
        return places(self.number, state.group[state.present])

    def of(self, state: RegisterState) -> Array:
        """The signature of everyone in the release, as published."""
        return self.signature[self.places(state)]

    def of_everyone(self, state: RegisterState) -> Array:
        """As published, or as remembered of those who are not in it."""
        signature = state.signature.copy()
        signature[state.present] = self.of(state)
        return signature


@dataclass(frozen=True, eq=False)
class Hosts:
    """The groups that people were published in, by what was published and what is remembered."""

    published: Signatures
    real: Array
    """Of each group: how many people are in it."""
    astray: Flags
    """Of each group: whether another signature is remembered of somebody in it."""
    present: int
    """How many people are in the release."""
    nowhere: int
    """How many of them are in no published group."""
    differing: int
    """Of how many of them another signature is remembered."""


def hosts_of(groups: RegisterGroups, memory: OneState, parts: int) -> Hosts:
    """Find the group of everyone who is in a release, given in how many pieces to look."""
    shown = published(groups, memory.book)
    real = np.zeros(len(groups.number), dtype=np.int64)
    astray = np.zeros(len(groups.number), dtype=bool)
    present = nowhere = differing = 0
    for state in memory.pieces(parts):
        place = shown.places(state)
        there = place >= 0
        wrong = shown.signature[place] != state.signature[state.present]
        real += np.bincount(place[there], minlength=len(real))
        astray[place[wrong & there]] = True
        present += len(place)
        nowhere += int((~there).sum())
        differing += int(wrong.sum())
    return Hosts(shown, real, astray, present, nowhere, differing)


def published(groups: RegisterGroups, book: Book) -> Signatures:
    """The signature of each group.

    Groups whose values have the same sum of marks are taken for alike, and compared with the first
    of them; those that differ from it are gathered one by one.
    """
    value = _in_book(groups, book)
    many = len(book.texts) + 1
    mark = np.random.default_rng(0).integers(0, 2**64, many, dtype=np.uint64)
    signature = np.empty(len(groups.number) + 1, dtype=np.int64)
    signature[-1] = book.signature(())
    of_sum: dict[int, int] = {}
    for start, end in some_groups(groups.start, groups.size):
        rows = value[groups.value[_rows(groups, start, end)]]
        begin = groups.start[start:end] - groups.start[start]
        total = np.add.reduceat(mark[rows], begin)
        different, first, which = np.unique(total, return_index=True, return_inverse=True)
        number = np.empty(len(different), dtype=np.int64)
        for at, (one, place) in enumerate(zip(different.tolist(), first.tolist(), strict=True)):
            if one not in of_sum:
                of_sum[one] = _gathered(groups, value, book, start + place)
            number[at] = of_sum[one]
        signature[start:end] = number[which]
    for at in _unlike(groups, value, signature, book):
        signature[at] = _gathered(groups, value, book, at)
    return Signatures(groups.number, signature)


def signatures_of(release: Release | None, state: RegisterState, book: Book) -> Array:
    """The set of values of everyone's group: as published, or else as the ledger remembers it."""
    form = None if release is None else register_of(release)
    if form is None or not is_legible(form):
        return state.signature[state.present]
    return published(register_groups(form), book).of(state)


def _unlike(groups: RegisterGroups, value: Array, signature: Array, book: Book) -> Iterator[int]:
    """The groups that have other values than their signature says, or one of them twice."""
    size = book.sizes()
    width = len(book.texts) + 1
    known = np.sort(
        np.array([n * width + v for n, s in enumerate(book.signatures) for v in s], dtype=np.int64)
    )
    for start, end in some_groups(groups.start, groups.size):
        code = groups.value[_rows(groups, start, end)]
        many, said = groups.size[start:end], signature[start:end]
        of_row = np.repeat(np.arange(end - start), many)
        belongs = places(known, said[of_row] * width + value[code]) >= 0
        matching = np.bincount(of_row[belongs & (value[code] >= 0)], minlength=end - start)
        again = np.zeros(len(code), dtype=bool)
        again[1:] = (code[1:] == code[:-1]) & (of_row[1:] == of_row[:-1])
        odd = (matching != many) | (size[said] != many)
        odd[of_row[again]] = True
        yield from (start + np.flatnonzero(odd)).tolist()


def _gathered(groups: RegisterGroups, value: Array, book: Book, at: int) -> int:
    return book.signature(value[groups.value[_rows(groups, at, at + 1)]].tolist())


def _rows(groups: RegisterGroups, start: int, end: int) -> slice:
    """The rows of some groups."""
    return slice(int(groups.start[start]), int(groups.start[end - 1] + groups.size[end - 1]))


def _in_book(groups: RegisterGroups, book: Book) -> Array:
    """The number of each published value; -1 for one that the ledger does not know.

    The place after the last stands for a missing value.
    """
    # Texts are read as values and not values written as texts: 1 and 1.0 are the same.
    domain = groups.domain
    texts = text_keys(list(book.texts), domain.type, exact=book.exact)
    known = {key: number for number, key in enumerate(texts)}
    numbers = [known.get(key, -1) for key in keys_of(domain, exact=book.exact)]
    return np.array([*numbers, -1], dtype=np.int64)
