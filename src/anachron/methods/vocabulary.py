"""The sensitive values of a ledger: each has a number for ever, and one spelling that is published.

What a table holds is recognised by value and by folded spelling (:mod:`anachron.spelling`). Of the
spellings of a value the one is published that was published before, or that the promise lists; of
a value that is new, the smallest of the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.engines.base import COUNT, ROW, Rows
from anachron.errors import PlanError, Problem, TableError
from anachron.methods.values import UNREADABLE, by_value, typed
from anachron.schema import EXACT, MERGE
from anachron.spelling import SETTING, SPELT, foldings, trimmed

__all__ = ["Distinct", "Vocabulary", "distinct", "recognised", "vocabulary"]


@dataclass(frozen=True, eq=False)
class Distinct:
    """The distinct values of a column, in the order in which they come."""

    values: pa.Array
    count: Array
    """How many rows have each."""
    first: Array
    """The first of these rows."""

    def of(self, values: pa.Array) -> Distinct:
        """The same, in another type."""
        return replace(self, values=values)


def distinct(rows: Rows, column: str) -> Distinct:
    """The distinct values of a column, in the order of the rows in which they come."""
    told = rows.counts((column,), {"first": ("least", ROW)}).collect(column, COUNT, "first")
    by = np.argsort(told["first"])
    values = told[column]
    values = values.take(pa.array(by)) if isinstance(values, pa.Array) else values[by]
    return Distinct(values, told[COUNT][by], told["first"][by])


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Values by number, and what a table holds of them."""

    column: str
    texts: tuple[str, ...]
    """All values that are known or listed, or that the table holds."""
    values: pa.Array
    """The same, as they are published."""
    code: Array
    """Of each row, or of each distinct value that was given, the number of its value."""
    merged: int
    """How many spellings of the table are not published, because another of the same value is."""
    _number: Mapping[str, int]
    _exact: bool

    def number(self, text: str) -> int | None:
        """The number of a value that somebody names, if it is known."""
        [key] = _keys([_as_known(text, self.values.type)], self._exact)
        return self._number.get(key)

    @property
    def notes(self) -> list[str]:
        """What the owner should know of spellings."""
        if not self.merged:
            return []
        return [
            f"{self.merged:,} spellings in column {self.column!r} belong to values that other "
            "rows, earlier releases or the promise spell otherwise, and are published in that "
            "spelling"
        ]


def vocabulary(
    column: pa.Array,
    name: str,
    spelling: str,
    known: Sequence[str] = (),
    listed: Iterable[str] = (),
) -> Vocabulary:
    """Recognise the values of a column without missing ones; refuse what cannot be told.

    Parameters
    ----------
    known
        The texts by which the ledger knows values, by number.
    listed
        Values that the promise names.
    """
    coded = column.dictionary_encode()
    rows = coded.indices.to_numpy()
    _, first, count = np.unique(rows, return_index=True, return_counts=True)
    different = Distinct(coded.dictionary, count, first)
    found = recognised(different, name, spelling, known, listed)
    return replace(found, code=found.code[rows])


def recognised(
    different: Distinct,
    name: str,
    spelling: str,
    known: Sequence[str] = (),
    listed: Iterable[str] = (),
) -> Vocabulary:
    """Recognise distinct values, as :func:`vocabulary` does those of a column."""
    kind, exact = different.values.type, spelling == EXACT
    found, before = _read(different.values, name), _read(_typed(known, kind, name), name)
    named = [_as_known(text, kind) for text in listed]
    if spelling != MERGE:
        _refuse_twins(found, different, name, exact)
        _refuse_listed_twins(named, exact)
    texts, numbers = list(known), _numbered(before, exact)
    # Of what is new, the spelling that is listed, or the smallest.
    wanted = [*named, *sorted(found)]
    new: dict[str, str] = {}
    for text, key in zip(wanted, _keys(wanted, exact), strict=True):
        if key not in numbers:
            new.setdefault(key, text)
    for key, text in sorted(new.items(), key=lambda one: one[1]):
        numbers[key] = len(texts)
        texts.append(text)
    code = [numbers[key] for key in _keys(found, exact)]
    shown = [*before, *texts[len(before) :]]
    return Vocabulary(
        name,
        tuple(texts),
        _typed(texts, kind, name),
        np.array(code, dtype=np.int64),
        sum(shown[number] != text for text, number in zip(found, code, strict=True)),
        numbers,
        exact,
    )


def _keys(texts: Sequence[str], exact: bool) -> list[str]:
    """What each text is recognised by."""
    if exact:
        return [trimmed(text) for text in texts]
    keys: list[str] = foldings(pa.array(texts, pa.string())).to_pylist()
    return keys


def _read(values: pa.Array, name: str) -> list[str]:
    try:
        texts: list[str] = by_value(values).to_pylist()
    except UNREADABLE:
        raise TableError(
            Problem("holds bytes that are no text.", column=name, remedy="Give it as text.")
        ) from None
    return texts


def _typed(texts: Sequence[str], kind: pa.DataType, name: str) -> pa.Array:
    try:
        return typed(texts, kind)
    except UNREADABLE:
        raise TableError(
            Problem(
                "is of a type in which values of earlier releases, or values that the promise "
                "lists, cannot be written.",
                column=name,
                remedy="Give it in the format of before, and list only values that it can hold.",
            )
        ) from None


def _as_known(text: str, kind: pa.DataType) -> str:
    """A value that somebody names, as it would be known; what is none of the type stays."""
    try:
        return str(by_value(typed([text], kind))[0])
    except UNREADABLE:
        return text


def _numbered(texts: Sequence[str], exact: bool) -> dict[str, int]:
    """The number of each known value, by what it is recognised by."""
    numbers = {key: number for number, key in enumerate(_keys(texts, exact))}
    if len(numbers) < len(texts):
        raise PlanError(
            Problem(
                f"the ledger knows values that differ only in {SPELT} as different ones "
                f"({len(texts) - len(numbers):,} of them), from the time when spelling counted.",
                remedy=f'Set spelling to "{EXACT}", or begin a new ledger with other people.',
            )
        )
    return numbers


def _refuse_twins(found: Sequence[str], of: Distinct, name: str, exact: bool) -> None:
    """Refuse values that only a machine can tell apart: they would make few look like many."""
    first: dict[str, int] = {}
    keys = _keys(found, exact)
    # The smallest spelling counts as the first, in whatever order rows come.
    smallest = sorted(range(len(found)), key=found.__getitem__)
    twins = [n for n in smallest if first.setdefault(keys[n], n) != n]
    if not twins:
        return
    differs = "blanks around them or in their Unicode form" if exact else SPELT
    remedy = "Write each value in one way"
    raise TableError(
        Problem(
            f"holds values that differ from others only in {differs} "
            f"({int(of.count[twins].sum()):,} rows).",
            column=name,
            row=int(of.first[twins].min()) + 1,
            remedy=f"{remedy}." if exact else f"{remedy}; or {SETTING}.",
        )
    )


def _refuse_listed_twins(listed: Sequence[str], exact: bool) -> None:
    if len(set(_keys(listed, exact))) < len(set(listed)):
        raise PlanError(
            Problem(
                f"the guarantee lists values that differ only in {SPELT}.",
                remedy=f"Write each in one way; or {SETTING}.",
            )
        )
