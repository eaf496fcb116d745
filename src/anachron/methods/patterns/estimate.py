"""What a recipient works out from values of some times and patterns of others: Section 6.

A customized release holds envelopes, low to high, at its *value times*, and a pattern over its
*pattern times*. What links them are the times that have both. There the letter says that the
value is in mu + sigma·[lower cut, upper cut], the envelope that it is in [low, high]; mu and
sigma, the mean and the standard deviation of the series over the pattern times, are unknown and
the same at all times. All pairs (mu, sigma ≥ 0) that agree with the record are a polygon:

``value_bounds``   of a time that has only a letter: the extremes of mu + sigma·cut over it
``letter_of``      a time that has only an envelope: the letter whose extremes overlap it most
``refined_bounds`` of a time that has both: its envelope cut down to its letter's extremes

Without a common time (*Disjoint*) nothing links values to patterns, and these refuse.

Every range contains the value of every record it speaks of. Letters count from 0, ``a``.

Notes
-----
The paper takes mu ± √n·sigma as the extremes of every letter. We take the letter's own cuts, and
(n − 1)/√n for the outer two: no value of n is further from the mean, in sample standard
deviations. The paper's bounds by the order of letters, its Lemma 1, follow from the program.
A time outside the pattern is no part of its mean: there the outer letters have no outer cut.

A pattern of the letter of 0 alone, above level 1, is that of a constant series: any other has
a z beyond ±0.7 or z of both signs. Then sigma = 0, and the value is the same at all times. Not so
where letters are those of segments, whose means may be near 0 whatever the series does within.

Cuts and envelopes are widened by what rounding may take away: the bounds are wider than the
program's by some billionths of the standard deviation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from anachron.arrays import Array, Bytes, Flags, Floats
from anachron.errors import InputError, Refusal, ReleaseError
from anachron.methods.patterns.customized import (
    Bounds,
    Programs,
    Runs,
    gather,
    letter_of_zero,
    widened,
)

__all__ = [
    "Customized",
    "LetterEstimate",
    "all_value_bounds",
    "case_of",
    "letter_of",
    "refined_bounds",
    "value_bounds",
]

Case = Literal["Equal", "Contained", "Overlap", "Disjoint"]


class Customized(NamedTuple):
    """What a customized release shows, a row for each record."""

    low: Floats
    """The published envelopes: a column for each value time."""
    high: Floats
    letters: Bytes
    """The published patterns: a column for each pattern time, or for each segment of them."""
    level: Array
    """The level of each record's pattern."""
    value_times: tuple[str, ...]
    pattern_times: tuple[str, ...]
    lengths: tuple[int, ...] | None = None
    """How many of the pattern's times share each letter, if not each has its own."""

    def runs(self) -> Runs:
        """Check what was published before it is used, and keep one of equal records."""
        if case_of(self.value_times, self.pattern_times) == "Disjoint":
            raise Refusal(
                "The release has values of some times and patterns of others, and no time has both "
                "(Disjoint): nothing links them, so neither can be estimated from the other. "
                "It takes a release in which at least one time has both."
            )
        values = len(self.level), len(self.value_times)
        lengths = np.array(self.lengths or (1,) * len(self.pattern_times), dtype=np.int64)
        if lengths.sum() != len(self.pattern_times):
            raise InputError("Segments must hold every time of the pattern once.")
        patterns = len(self.level), len(lengths)
        if not (self.low.shape == self.high.shape == values and self.letters.shape == patterns):
            raise InputError("Envelopes, letters and levels must be of the same records and times.")
        beyond = self.letters.max(axis=1, initial=0) >= self.level
        if beyond.any():
            row = int(np.argmax(beyond)) + 1
            raise ReleaseError(f"Row {row:,}: a letter is not in the alphabet of the row's level.")
        common = [
            (at, self.pattern_times.index(time))
            for at, time in enumerate(self.value_times)
            if time in self.pattern_times
        ]
        return gather(self.low, self.high, self.letters, self.level, common, lengths)


class LetterEstimate(NamedTuple):
    """The estimated letter of a time, and between which letters the true one is."""

    letter: Bytes
    first: Bytes
    last: Bytes


def case_of(value_times: Sequence[str], pattern_times: Sequence[str]) -> Case:
    """Name how value times and pattern times lie to each other, in the paper's words.

    Example
    -------
    >>> case_of(("2005", "2006"), ("2006", "2007"))
    'Overlap'
    """
    values, patterns = set(value_times), set(pattern_times)
    if values == patterns:
        return "Equal"
    if values <= patterns or patterns <= values:
        return "Contained" if values and patterns else "Disjoint"
    return "Overlap" if values & patterns else "Disjoint"


