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
a z beyond ±0.7 or z of both signs. Then sigma = 0, and the value is the same at all times.

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
    Part,
    Records,
    gather,
    letter_of_zero,
    widened,
)

__all__ = [
    "LetterEstimate",
    "all_value_bounds",
    "case_of",
    "letter_of",
    "refined_bounds",
    "value_bounds",
]

Case = Literal["Equal", "Contained", "Overlap", "Disjoint"]


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


def value_bounds(
    low: Floats,
    high: Floats,
    letters: Bytes,
    level: Array,
    value_times: tuple[str, ...],
    pattern_times: tuple[str, ...],
    time: str,
) -> Bounds:
    """Bound the value of each record at a time that has only a letter.

    Parameters
    ----------
    low, high
        The published envelopes: a row for each record, a column for each value time.
    letters
        The published patterns: a column for each pattern time.
    level
        The level of each record's pattern.
    value_times, pattern_times
        The names of the columns.
    time
        One of the pattern times, and none of the value times.

    Returns
    -------
    The smallest and the largest value of each record; −∞ or ∞ where the record tells none.
    """
    _only_in(time, pattern_times, value_times, "a letter", "an envelope")
    records = _records(low, high, letters, level, value_times, pattern_times)
    return _bounds(records, records.parts(), pattern_times.index(time))


def all_value_bounds(
    low: Floats,
    high: Floats,
    letters: Bytes,
    level: Array,
    value_times: tuple[str, ...],
    pattern_times: tuple[str, ...],
) -> dict[str, Bounds]:
    """Bound the values at every time that has only a letter; see ``value_bounds``."""
    records = _records(low, high, letters, level, value_times, pattern_times)
    parts = list(records.parts())
    return {
        time: _bounds(records, parts, at)
        for at, time in enumerate(pattern_times)
        if time not in value_times
    }


def refined_bounds(
    low: Floats,
    high: Floats,
    letters: Bytes,
    level: Array,
    value_times: tuple[str, ...],
    pattern_times: tuple[str, ...],
) -> dict[str, Bounds]:
    """Narrow the envelopes of the times that have both, as the letters allow.

    Parameters are those of ``value_bounds``. Doing it again narrows no further.
    """
    records = _records(low, high, letters, level, value_times, pattern_times)
    parts = list(records.parts())
    refined = {}
    for at, time in enumerate(value_times):
        if time in pattern_times:
            lower, upper = _bounds(records, parts, pattern_times.index(time))
            lower, upper = np.maximum(lower, low[:, at]), np.minimum(upper, high[:, at])
            _check_agreement(lower <= upper, np.arange(len(level)))
            refined[time] = lower, upper
    return refined


def letter_of(
    low: Floats,
    high: Floats,
    letters: Bytes,
    level: Array,
    value_times: tuple[str, ...],
    pattern_times: tuple[str, ...],
    time: str,
) -> LetterEstimate:
    """Estimate the letter of each record at a time that has only an envelope.

    It is the letter whose range overlaps the envelope most; of several, the middle one. The
    true letter is that of the value less the pattern's mean, divided by its standard deviation.

    Parameters are those of ``value_bounds``, but ``time`` is a value time and no pattern time.
    A constant pattern has no standard deviation: its estimate is the letter of 0, its range the
    whole alphabet.
    """
    _only_in(time, value_times, pattern_times, "an envelope", "a letter")
    records = _records(low, high, letters, level, value_times, pattern_times)
    at = value_times.index(time)
    bottom, top = widened(low[records.first, at], high[records.first, at])
    letter = letter_of_zero(records.level)
    first, last = np.zeros_like(letter), (records.level - 1).astype(np.uint8)
    for part in records.parts():
        lower, upper = part.ranges()
        rows = part.rows[:, None]
        overlap = np.minimum(upper, top[rows]) - np.maximum(lower, bottom[rows])
        most = overlap.max(axis=1, keepdims=True)
        _check_agreement(most[:, 0] >= 0, records.first[part.rows])
        letter[part.rows] = _middle(overlap == most)
        first[part.rows] = np.argmax(overlap >= 0, axis=1)
        last[part.rows] = part.level - 1 - np.argmax(overlap[:, ::-1] >= 0, axis=1)
    return LetterEstimate(letter[records.run], first[records.run], last[records.run])


def _records(
    low: Floats,
    high: Floats,
    letters: Bytes,
    level: Array,
    value_times: tuple[str, ...],
    pattern_times: tuple[str, ...],
) -> Records:
    """Check what was published before it is used."""
    if case_of(value_times, pattern_times) == "Disjoint":
        raise Refusal(
            "The release has values of some times and patterns of others, and no time has both "
            "(Disjoint): nothing links them, so neither can be estimated from the other. "
            "It takes a release in which at least one time has both."
        )
    values, patterns = (len(level), len(value_times)), (len(level), len(pattern_times))
    if low.shape != values or high.shape != values or letters.shape != patterns:
        raise InputError("Envelopes, letters and levels must be of the same records and times.")
    beyond = letters.max(axis=1, initial=0) >= level
    if beyond.any():
        row = int(np.argmax(beyond)) + 1
        raise ReleaseError(f"Row {row:,}: a letter is not in the alphabet of the row's level.")
    common = [
        (at, pattern_times.index(time))
        for at, time in enumerate(value_times)
        if time in pattern_times
    ]
    return gather(low, high, letters, level, common)


def _bounds(records: Records, parts: Iterable[Part], column: int) -> Bounds:
    """Bound the value of each record at a time of the pattern."""
    letter = records.letters[:, column]
    lower, upper = records.bounds_of_constant()
    for part in parts:
        lower[part.rows], upper[part.rows] = part.bounds(letter[part.rows])
    _check_agreement(lower <= upper, records.first)
    return lower[records.run], upper[records.run]


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
