"""How many values are left for everyone, from release to release.

A person's candidates after some releases are the values of the groups in which the person stood,
intersected for as long as the person's value stayed the same (Definition 15 of Xiao and Tao).
That is what an adversary is left with who even knows the groups; nobody else is left with less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from anachron.arrays import Array
from anachron.auditing.evidence.hosts import signatures_of
from anachron.auditing.evidence.register import Book, found_in, register_state
from anachron.reporting.charts import Chart
from anachron.reporting.words import digits, plural

if TYPE_CHECKING:
    from anachron.auditing.history import History
    from anachron.release import Release

__all__ = ["Candidates", "candidates", "drawn"]

MOST_RELEASES = 60
"""As many are drawn, the newest."""


@dataclass(frozen=True)
class Candidates:
    """What is left after a release and all before it."""

    release: int
    people: int
    """Who was published up to then."""
    smallest: int
    """The fewest values that are left for anyone."""
    median: float
    largest: int


@dataclass(eq=False)
class _Sets:
    """The set of everyone, as a number of the book, with the value to which it belongs."""

    mark: Array
    signature: Array
    former: dict[tuple[int, int], int]
    """Those of values that a person had before: by person and value."""

    def see(self, person: Array, mark: Array, signature: Array, book: Book) -> None:
        """Intersect with what one more release shows."""
        new = self.mark[person] == -1
        self.mark[person[new]], self.signature[person[new]] = mark[new], signature[new]
        differs = (self.mark[person] != mark) | (self.signature[person] != signature)
        for row in np.flatnonzero(differs).tolist():
            who, now, shown = int(person[row]), int(mark[row]), int(signature[row])
            before = int(self.mark[who])
            self.former[who, before] = int(self.signature[who])
            held = self.former.pop((who, now), shown)
            self.mark[who] = now
            self.signature[who] = book.signature(book.signatures[held] & book.signatures[shown])

    def left(self, release: int, book: Book) -> Candidates:
        """Count them."""
        size = book.sizes()
        here = size[self.signature[self.mark != -1]]
        all_sets = np.append(here, size[list(self.former.values())])
        return Candidates(
            release,
            len(here),
            int(all_sets.min(initial=np.iinfo(np.int64).max)) if len(all_sets) else 0,
            float(np.median(here)) if len(here) else 0.0,
            int(here.max(initial=0)),
        )


def candidates(past: History, release: Release) -> tuple[Candidates, ...]:
    """Follow everyone through the releases; nothing if the ledger's memory cannot be read."""
    book = Book()
    last = register_state(past.state, book)
    states = [*(register_state(table, book) for table in past.before), last]
    if last is None or any(state is None for state in states):
        return ()
    at_hand = {one.number: one for one in (*past.releases, release)}
    nobody = np.full(len(last.subject), -1, dtype=np.int64)
    sets, found = _Sets(nobody, nobody.copy(), {}), []
    for number, state in enumerate(states, release.number - len(states) + 1):
        if state is None:
            return ()
        present = state.present
        person = found_in(state.subject.take(pa.array(present)), last.subject)
        shown = signatures_of(at_hand.get(number), state, book)
        known = person >= 0
        sets.see(person[known], state.mark[present][known], shown[known], book)
        found.append(sets.left(number, book))
    return tuple(found)


def drawn(found: tuple[Candidates, ...], m: int) -> Chart:
    """The smallest and the median candidate set after each release, against what is promised."""
    shown = found[-MOST_RELEASES:]
    # Air above the points: a line along the edge of a drawing is overlooked.
    top = max(m, *(one.median for one in shown)) + 1
    return Chart(
        name="candidates",
        says=f"How many values are left after each of {plural(len(shown), 'release')}: at least "
        f"{min(one.smallest for one in shown)} for anyone; promised are {m}.",
        records=tuple(
            {
                "release": one.release, "smallest": one.smallest, "median": one.median,
                "promised": m, "top": top,
            }
            for one in shown
        ),
        head=("release", "people so far", "fewest values left", "median", "most"),
        rows=tuple(
            (str(one.release), digits(one.people), digits(one.smallest), f"{one.median:g}",
             digits(one.largest))
            for one in shown
        ),
        numeric=(1, 2, 3, 4),
    )  # fmt: skip
