"""Learning attack: the groups themselves teach who has which value.

Promises such as "one in m" assume that nothing is known about how values go together with age, sex
or district. But a release teaches just that. If groups with old people more often list arthrosis,
then in a group of one old and one young person, arthrosis is the old person's. No outside data is
needed: start from equal chances, learn from all groups which quasi values go with which sensitive
values, weigh the people inside each group anew, and repeat. Kifer (*Attacks on Privacy and
deFinetti's Theorem*, SIGMOD 2009) showed that this can recover most values when columns are
correlated; Section 2 there calls the assumption that it breaks *random worlds*.

No promise of this package covers it, and no grouping of rows can: it learns what statistics are
published for. What is measured here says how far "one in m" is from what a patient reader reaches.

Measured
    how often the most likely value is the true one, for people whose groups and exact quasi values
    the adversary knows, beside how often it would be if only the groups were known.

Notes
-----
The learner is :mod:`anachron.kernels.learning`, by which questions to a release of two tables are
answered, too.
Counterfeits are people without quasi values. Columns with many values are cut into classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Floats, distinct
from anachron.attacking.finding import Finding, beyond_chance, percent
from anachron.attacking.known import Known
from anachron.behind import Attribute, Members
from anachron.kernels.learning import Pairs, balanced, fitted, paired, weighed

__all__ = ["NEEDS", "Learned", "attack", "classes", "learn", "some_groups"]

NEEDS = "microdata and ledger"

_MARGIN = 0.1
"""Whoever is this much more certain than promised is counted as sure."""
_PAIRS = 400_000
"""Pairs of a person and a value of the group that are weighed at most."""
_QUASI = 24
_VALUES = 60
_CUT_INTO = 10
"""Classes of a column with more values."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What is guessed of each person."""

    guess: Array
    """The most likely value."""
    top: Floats
    """How likely it is thought to be."""
    share: Floats
    """The largest share of a value in the group: what is known without learning."""


def learn(
    group: Array, value: Array, quasi: Sequence[Array], spare: tuple[Array, Array] | None = None
) -> Learned:
    """Guess the value of everyone from groups, quasi values and the values of each group.

    Parameters
    ----------
    group, value
        Of each person, as numbers from 0. Of the values, only how often each is in a group is used.
    quasi
        For each quasi column, the value of each person as a number from 0.
    spare
        Group and value of each counterfeit.
    """
    pairs, values = _paired(group, value, spare)
    rates = fitted(pairs, quasi, [int(q.max(initial=0)) + 1 for q in quasi], values)
    return _guessed(balanced(weighed(pairs, quasi, rates), pairs), pairs, len(group))


def _paired(group: Array, value: Array, spare: tuple[Array, Array] | None) -> tuple[Pairs, int]:
    """Each person, and the counterfeits of each group together, beside each value of the group."""
    none = np.zeros(0, dtype=np.int64)
    fake_group, fake_value = spare if spare is not None else (none, none)
    values = int(max(value.max(initial=0), fake_value.max(initial=0))) + 1
    key = np.concatenate([group, fake_group]) * values + np.concatenate([value, fake_value])
    cell, count = np.unique(key, return_counts=True)
    with_fakes, fakes = np.unique(fake_group, return_counts=True)
    groups = np.concatenate([group, with_fakes])
    person = np.concatenate([np.arange(len(group)), np.full(len(with_fakes), -1)])
    mass = np.concatenate([np.ones(len(group)), fakes.astype(np.float64)])
    return paired(
        (groups, person, mass),
        (cell // values, cell % values, count.astype(np.float64)),
        int(groups.max(initial=-1)) + 1,
    ), values


def _guessed(chance: Floats, pairs: Pairs, people: int) -> Learned:
    if not people:
        return Learned(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))
    start = pairs.start[:people]
    top = np.maximum.reduceat(chance, pairs.start)[:people]
    best = np.flatnonzero(chance[: start[-1] + pairs.length[people - 1]]
                          >= np.repeat(top, pairs.length[:people]))  # fmt: skip
    guess = np.zeros(people, dtype=np.int64)
    guess[pairs.who[best[::-1]]] = pairs.value[best[::-1]]
    often = pairs.count[pairs.cell]
    rows = np.add.reduceat(often, pairs.start)
    known = np.maximum.reduceat(often, pairs.start) / rows
    return Learned(guess, np.minimum(top, 1.0), known[:people])


