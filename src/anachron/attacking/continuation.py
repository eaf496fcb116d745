"""Continuation: the sensitive number is where the series was going.

In the example of the paper on (k,P)-anonymity the series are the incomes of 2005 to 2010, and the
sensitive column is the income of 2011. Who knows Ann's series finds P rows of her shape and values,
and should be right about hers once in P. But incomes change little: the row whose number is nearest
to her income of 2010, or to the line through her last two years, is hers far more often.

The promise (one in P) is about finding a row by values and shape, and holds. What the sensitive
column itself tells is not promised. Do not publish a continuation of the series as content.

Measured
    everyone is looked for among the rows of the own pattern in the own group (without the ledger:
    among all rows that fit). How often is the row with the number nearest to the last value, and
    nearest to the straight continuation, one with the own number? Beside it, how often a row drawn
    by lot would be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags, Floats
from anachron.attacking.finding import Finding, beyond_chance, percent
from anachron.attacking.known import Known
from anachron.auditing.evidence.possible import MANY, expanded, meetings_of, possible
from anachron.auditing.reading.columns import joined, ranked
from anachron.behind import Attribute
from anachron.placing.series import SeriesView

__all__ = ["NEEDS", "Nearest", "attack", "told"]

NEEDS = "microdata, and a sensitive column of numbers"

_ROWS = 4_000_000
"""Pairs of a person and a row that are compared at most."""


@dataclass(frozen=True, eq=False)
class Nearest:
    """What is found of each person."""

    found: Floats
    """The chance that the nearest row has the own number: 1, 0, or between them if several are."""
    luck: Floats
    """That a row drawn by lot has it."""
    rows: Array
    """Among how many rows each person is looked for."""


def told(who: Array, number: Floats, own: Flags, guess: Floats) -> Nearest:
    """Look for people among rows.

    Parameters
    ----------
    who
        For each pair of a person and a row that could be the person's, the person, from 0.
    number
        The sensitive number of the row, NaN if it has none.
    own
        Whether it is the person's.
    guess
        Of each person, the number that is expected.
    """
    people = len(guess)
    away = np.abs(number - guess[who])
    away[np.isnan(away)] = np.inf
    best = np.full(people, np.inf)
    np.minimum.at(best, who, away)
    nearest = away <= best[who]
    near = np.bincount(who[nearest], minlength=people)
    hits = np.bincount(who[nearest & own], minlength=people)
    rows = np.bincount(who, minlength=people)
    mine = np.bincount(who[own], minlength=people)
    return Nearest(hits / np.maximum(near, 1), mine / np.maximum(rows, 1), rows)


def attack(known: Known) -> Finding | None:
    """Guess everyone's row by how the series would go on."""
    view = known.series
    number = None if view is None else _number(view)
    if view is None or number is None:
        return None
    some, who, row = _candidates(view, known.limit, np.random.default_rng(known.seed))
    if not len(who):
        return None
    code = view.rows.value.code[row]
    first, end = view.ranges.first[some[who]], view.ranges.end[some[who]]
    own = (first <= code) & (code < end)
    guesses = {"last value": view.own.last[some], "straight line": _lines(view)[some]}
    found = {name: told(who, number[row], own, guess) for name, guess in guesses.items()}
    name = max(found, key=lambda one: float(found[one].found.sum()))
    best = found[name]
    there = best.rows > 0
    rate, luck = float(best.found[there].mean()), float(best.luck[there].mean())
    promise, people = view.shape.promise, int(there.sum())
    return Finding(
        attack="continuation",
        title="Continuation of the series",
        knows="values and shape of a person's series",
        exposed=beyond_chance(float(best.found[there].sum()), best.luck[there]),
        people=people,
        promised=f"nothing: one in P = {promise.P} is said of who does not look at the content",
        measured=f"{percent(rate)} of rows found by the {name}, {percent(luck)} by lot",
        holds=None,
        figures={
            "found_by_last_value": round(float(found["last value"].found[there].mean()), 4),
            "found_by_straight_line": round(float(found["straight line"].found[there].mean()), 4),
            "found_by_lot": round(luck, 4),
            "one_in_P": round(1 / promise.P, 4),
        },
        sampled=None
        if len(some) == len(view.own)
        else f"{len(some):,} of {len(view.own):,} people",
        about="Picks, among the rows that fit a person, the one whose number continues the series.",
    )


def _number(view: SeriesView) -> Floats | None:
    """The sensitive number of each published row, if there is one such column."""
    if len(view.rows.sensitive) != 1:
        return None
    return Attribute("", *ranked(view.rows.sensitive[0])).numbers


def _lines(view: SeriesView) -> Floats:
    """Where the straight line through the last two known values leads."""
    values, last = view.own.values, view.own.last
    # The last time of all need not be one whose values are published.
    at = -2 if values.shape[1] > 1 and np.array_equal(values[:, -1], last) else -1
    return 2 * last - values[:, at]


def _candidates(
    view: SeriesView, limit: int, rng: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Some people, and pairs of a place among them and a row that could be theirs."""
    rows = view.rows
    people = np.arange(len(view.own)) if view.group is None else np.flatnonzero(view.group > 0)
    some = np.sort(rng.permutation(people)[:limit])
    if view.group is not None:
        who, subgroup = view.in_own_group(some, view.group[some])
    else:
        meetings = meetings_of(rows, view.own, some)
        some = some[:: meetings.pairs // MANY + 1]
        who, subgroup = possible(rows, view.own, some, meetings_of(rows, view.own, some))
    many = np.bincount(who, rows.size[subgroup], len(some))
    fewer = int(np.searchsorted(np.cumsum(many), _ROWS))
    kept = who < max(fewer, 1)
    some, who, subgroup = some[: max(fewer, 1)], who[kept], subgroup[kept]
    by_subgroup = np.argsort(rows.subgroup, kind="stable")
    stop = np.cumsum(rows.size)
    pair, place = joined(expanded((stop - rows.size)[subgroup], stop[subgroup]))
    return some, who[pair], by_subgroup[place]
