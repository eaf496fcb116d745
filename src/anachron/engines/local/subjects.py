"""The column that says who: one code for each person, and checks that nobody is two."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from anachron.engines.local.coded import Coded
from anachron.engines.local.kinds import WHOLE
from anachron.engines.local.marked import problem_at
from anachron.errors import Problem
from anachron.source.base import quoted

__all__ = ["case_twins", "subject_problems", "subject_sql"]

_FILL_IN = "Every row needs its subject. Fill it in or leave the row out."
_LARGE = frozenset({"UBIGINT", "HUGEINT", "UHUGEINT"})


def subject_sql(column: str, kind: str) -> str:
    """SQL for subjects as 64-bit whole numbers or as text."""
    target = "BIGINT" if kind in WHOLE - _LARGE else "VARCHAR"
    return f"CAST({quoted(column)} AS {target})"


def subject_problems(coded: Coded, column: str, file: str) -> Iterable[Problem]:
    """Say where a subject is missing or empty, and who is counted twice."""
    missing = coded.codes < 0
    if missing.any():
        yield problem_at(missing, "is missing in {n}.", _FILL_IN, column, file)
    if not pa.types.is_string(coded.values.type):
        return
    trimmed = pc.utf8_trim_whitespace(coded.values)
    empty = np.append(_mask(pc.equal(trimmed, "")), False)[coded.codes]
    if empty.any():
        yield problem_at(empty, "is an empty text in {n}.", _FILL_IN, column, file)
    twins = _twins(coded.values, pc.utf8_normalize(trimmed, "NFC"))
    if twins.any():
        yield problem_at(
            np.append(twins, False)[coded.codes],
            "differs from another subject only in surrounding blanks or in how accents are "
            "encoded in {n}, so one person would count twice.",
            "Trim the column and normalise it to Unicode NFC.",
            column,
            file,
        )


def case_twins(values: pa.Array) -> int:
    """How many subjects differ from another in capitals or character width only."""
    if not pa.types.is_string(values.type):
        return 0
    return int(_twins(values, pc.utf8_lower(pc.utf8_normalize(values, "NFKC"))).sum())


def _twins(values: pa.Array, alike: pa.Array) -> npt.NDArray[np.bool_]:
    """Which of the distinct values are, once made alike, the same as an earlier one."""
    if alike.equals(values) or pc.count_distinct(alike).as_py() == len(values):
        return np.zeros(len(values), dtype=bool)
    codes = alike.dictionary_encode().indices.to_numpy()
    _, first = np.unique(codes, return_index=True)
    repeated = np.ones(len(values), dtype=bool)
    repeated[first] = False
    return repeated


def _mask(values: pa.Array) -> npt.NDArray[np.bool_]:
    mask: npt.NDArray[np.bool_] = values.to_numpy(zero_copy_only=False).astype(bool)
    return mask