def attack(known: Known) -> Finding | None:
    """Learn from a release, and count how often the guess is right."""
    members = known.members
    if members is None or not members.sensitive or not members.quasi or not len(members.group):
        return None
    rng = np.random.default_rng(known.seed)
    values = [_values(column) for column in members.sensitive]
    chosen = some_groups(members.group, [value for value, _ in values], known.limit, rng)
    best: Finding | None = None
    for column, value in zip(members.sensitive, values, strict=True):
        found = _of_column(known, members, column.name, value, chosen)
        if best is None or found.exposed > best.exposed:
            best = found
    return best


def _values(column: Attribute) -> tuple[Array, bool]:
    """The values of a column; of numbers, of which each is nearly somebody's own, classes."""
    return (column.code, False) if column.numbers is None else classes(column, _VALUES)


def _of_column(
    known: Known, members: Members, name: str, values: tuple[Array, bool], some: Array
) -> Finding:
    value, cut = values
    quasi = [classes(one, _QUASI)[0][some] for one in members.quasi]
    inside = np.isin(members.spare[0], members.group[some])
    spare = members.spare[0][inside], members.spare[1][inside]
    shown = value if members.candidates is None or cut else members.candidates
    learned = learn(members.group[some], shown[some], quasi, None if cut else spare)
    hit = learned.guess == value[some]
    promised = known.value_share
    bound = np.maximum(learned.share, float(promised or 0))
    sure = learned.top > bound + _MARGIN
    rate, without = float(hit.mean()), float(learned.share.mean())
    right = int((sure & hit).sum())
    people = len(distinct(members.person[some]))
    everyone = len(some) == len(members.group)
    return Finding(
        attack="learning",
        title="Learning from the groups",
        knows="groups and exact quasi values of people; nothing about values",
        exposed=min(beyond_chance(float(hit.sum()), learned.share), people),
        people=people,
        promised="nothing about learning" + (f"; {promised} without it" if promised else ""),
        measured=f"{percent(rate)} of values guessed, {percent(without)} without learning; "
        f"surer than promised of {percent(float(sure.mean()))}",
        holds=None,
        figures={
            "column": name,
            "records": len(some),
            "hit_rate": round(rate, 4),
            "hit_rate_without_learning": round(without, 4),
            "promised": round(float(promised), 4) if promised else "nothing",
            "surer_than_promised": int(sure.sum()),
            "surer_and_right": right,
        },
        sampled=None
        if everyone
        else f"{len(some):,} of {len(members.group):,} records, in whole groups",
        about="Learns from all groups which values go with which people, and guesses inside each.",
    )


def some_groups(
    group: Array, values: Sequence[Array], limit: int, rng: np.random.Generator
) -> Array:
    """The members of some whole groups, all of them if they are few enough.

    ``values`` has the value of each member, once for each column that is learned.
    """
    size = np.bincount(group)
    most = np.zeros(len(size), dtype=np.int64)
    for value in values:
        width = int(value.max(initial=0)) + 1
        cell = distinct(group * width + value) // width
        most = np.maximum(most, np.bincount(cell, minlength=len(size)))
    order = rng.permutation(len(size))
    people, pairs = np.cumsum(size[order]), np.cumsum((size * most)[order])
    taken = (people <= limit) & (pairs <= _PAIRS)
    taken[:1] = True
    chosen = np.zeros(len(size), dtype=bool)
    chosen[order[taken]] = True
    return np.flatnonzero(chosen[group])


def classes(column: Attribute, most: int) -> tuple[Array, bool]:
    """Number the values of a column from 0; more than ``most`` are cut into classes.

    Classes are equally large parts of the values in their order. Also tells whether that was done.

    >>> import pyarrow as pa
    >>> few = Attribute("sex", np.array([1, 0, 1]), pa.array(["f", "m"]))
    >>> classes(few, 5)
    (array([1, 0, 1]), False)
    """
    if column.size - 1 <= most:
        return column.code, False
    edges = np.quantile(column.code, np.arange(1, _CUT_INTO) / _CUT_INTO)
    return np.searchsorted(np.unique(edges), column.code, side="right").astype(np.int64), True
