"""At which level is the pattern of each person published?

The ledger remembers the group of each person, not the row. In a group there may be patterns of
several levels that are all the person's own; each has as many rows as people. People are
dealt out from the finest level down, first those whom no coarser pattern of the group fits.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Floats
from anachron.auditing.evidence.possible import expanded
from anachron.auditing.reading.letters import have_words
from anachron.auditing.reading.series import SeriesRows

__all__ = ["levels_of"]


def levels_of(rows: SeriesRows, z: Floats, group: Array) -> Array:
    """Give the level of each person's pattern, from the published group; 0 for who has none."""
    person, subgroup = _fitting(rows, z, group)
    level = np.zeros(len(z), dtype=np.int64)
    chances = np.bincount(person, minlength=len(z))
    of_pair = rows.subgroup_level[subgroup]
    for one in np.unique(of_pair)[::-1].tolist():
        here = np.flatnonzero(of_pair == one)
        chances[person[here]] -= 1
        here = here[level[person[here]] == 0]
        here = here[np.lexsort((chances[person[here]], subgroup[here]))]
        place = np.arange(len(here)) - np.searchsorted(subgroup[here], subgroup[here])
        taken = here[(place < rows.size[subgroup[here]]) | (chances[person[here]] == 0)]
        level[person[taken]] = one
    return level


def _fitting(rows: SeriesRows, z: Floats, group: Array) -> tuple[Array, Array]:
    """Pair people with the subgroups of their group whose pattern is theirs."""
    people = np.flatnonzero(group > 0)
    start = np.searchsorted(rows.subgroup_group, group[people], side="left")
    stop = np.searchsorted(rows.subgroup_group, group[people], side="right")
    none = np.zeros(0, dtype=np.int64)
    found = [(none, none)]
    for who, subgroup in expanded(start, stop):
        right = have_words(z, people[who], subgroup, rows.subgroup_letters, rows.subgroup_level)
        found.append((people[who[right]], subgroup[right]))
    return np.concatenate([a for a, _ in found]), np.concatenate([b for _, b in found])
