"""Judge the leaves of questions on a release of series: must they hold, may they, how likely?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from anachron.arrays import Array, Floats
from anachron.asking.catalogue import Catalogue
from anachron.asking.question import FeatureIn, Leaf, SeriesLeaf, Similar, ValueIn
from anachron.asking.series_columns import Listed
from anachron.asking.series_records import SeriesRecords
from anachron.asking.series_shapes import limits, shapes_of
from anachron.asking.series_spread import Spread, chances
from anachron.asking.series_totals import Chances, everything
from anachron.asking.series_values import Bounds, settled, span_ends, sum_bounds, value_shares
from anachron.asking.suggest import refusal
from anachron.errors import QuestionError

__all__ = ["Asked", "Judge"]

Asked = tuple[Leaf | SeriesLeaf, ...] | None
"""The leaves of a condition, all of which must hold; None if nothing meets it."""

ALL = slice(None)
LEAST = float(np.nextafter(0.0, 1.0))


class Judge:
    """Judges leaves on the classes of a release, one leaf for each question at a time."""

    def __init__(self, records: SeriesRecords, catalogue: Catalogue) -> None:
        self.records = records
        self.catalogue = catalogue

    def values(self, leaves: Sequence[ValueIn]) -> Chances:
        """Judge conditions on values."""
        records = self.records
        self.check_values({time for leaf in leaves for time, _ in leaf.weights})
        weights, ends = _weights(leaves, records.times), span_ends([x.spans for x in leaves])
        order, least = self._order(weights), 1.0 if records.whole else LEAST
        lowest, highest = _signed(sum_bounds(weights, *records.values), order, least)
        must, may = settled(lowest, highest, ends)
        within = lowest, highest
        if not (np.isfinite(lowest).all() and np.isfinite(highest).all()):
            within = _signed(sum_bounds(weights, *records.likely), order, least)
        share = value_shares(weights, *records.likely, ends, within, records.whole)
        return _clipped(Chances(must, may, share))

    def features(self, leaves: Sequence[FeatureIn]) -> Chances:
        """Judge conditions on weighted sums of z: of what a letter stands for."""
        records = self.records
        others = sorted({time for x in leaves for time, _ in x.weights} - {*records.letter})
        weights, ends = _of_letters(leaves, records), span_ends([x.spans for x in leaves])
        self._check_parted(leaves, weights)
        lowest, highest = records.words.feature_bounds(weights)
        if not others:
            must, may = settled(lowest, highest, ends)
            normal = self._spread.sums(weights)
            share = chances(must, may, normal, (lowest, highest), ends)
            return Chances(must, may, share).at(records.word)
        beyond = [self._outside(time) for time in others]
        low, high, middle, doubt = (np.stack(part, axis=1) for part in zip(*beyond, strict=True))
        more = _weights(leaves, tuple(others))
        some = sum_bounds(more, low, high)
        # Of sums of two parts rounding is no longer that of one.
        slack = 1e-9 * (1 + np.abs(more).sum(axis=1, keepdims=True))
        lowest = lowest[:, records.word] + some[0] - slack
        highest = highest[:, records.word] + some[1] + slack
        must, may = settled(lowest, highest, ends)
        mean, variance = (part[:, records.word] for part in self._spread.sums(weights))
        normal = mean + more @ middle.T, variance + more**2 @ doubt.T
        return Chances(must, may, chances(must, may, normal, (lowest, highest), ends))

    def similar(self, leaves: Sequence[Similar]) -> Chances:
        """Judge distances of shapes."""
        words = self.records.words
        if any(len(leaf.sequence) != words.times for leaf in leaves):
            raise refusal(
                self.catalogue,
                f"patterns cover {words.times} times ({', '.join(self.records.pattern_times)}): "
                f"similar() needs as many numbers.",
            )
        sequences = shapes_of(np.array([leaf.sequence for leaf in leaves], dtype=np.float64))
        delta = np.array([leaf.delta for leaf in leaves], dtype=np.float64)
        near, far = words.distance_bounds(sequences)
        limit = limits(delta, words.times)[:, None]
        must, may = far <= limit, near <= limit
        ends = np.full(limit.shape, -np.inf), limit
        normal = self._spread.squared_distances(sequences)
        share = chances(must, may, normal, (near, far), ends)
        outside = np.array([not leaf.inside for leaf in leaves])
        must[outside], may[outside] = ~may[outside], ~must[outside]
        share[outside] = 1.0 - share[outside]
        return Chances(must, may, share).at(self.records.word)

    def plain(
        self, asked: Sequence[Asked], codes: Mapping[str, Array], some: Array | slice = ALL
    ) -> Iterator[tuple[Array, Chances]]:
        """Judge leaves on columns with a code for each class or cell, for all of them or some."""
        for row, leaf in self._plain(asked):
            if leaf.column in codes:
                code = codes[leaf.column][some]
                must, may, guess = (p[code][None] for p in self.column(leaf.column).judge(leaf))
                yield np.array([row]), Chances(must, may, guess.astype(np.float64))

    def cells(self, asked: Sequence[Asked], cells: Array | slice = ALL) -> Chances:
        """Judge leaves on sensitive columns on every cell, or on some."""
        chances = everything(len(asked), len(self.records.cell_class[cells]))
        for row, found in self.plain(asked, self.records.cell_code, cells):
            chances.meet(row, found)
        return chances

    def rows(self, asked: Sequence[Asked]) -> tuple[Floats, Floats, Floats]:
        """Count the rows of each class that must, may and probably do meet the other leaves."""
        records = self.records
        every = records.class_rows.astype(np.float64)
        if not any(leaf.column in records.cell_code for _, leaf in self._plain(asked)):
            return every, every, every
        table = records.kind_rows
        if table is None:
            must, may, guess = zip(*(self._counted(one) for one in asked), strict=True)
            return np.stack(must), np.stack(may), np.stack(guess)
        kinds = self.cells(asked, records.kinds[1])
        return _once(kinds, lambda part: part @ table)

    def _counted(self, asked: Asked) -> tuple[Floats, Floats, Floats]:
        """The same for one question."""
        records = self.records
        weight, size = records.cell_rows.astype(np.float64), len(records.word)

        def added(part: Floats) -> Floats:
            return np.bincount(records.cell_class, part[0] * weight, size).astype(np.float64)

        return _once(self.cells([asked]), added)

    def _plain(self, asked: Sequence[Asked]) -> Iterator[tuple[int, Leaf]]:
        """List the leaves on columns other than series, and the questions they are of."""
        for row, leaves in enumerate(asked):
            for leaf in leaves or ():
                if not isinstance(leaf, SeriesLeaf):
                    self.column(leaf.column)
                    yield row, leaf

    def column(self, name: str) -> Listed:
        """Find a column that holds a value for each row."""
        if name not in self.records.columns:
            raise refusal(self.catalogue, f"{name!r} is no column that each row has a value in.")
        return self.records.columns[name]

    def check_values(self, times: Iterable[str]) -> None:
        """Refuse times whose values nobody can bound."""
        records = self.records
        for time in times:
            self._check_known(time)
            if time not in records.value_times and not records.linked:
                raise self._unlinked(f"values of {time!r} were not published")

    @cached_property
    def _spread(self) -> Spread:
        return Spread(self.records.words)

    def _outside(self, time: str) -> tuple[Floats, Floats, Floats, Floats]:
        self._check_known(time)
        if not self.records.linked:
            raise self._unlinked(f"the patterns leave out {time!r}")
        if time not in self._beyond:
            self._beyond[time] = self.records.outside(time)
        return self._beyond[time]

    @cached_property
    def _beyond(self) -> dict[str, tuple[Floats, Floats, Floats, Floats]]:
        return {}

    def _check_known(self, time: str) -> None:
        if time not in self.records.times:
            raise refusal(self.catalogue, f"nothing was published of the time {time!r}.")

    def _check_parted(self, leaves: Sequence[FeatureIn], weights: Floats) -> None:
        """Refuse differences within a segment, of which a letter tells nothing."""
        for leaf, own in zip(leaves, weights, strict=True):
            named = [time for time, _ in leaf.weights]
            if not own.any() and all(time in self.records.letter for time in named):
                raise refusal(
                    self.catalogue,
                    f"{' and '.join(map(repr, named))} are in one segment of the pattern, which "
                    "has a single letter. Name times of different segments.",
                )

    def _unlinked(self, what: str) -> QuestionError:
        return refusal(
            self.catalogue,
            f"{what}, and no time has both values and a pattern from which they could be "
            "estimated (Disjoint).",
        )

    def _order(self, weights: Floats) -> Array:
        """Tell the sign of differences of two values, where letters differ; else 0.

        Letters ascend with values. Twice the sign where it is that of the computed difference,
        too, which rounding may make 0 if the values are multiplied.
        """
        records = self.records
        order = np.zeros((len(weights), len(records.word)), dtype=np.int64)
        if records.words.averaged:
            # The means of segments ascend with their letters, single values need not.
            return order
        known = np.array([time in records.pattern_times for time in records.times])
        two = (np.count_nonzero(weights, axis=1) == 2) & (weights.sum(axis=1) == 0)
        two &= ~((weights != 0) & ~known).any(axis=1)
        if not two.any():
            return order
        up, down = weights[two].argmax(axis=1), weights[two].argmin(axis=1)
        place = np.array(
            [records.pattern_times.index(t) if t in records.pattern_times else 0
             for t in records.times]
        )  # fmt: skip
        letters = records.words.letters[records.word].astype(np.int64)
        sign = np.sign(letters[:, place[up]] - letters[:, place[down]]).T
        exact = weights[two].max(axis=1, keepdims=True) == 1.0
        order[two] = sign * np.where(exact, 2, 1)
        return order


def _signed(bounds: Bounds, order: Array, smallest: float) -> Bounds:
    """Narrow the bounds of differences whose sign is known; the smallest is above 0."""
    if not order.any():
        return bounds
    lowest, highest = bounds
    least = np.choose(np.maximum(order, 0), [-np.inf, 0.0, smallest])
    most = -np.choose(np.maximum(-order, 0), [-np.inf, 0.0, smallest])
    return np.maximum(lowest, least), np.minimum(highest, most)


def _weights(leaves: Sequence[ValueIn | FeatureIn], times: tuple[str, ...]) -> Floats:
    place = {time: at for at, time in enumerate(times)}
    weights = np.zeros((len(leaves), len(times)))
    for row, leaf in enumerate(leaves):
        for time, weight in leaf.weights:
            if time in place:
                weights[row, place[time]] += weight
    return weights


def _of_letters(leaves: Sequence[FeatureIn], records: SeriesRecords) -> Floats:
    """What counts how much, by the letters that times have."""
    weights = np.zeros((len(leaves), len(records.words.lengths)))
    for row, leaf in enumerate(leaves):
        for time, weight in leaf.weights:
            if time in records.letter:
                weights[row, records.letter[time]] += weight
    return weights


def _once(chances: Chances, made: Callable[[Floats], Floats]) -> tuple[Floats, Floats, Floats]:
    """Make something of all three; only once where they are the same, as without noise."""
    likely = made(chances.share)
    if np.array_equal(chances.must, chances.may):
        return likely, likely, likely
    return made(chances.must.astype(np.float64)), made(chances.may.astype(np.float64)), likely


def _clipped(chances: Chances) -> Chances:
    """Make certain what is certain."""
    chances.share *= chances.may
    np.maximum(chances.share, chances.must, out=chances.share)
    return chances
