"""Ask a release of series: (k,P)-anonymity, full or customized.

A row of such a release says three things of a series: its group's envelope, its pattern, and the
values of its other columns. So a condition on values, or on shapes, holds of a row for certain,
or not at all, or perhaps; together they hold for certain where each does, and perhaps where each
may. The estimate takes them as independent.

=================  =======================================================================
``value``          the part of the envelope that the range covers, after the pattern narrowed
                   it; a time with a letter only has the range that Section 6 estimates
``feature``        how likely the sum is in the range, if numbers are normal within the cells of
                   their letters; a time with an envelope only has the letter that Section 6
                   estimates
``similar``        how likely the shape is near enough, in the same way
other columns      as published; where noise was added, bounds reach as far as it may
=================  =======================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.asking.catalogue import Catalogue, catalogue_of
from anachron.asking.doubt import NOT_KNOWN, WITHIN, unevenness_of_questions
from anachron.asking.figures import Estimates, joined
from anachron.asking.question import (
    Aggregate,
    All,
    Any,
    Condition,
    FeatureIn,
    Grouping,
    Leaf,
    SeriesLeaf,
    Similar,
    ValueIn,
)
from anachron.asking.series_columns import Listed
from anachron.asking.series_judge import Asked, Judge
from anachron.asking.series_records import SeriesRecords, records_of
from anachron.asking.series_totals import Amounts, Chances, counted, everything, means, sums
from anachron.asking.series_values import span_ends
from anachron.asking.series_whole import in_whole_numbers
from anachron.asking.suggest import refusal
from anachron.release.read import Release

__all__ = ["PublishedSeries"]

One = TypeVar("One", ValueIn, FeatureIn, Similar)

CELLS = 1 << 16
"""Questions times cells that are treated together: few enough to stay near the processor."""


class PublishedSeries:
    """A release of series that can be asked.

    Parameters
    ----------
    release
        A release of (k,P)-anonymity.
    """

    def __init__(self, release: Release) -> None:
        self._release = release
        self._catalogue = catalogue_of(release)

    @property
    def catalogue(self) -> Catalogue:
        """What can be asked."""
        return self._catalogue

    def figures(self, conditions: Sequence[Condition], aggregate: Aggregate) -> Estimates:
        """Say for each condition how many series meet it, or the sum or mean of a column."""
        asked = [self._leaves(condition) for condition in conditions]
        target = None if aggregate.column is None else self._target(aggregate)
        columns = self._records.word if target is None else self._records.cell_class
        step = max(1, CELLS // len(columns))
        return joined(
            self._block(asked[at : at + step], aggregate, target)
            for at in range(0, len(asked), step)
        )

    def keys(self, grouping: Grouping) -> list[tuple[object, Condition]]:
        """List the groups of a GROUP BY: a sensitive column, ``level`` or ``pattern``."""
        return self._judge.column(grouping.column).keys()

    def notes(self, condition: Condition) -> tuple[str, ...]:
        """Say what an answer leans on, beyond its figures."""
        return tuple(self._notes(self._leaves(condition) or ()))

    @cached_property
    def _records(self) -> SeriesRecords:
        return records_of(self._release, self._catalogue)

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self._records, self._catalogue)

    def _leaves(self, condition: Condition) -> Asked:
        """Take a conjunction apart."""
        if isinstance(condition, Any):
            if condition.parts:
                raise refusal(
                    self._catalogue,
                    "conditions on series can be joined by AND only, and OR between columns is "
                    "more than this release answers. Ask two questions, or one about both.",
                )
            return None
        if not isinstance(condition, All):
            if isinstance(condition, ValueIn) and self._catalogue.whole_series:
                return (in_whole_numbers(condition),)
            return (condition,)
        parts = [self._leaves(part) for part in condition.parts]
        if any(part is None for part in parts):
            return None
        return tuple(leaf for part in parts if part is not None for leaf in part)

    def _block(
        self, asked: Sequence[Asked], aggregate: Aggregate, target: Listed | str | None
    ) -> Estimates:
        chances = everything(len(asked), len(self._records.word))
        for rows, valued in _rounds(asked, ValueIn):
            chances.meet(rows, self._judge.values(valued))
        for rows, featured in _rounds(asked, FeatureIn):
            chances.meet(rows, self._judge.features(featured))
        for rows, similar in _rounds(asked, Similar):
            chances.meet(rows, self._judge.similar(similar))
        for row, shown in self._judge.plain(asked, self._records.class_code):
            chances.meet(row, shown)
        nothing = [row for row, leaves in enumerate(asked) if leaves is None]
        chances.must[nothing], chances.may[nothing], chances.share[nothing] = False, False, 0.0
        if target is None:
            uneven = unevenness_of_questions(asked, self._records, None)
            return counted(chances, self._judge.rows(asked), uneven)
        return self._told(chances, asked, aggregate, target)

    def _told(
        self, chances: Chances, asked: Sequence[Asked], aggregate: Aggregate, target: Listed | str
    ) -> Estimates:
        """Count, add up or average one column."""
        records = self._records
        here = chances.at(records.cell_class)
        every = np.arange(len(asked))
        here.meet(every, self._judge.cells(asked))
        if isinstance(target, Listed):
            amounts, there = self._listed_amounts(target)
            here.meet(every, Chances(there, there, there.astype(np.float64)))
        else:
            amounts = self._value_amounts(asked, target)
        rows = records.cell_rows.astype(np.float64)
        column = target.name if isinstance(target, Listed) else None
        uneven = unevenness_of_questions(asked, records, column)
        if aggregate.kind == "count":
            return counted(here, (rows, rows, rows), uneven)
        return (sums if aggregate.kind == "sum" else means)(here, rows, amounts, uneven)

    def _listed_amounts(self, column: Listed) -> tuple[Amounts, Flags]:
        """What cells add to a sum of a column, and which of them have a value."""
        records = self._records
        code = records.cell_code.get(column.name)
        if code is None:
            code = records.class_code[column.name][records.cell_class]
        there = ~column.coded.missing[code][None, :]
        numbers = [np.zeros(column.coded.size)] * 3
        if column.coded.numeric:
            numbers = [part.astype(np.float64) for part in (*column.between, column.coded.low)]
        low, high, mean = (part[code][None, :] for part in numbers)
        return Amounts(low, high, mean, np.zeros((1, 1))), there

    def _value_amounts(self, asked: Sequence[Asked], time: str) -> Amounts:
        """What cells add to a sum of values of a time, as far as conditions on it leave it open."""
        records = self._records
        at = records.times.index(time)
        cells = records.cell_class
        ends = _hulls(asked, time)
        low, high = (part[cells, at][None, :] for part in records.values)
        likely = [part[cells, at][None, :] for part in records.likely]
        low, high = np.maximum(low, ends[0]), np.minimum(high, ends[1])
        bottom, top = (np.clip(part, *ends) for part in likely)
        width = top - bottom
        # n whole numbers have the variance (n² − 1) / 12.
        variance = (width**2 + (2 * width if records.whole else 0.0)) / 12
        uneven = WITHIN if time in records.value_times else NOT_KNOWN
        return Amounts(low, high, (bottom + top) / 2, variance, uneven)

    def _target(self, aggregate: Aggregate) -> Listed | str:
        """What is to be added up: a column, or the values of a time."""
        column = self._catalogue.columns.get(str(aggregate.column))
        if column is not None and column.role == "series":
            self._judge.check_values([column.name])
            return column.name
        found = self._judge.column(str(aggregate.column))
        if aggregate.kind != "count" and not found.coded.numeric:
            raise refusal(self._catalogue, f"{found.name!r} holds no numbers to add up.")
        return found

    def _notes(self, leaves: Sequence[Leaf | SeriesLeaf]) -> Iterator[str]:
        records = self._records
        if self._catalogue.withheld:
            yield f"{self._catalogue.withheld:,} series were not published and are not counted."
        weighed = {
            kind: {t for leaf in leaves if isinstance(leaf, kind) for t, _ in leaf.weights}
            for kind in (ValueIn, FeatureIn)
        }
        for time in sorted(weighed[ValueIn] - {*records.value_times}):
            yield f"Values of {time!r} were not published: they are estimated from its letters."
        for time in sorted(weighed[FeatureIn] - {*records.pattern_times}):
            yield f"The pattern leaves out {time!r}: its letter is estimated from its values."
        if records.words.averaged and weighed[FeatureIn] & {*records.pattern_times}:
            yield (
                f"A letter is that of the mean of a segment, of {len(records.words.lengths)}: "
                "features are of the segments that times are in."
            )
        columns = [leaf.column for leaf in leaves if not isinstance(leaf, SeriesLeaf)]
        for column in (records.columns[name] for name in columns if name in records.columns):
            if column.noise:
                yield f"Numbers in {column.name!r} may be off by {column.noise}: noise was added."
        if any(isinstance(leaf, FeatureIn | Similar) for leaf in leaves):
            yield (
                "Shapes are known by letters only: the estimate and its error take them as normal "
                "within each letter."
            )


def _rounds(asked: Sequence[Asked], kind: type[One]) -> Iterator[tuple[Array, list[One]]]:
    """Give the leaves of a kind in rounds in which each question has at most one."""
    rounds: list[list[tuple[int, One]]] = []
    for row, leaves in enumerate(asked):
        for turn, leaf in enumerate(one for one in leaves or () if isinstance(one, kind)):
            if turn == len(rounds):
                rounds.append([])
            rounds[turn].append((row, leaf))
    for some in rounds:
        yield np.array([row for row, _ in some]), [leaf for _, leaf in some]


def _hulls(asked: Sequence[Asked], time: str) -> tuple[Floats, Floats]:
    """From where to where the conditions of each question allow the value of a time."""
    low, high = np.full((2, len(asked), 1), np.inf)
    low = -low
    for row, leaves in enumerate(asked):
        for leaf in leaves or ():
            if isinstance(leaf, ValueIn) and leaf.weights == ((time, 1.0),) and leaf.spans:
                first, last = span_ends([leaf.spans])
                low[row] = max(low[row, 0], float(first.min()))
                high[row] = min(high[row, 0], float(last.max()))
    return low, high