def value_bounds(shown: Customized, time: str) -> Bounds:
    """Bound the value of each record at a time that has only a letter.

    Gives the smallest and the largest value of each; −∞ or ∞ where the record tells none.
    """
    _only_in(time, shown.pattern_times, shown.value_times, "a letter", "an envelope")
    runs = shown.runs()
    return _bounds(runs, runs.programs(), shown.pattern_times.index(time))


def all_value_bounds(shown: Customized) -> dict[str, Bounds]:
    """Bound the values at every time that has only a letter; see ``value_bounds``."""
    runs = shown.runs()
    programs = list(runs.programs())
    return {
        time: _bounds(runs, programs, at)
        for at, time in enumerate(shown.pattern_times)
        if time not in shown.value_times
    }


def refined_bounds(shown: Customized) -> dict[str, Bounds]:
    """Narrow the envelopes of the times that have both, as the letters allow.

    Doing it again narrows no further.
    """
    runs = shown.runs()
    programs = list(runs.programs())
    refined = {}
    for at, time in enumerate(shown.value_times):
        if time in shown.pattern_times:
            lower, upper = _bounds(runs, programs, shown.pattern_times.index(time))
            lower = np.maximum(lower, shown.low[:, at])
            upper = np.minimum(upper, shown.high[:, at])
            _check_agreement(lower <= upper, np.arange(len(shown.level)))
            refined[time] = lower, upper
    return refined


def letter_of(shown: Customized, time: str) -> LetterEstimate:
    """Estimate the letter of each record at a time that has only an envelope.

    It is the letter whose range overlaps the envelope most; of several, the middle one. The
    true letter is that of the value less the pattern's mean, divided by its standard deviation.
    A constant pattern has no standard deviation: its estimate is the letter of 0, its range the
    whole alphabet.
    """
    _only_in(time, shown.value_times, shown.pattern_times, "an envelope", "a letter")
    runs = shown.runs()
    envelope = runs.first, shown.value_times.index(time)
    bottom, top = widened(shown.low[envelope], shown.high[envelope])
    letter = letter_of_zero(runs.level)
    first, last = np.zeros_like(letter), (runs.level - 1).astype(np.uint8)
    for some in runs.programs():
        lower, upper = some.ranges()
        rows = some.rows[:, None]
        overlap = np.minimum(upper, top[rows]) - np.maximum(lower, bottom[rows])
        most = overlap.max(axis=1, keepdims=True)
        _check_agreement(most[:, 0] >= 0, runs.first[some.rows])
        letter[some.rows] = _middle(overlap == most)
        first[some.rows] = np.argmax(overlap >= 0, axis=1)
        last[some.rows] = some.level - 1 - np.argmax(overlap[:, ::-1] >= 0, axis=1)
    return LetterEstimate(letter[runs.run], first[runs.run], last[runs.run])


def _bounds(runs: Runs, programs: Iterable[Programs], column: int) -> Bounds:
    """Bound the value of each record at a time of the pattern."""
    at = runs.place(column)
    letter = runs.letters[:, at.segment]
    lower, upper = runs.bounds_of_constant()
    for some in programs:
        lower[some.rows], upper[some.rows] = some.bounds(letter[some.rows], at)
    _check_agreement(lower <= upper, runs.first)
    return lower[runs.run], upper[runs.run]


def _middle(chosen: Flags) -> Array:
    """Take the middle one of the letters chosen in each row, the lower of two."""
    count = np.cumsum(chosen, axis=1)
    middle: Array = np.argmax(count >= (count[:, -1:] + 1) // 2, axis=1)
    return middle


def _only_in(
    time: str, times: tuple[str, ...], others: tuple[str, ...], has: str, lacks: str
) -> None:
    """Check that a time has the one and lacks the other."""
    if time not in times:
        raise InputError(f"Time {time!r} has no published {has.split()[-1]} in this release.")
    if time in others:
        raise InputError(f"Time {time!r} has {has} and {lacks}; refined_bounds uses both.")


def _check_agreement(agree: Flags, record: Array) -> None:
    """Refuse records that no series can have: a published one always has its own."""
    if not agree.all():
        row = int(record[np.argmin(agree)]) + 1
        raise ReleaseError(
            f"Row {row:,}: no series has this pattern within these envelopes. The release is "
            "not as it was published, or its columns are not those that were named."
        )
