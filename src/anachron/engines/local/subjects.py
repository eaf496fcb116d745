"""The columns that say who: one code for each person, and checks that nobody is two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Flags
from anachron.engines.local.coded import Coded, encode
from anachron.engines.local.kinds import WHOLE
from anachron.engines.local.marked import problem_at
from anachron.errors import Problem
from anachron.schema import EXACT, MERGE, Schema
from anachron.source.base import quoted
from anachron.spelling import SETTING, SPELT, foldings, joined, trimmings

__all__ = [
    "BLANKS", "blank_problems", "each_row", "merged", "spelling_twins", "subject_notes",
    "subject_sql", "together", "twin_problems",
]  # fmt: skip

BLANKS = ("is missing in {n}.", "is an empty text in {n}.")
"""How nobody is named, in the order in which it is told."""
_FILL_IN = "Every row needs its subject. Fill it in or leave the row out."
_LARGE = frozenset({"UBIGINT", "HUGEINT", "UHUGEINT"})


def subject_sql(column: str, kind: str) -> str:
    """SQL for subjects as 64-bit whole numbers or as text."""
    target = "BIGINT" if kind in WHOLE - _LARGE else "VARCHAR"
    return f"CAST({quoted(column)} AS {target})"


def blank_problems(coded: Coded, column: str, file: str) -> Iterable[Problem]:
    """Say where a subject is missing or empty."""
    missing = coded.codes < 0
    if missing.any():
        yield problem_at(missing, BLANKS[0], _FILL_IN, column, file)
    if not pa.types.is_string(coded.values.type):
        return
    alike = foldings(coded.values)
    empty = np.append(_mask(pc.equal(alike, "")), False)[coded.codes]
    if empty.any():
        yield problem_at(empty, BLANKS[1], _FILL_IN, column, file)


def together(columns: Sequence[Coded]) -> Coded:
    """Give people whom several columns tell apart together one code and one name each."""
    codes = columns[0].codes.astype(np.int64)
    first = np.unique(codes, return_index=True)[1]
    for column in columns[1:]:
        both = codes * len(column.values) + column.codes
        _, first, codes = np.unique(both, return_index=True, return_inverse=True)
    parts = [column.values.take(pa.array(column.codes[first])) for column in columns]
    return Coded(codes.astype(np.int32), joined(parts))


def each_row(texts: pa.ChunkedArray) -> Coded:
    """Make a person of each row, whose name is a hash of it; of rows that are alike, numbered.

    So a person has the same name in whatever order the rows come.
    """
    rows = encode(texts).codes
    order = np.argsort(rows, kind="stable")
    heads = np.flatnonzero(np.diff(rows[order], prepend=-1))
    number = np.empty(len(rows), dtype=np.int64)
    number[order] = np.arange(len(rows)) - np.repeat(heads, np.diff(heads, append=len(rows)))
    names = pc.binary_join_element_wise(
        texts.combine_chunks(), pa.array(number).cast(pa.string()), "-"
    )
    return Coded(np.arange(len(rows), dtype=np.int32), names)


def twin_problems(coded: Coded, person: str, file: str, spelling: str) -> Iterable[Problem]:
    """Say who would count as two."""
    if spelling == MERGE or not _is_spelled(coded.values):
        return
    twins = _twins(coded.values, (trimmings if spelling == EXACT else foldings)(coded.values))
    if twins.any():
        differs = "surrounding blanks or in how accents are encoded" if spelling == EXACT else SPELT
        remedy = "Write everybody in one way"
        yield problem_at(
            np.append(twins, False)[coded.codes],
            f"differs from another subject only in {differs} in {{n}}, so one person would count "
            "twice.",
            f"{remedy}." if spelling == EXACT else f"{remedy}; or {SETTING}.",
            person,
            file,
        )


def merged(coded: Coded) -> Coded:
    """Give all spellings of a person one code; the smallest stands for them."""
    if not _is_spelled(coded.values):
        return coded
    alike = foldings(coded.values)
    if not _twins(coded.values, alike).any():
        return coded
    # Of each folding the smallest spelling comes first.
    order = pc.sort_indices(coded.values).to_numpy()
    person = alike.take(pa.array(order)).dictionary_encode().indices.to_numpy()
    _, first = np.unique(person, return_index=True)
    code = np.empty(len(order) + 1, dtype=np.int32)
    code[order], code[-1] = person, -1
    values = coded.values.take(pa.array(order[first]))
    return Coded(code[coded.codes], values)


def spelling_twins(values: pa.Array) -> int:
    """How many subjects differ from another in nothing but how they are spelled."""
    if not _is_spelled(values):
        return 0
    return int(_twins(values, foldings(values)).sum())


def subject_notes(schema: Schema, people: int, twins: int) -> Iterator[str]:
    """What is to be known of who is one person and who is several."""
    if schema.each_row:
        yield (
            f"each of the {people:,} rows counts as another person, because the "
            "subject is 'each row': whoever has several rows is protected less than is promised."
        )
        return
    if not twins:
        return
    many = f"{twins:,} of {people:,} subjects in column {schema.person!r}"
    if schema.spelling == MERGE:
        yield f"{many} are another one, spelled differently, and were merged with it."
    else:
        yield (
            f"{many} differ from another only in {SPELT}. They count as different people, because "
            "spelling is exact; if they are not, groups are smaller than they seem."
        )


def _twins(values: pa.Array, alike: pa.Array) -> Flags:
    """Which of the distinct values are, once made alike, the same as a smaller one.

    So it is the same ones in whatever order rows come.
    """
    if alike.equals(values) or pc.count_distinct(alike).as_py() == len(values):
        return np.zeros(len(values), dtype=bool)
    order = pc.sort_indices(values).to_numpy()
    codes = alike.take(pa.array(order)).dictionary_encode().indices.to_numpy()
    _, first = np.unique(codes, return_index=True)
    repeated = np.ones(len(values), dtype=bool)
    repeated[order[first]] = False
    return repeated


def _is_spelled(values: pa.Array) -> bool:
    """Whether people have names, in one column or in several, and not numbers."""
    return not pa.types.is_integer(values.type)


def _mask(values: pa.Array) -> Flags:
    mask: Flags = values.to_numpy(zero_copy_only=False).astype(bool)
    return mask
