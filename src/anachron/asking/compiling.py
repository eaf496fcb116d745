"""Conditions as programs for the kernel, and the counts of all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields, replace

import numpy as np

from anachron.arrays import Array, Bytes, Floats
from anachron.asking.figures import Estimates
from anachron.asking.layout import BY_GROUP, BY_VALUE, CellLayout
from anachron.asking.question import All, Any, Condition, Leaf
from anachron.asking.shares import Judged
from anachron.asking.suggest import refusal
from anachron.asking.tilt import MOMENTS, leaning
from anachron.errors import InternalError

__all__ = ["Asked", "asked", "counts", "parts", "values_asked"]


_AT_ONCE = 1 << 23
"""Judgements of leaves on cells that are kept at the same time."""
_WORTH_A_THREAD = 1 << 21
"""Groups times questions below which a second thread takes longer to start than it saves."""


@dataclass(frozen=True, eq=False)
class Asked:
    """Some conditions, ready for the kernel."""

    leaves: Array
    flags: Bytes
    share: Floats
    doubt: Floats
    what: Array
    which: Array
    spans: Array

    @property
    def tables(self) -> tuple[Bytes, Floats, Floats]:
        """What the leaves say of each code."""
        return self.flags, self.share, self.doubt

    @property
    def programs(self) -> tuple[Array, Array]:
        """What to do, and with which leaf."""
        return self.what, self.which


def counts(layout: CellLayout, conditions: Sequence[Condition]) -> Estimates:
    """Count the records that meet each of some conditions."""
    from anachron.kernels.cells import totals

    kinds = len(fields(Estimates))
    out = np.zeros((len(conditions), kinds + MOMENTS))
    for start, stop in _blocks(layout, conditions):
        block = asked(layout, conditions[start:stop])
        threads = min(os.cpu_count() or 1, 1 + len(layout.size) * (stop - start) // _WORTH_A_THREAD)
        edges = np.linspace(start, stop, threads + 1).astype(int).tolist()

        def work(low: int, high: int, block: Asked = block, start: int = start) -> None:
            spans = block.spans[low - start : high - start]
            totals(layout.arrays, block.leaves, block.tables, block.programs, spans, out[low:high])

        if threads == 1:
            work(start, stop)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(work, edges[:-1], edges[1:]))
    found = Estimates(*np.ascontiguousarray(out[:, :kinds].T))
    return replace(found, lean=found.lean + leaning(out[:, kinds:]))


def asked(layout: CellLayout, conditions: Sequence[Condition]) -> Asked:
    """Judge every different leaf once, and write down how leaves are put together."""
    writing = _Writing(layout)
    spans = np.array([writing.program(c) for c in conditions], dtype=np.int64).reshape(-1, 3, 2)
    empty = Judged(np.zeros(1, dtype=np.uint8), np.zeros(1), np.zeros(1))
    judgements = [*writing.judgements, empty]
    return Asked(
        np.array([*writing.leaves, (0, 0, 0)], dtype=np.int64),
        np.concatenate([one.flags for one in judgements]),
        np.concatenate([one.share for one in judgements]),
        np.concatenate([one.doubt for one in judgements]),
        np.array([*writing.what, 0], dtype=np.int64),
        np.array([*writing.which, 0], dtype=np.int64),
        spans,
    )


def parts(condition: Condition) -> Iterator[Condition]:
    """What all of a condition must be true."""
    if isinstance(condition, All):
        for part in condition.parts:
            yield from parts(part)
    else:
        yield condition


def values_asked(layout: CellLayout, condition: Condition) -> float | None:
    """The share of rows with the sensitive values of a condition, which may go with other columns.

    None if it is about none.
    """
    shares = (
        layout.held(leaf)
        for leaf in _leaves(condition)
        if layout.find(leaf.column).coded.way.role == "sensitive"
    )
    return min(shares, default=None)


def _blocks(layout: CellLayout, conditions: Sequence[Condition]) -> Iterator[tuple[int, int]]:
    cells = sum(placed.coded.size for placed in layout.columns.values()) + 1
    many = max(1, _AT_ONCE // cells)
    for start in range(0, len(conditions), many):
        yield start, min(start + many, len(conditions))


@dataclass(eq=False)
class _Writing:
    """Programs as they are written, one condition after the other."""

    layout: CellLayout
    number: dict[tuple[Leaf, float | None], int] = field(default_factory=dict)
    leaves: list[tuple[int, int, int]] = field(default_factory=list)
    judgements: list[Judged] = field(default_factory=list)
    cells: int = 0
    what: list[int] = field(default_factory=list)
    which: list[int] = field(default_factory=list)
    values: float | None = None
    """The share of rows with the sensitive values that the condition asks for."""

    def program(self, condition: Condition) -> list[tuple[int, int]]:
        """Write a condition, and say where the programs of its groups, rows and values stand."""
        by_level: tuple[list[Condition], ...] = ([], [], [])
        columns: set[str] = set()
        for part in parts(condition):
            by_level[self._level(part, columns)].append(part)
        self.values = values_asked(self.layout, condition)
        spans = []
        for some in by_level:
            start = len(self.what)
            for part in some:
                self._write_part(part)
            spans.append((start, len(self.what)))
        return spans

    def _level(self, part: Condition, columns: set[str]) -> int:
        """Where a part can be decided: with the group, or only with its rows or its values."""
        levels = {BY_GROUP}
        for leaf in _leaves(part):
            if leaf.column in columns:
                raise InternalError(f"{leaf.column} stands in two places of a condition")
            columns.add(leaf.column)
            levels.add(self.layout.find(leaf.column).level)
        if BY_VALUE in levels and any(
            self.layout.find(leaf.column).level != BY_VALUE for leaf in _leaves(part)
        ):
            raise self._apart()
        return max(levels)

    def _apart(self) -> Exception:
        """Rows and values are published in two tables: nothing tells which belong together."""
        catalogue = self.layout.catalogue
        return refusal(
            catalogue,
            "sensitive values are published apart from the other columns: conditions on both can "
            "be joined by AND only.",
            catalogue.with_role("quasi", "time")[0],
            catalogue.with_role("sensitive")[0],
        )

    def _write_part(self, part: Condition) -> None:
        from anachron.kernels.cells import END, HOLDS

        if isinstance(part, Leaf):
            self._write(HOLDS, self._number(part))
        else:
            self._write_tree(part, 0)
            self._write(END)

    def _write_tree(self, condition: Condition, depth: int) -> None:
        from anachron.kernels.cells import BOTH, DEEPEST, EITHER, FALSE, LEAF, TRUE

        if depth >= DEEPEST:
            raise refusal(self.layout.catalogue, "the condition has too many levels.")
        if isinstance(condition, Leaf):
            self._write(LEAF, self._number(condition))
        elif isinstance(condition, All | Any):
            conjunction = isinstance(condition, All)
            if not condition.parts:
                self._write(TRUE if conjunction else FALSE)
            for at, part in enumerate(condition.parts):
                self._write_tree(part, depth + (at > 0))
                if at:
                    self._write(BOTH if conjunction else EITHER)
        else:
            raise refusal(self.layout.catalogue, "the release holds no series.")

    def _write(self, what: int, which: int = 0) -> None:
        self.what.append(what)
        self.which.append(which)

    def _number(self, leaf: Leaf) -> int:
        key = leaf, self.values
        if key not in self.number:
            placed, found = self.layout.find(leaf.column), self.layout.judged(*key)
            self.number[key] = len(self.leaves)
            self.leaves.append((placed.level, placed.at, self.cells))
            self.judgements.append(found)
            self.cells += len(found.flags)
        return self.number[key]


def _leaves(condition: Condition) -> Iterator[Leaf]:
    if isinstance(condition, All | Any):
        for part in condition.parts:
            yield from _leaves(part)
    elif isinstance(condition, Leaf):
        yield condition
