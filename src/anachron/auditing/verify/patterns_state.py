"""Does the ledger remember who is in which group of a release of series?"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array
from anachron.auditing.history import SeriesPast
from anachron.auditing.verdict import Check
from anachron.auditing.verify.invariance_groups import places, whole
from anachron.auditing.verify.patterns_rows import Published
from anachron.auditing.verify.patterns_series import Own
from anachron.engines.local.load import Loaded

__all__ = ["groups_of", "state_check"]

_PSEUDONYM = pa.binary(32)


def state_check(rows: Published, history: SeriesPast) -> Check:
    """Check that as many people are remembered in each group as it has rows, each once."""
    state, found = history.state, ""
    names = set(state.column_names)
    if names - {"first", "until"} != {"subject", "group"} or len(names) % 2:
        found = "other columns"
    elif state.schema.field("subject").type != _PSEUDONYM or any(c.null_count for c in state):
        found = "other types"
    else:
        number, size = np.unique(rows.group, return_counts=True)
        group = whole(state["group"], 0)
        place = places(number, group)
        there = np.bincount(place[place >= 0], minlength=len(number))
        again = len(state) - len(pc.unique(state["subject"]))
        strange = int((place < 0).sum())
        problems = {
            f"{again:,} people more than once": again,
            f"{strange:,} people in groups that are not there": strange,
            f"{int((there != size).sum()):,} groups of another size": (there != size).any(),
        }
        found = "; ".join(text for text, wrong in problems.items() if wrong)
    return Check(
        "state",
        not found,
        "each person once, with the group of the published row",
        found or "as promised",
        "what the ledger remembers",
    )


def groups_of(own: Own, loaded: Loaded, history: SeriesPast) -> tuple[Array, Check]:
    """Give the group of each person, 0 if he has none, and check that no other is remembered."""
    state = history.state
    remembered = state["subject"].combine_chunks()
    if isinstance(remembered, pa.ChunkedArray):
        remembered = pa.concat_arrays(remembered.chunks)
    who = history.pseudonyms(loaded.subject_values)
    place = whole(pc.index_in(who, value_set=remembered), -1)[own.subject]
    known = place >= 0
    strangers = len(remembered) - int(known.sum())
    late = 0
    if own.span is not None and "first" in state.column_names:
        first, until = whole(state["first"], 0), whole(state["until"], 0)
        late = int(((first > own.span[0]) | (until < own.span[1])).sum())
    timeless = own.span is not None and "first" not in state.column_names
    problems = {
        f"{strangers:,} people who have no series": strangers,
        f"{late:,} people at other times": late,
        "no times": timeless,
    }
    found = "; ".join(text for text, wrong in problems.items() if wrong)
    check = Check(
        "memory",
        not found,
        "people of the microdata, and the time of their series",
        found or f"{int(known.sum()):,} people",
        "people whom the ledger remembers",
    )
    return np.where(known, np.append(whole(state["group"], 0), 0)[place], 0), check
