"""What is remembered of everyone who was ever published, and how people are recognised.

Notes
-----
The paper keeps the last release only, because its Definition 5 and Lemma 4 assume that nobody
returns: a returner would be in T(n) − T(n−1), get a fresh signature, and the two signatures
would intersect. Here signatures are remembered for ever, people are recognised by their
pseudonym and not by equal tuples, and the division asks the memory instead of T(n−1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from anachron.arrays import Array, Bytes, Floats
from anachron.kernels.digests import insert, texts
from anachron.methods.invariance.buckets import NEW, Signature

__all__ = ["Memory", "StandingGroups"]


@dataclass(frozen=True, eq=False)
class StandingGroups:
    """The groups of sticky mode, for ever: their signatures and boxes, and who is in which."""

    signature: Array
    """Of each group, an index into the memory's signatures."""
    low: Floats
    high: Floats
    group: Array
    """Of each remembered subject."""

    @classmethod
    def empty(cls, quasi: int) -> StandingGroups:
        """Nothing was published yet, with that many quasi columns."""
        none = np.zeros(0, dtype=np.int64)
        box = np.zeros((0, quasi))
        return cls(none, box, box, none)


@dataclass(frozen=True, eq=False)
class Memory:
    """The signatures of all subjects that were ever published."""

    signatures: tuple[Signature, ...] = ()
    """Every signature in use. A signature keeps its place for ever."""
    subjects: Bytes = field(default_factory=lambda: np.zeros((0, 32), dtype=np.uint8))
    """Pseudonyms in ascending order of their bytes."""
    latest: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Of each subject, an index into ``signatures``."""
    earlier: Mapping[bytes, tuple[int, ...]] = field(default_factory=dict)
    """The signatures before the latest, oldest first, of subjects that had to change theirs."""
    standing: StandingGroups | None = None
    """Only in sticky mode."""
    inserted: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The places of the memory before at which new subjects were inserted."""
    published: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The places of those who were published last, in the order in which they were given."""

    def after(
        self,
        signatures: tuple[Signature, ...],
        subjects: Bytes,
        signature: Array,
        known: Array,
        standing: StandingGroups | None = None,
        group: Array | None = None,
    ) -> Memory:
        """Remember what a release published: each subject with its signature (and group).

        ``known`` gives the place of each subject in this memory, or ``NEW``.
        """
        latest = self.latest.copy()
        old = known != NEW
        moved = np.flatnonzero(old & (latest[known] != signature)) if old.any() else known[:0]
        earlier = dict(self.earlier)
        for row in moved.tolist():
            who = subjects[row].tobytes()
            before = int(self.latest[known[row]])
            history = [s for s in earlier.get(who, ()) if s not in (before, signature[row])]
            earlier[who] = (*history, before)
        latest[known[old]] = signature[old]
        fresh = np.flatnonzero(~old)
        fresh = fresh[np.argsort(texts(subjects[fresh]))]
        at = np.searchsorted(texts(self.subjects), texts(subjects[fresh]))
        if standing is not None and group is not None:
            groups = standing.group.copy()
            groups[known[old]] = group[old]
            groups = np.insert(groups, at, group[fresh])
            standing = StandingGroups(standing.signature, standing.low, standing.high, groups)
        published = known + np.searchsorted(at, known, side="right")
        published[fresh] = at + np.arange(len(fresh))
        everyone = insert(self.subjects, at)
        everyone[published] = subjects
        return Memory(
            signatures,
            everyone,
            np.insert(latest, at, signature[fresh]),
            earlier,
            standing,
            at,
            published,
        )
