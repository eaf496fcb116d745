"""What is planned of (k, P)-anonymity, and what a plan says of every series."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anachron.arrays import Array, Floats
from anachron.kernels.sax import normalised
from anachron.methods.patterns.diversity import Diversity
from anachron.methods.patterns.finest import Objective
from anachron.methods.patterns.losses import Costs, Whole, costs, pattern_losses

__all__ = ["Planned", "Task"]


@dataclass(frozen=True, eq=False)
class Task:
    """All series, and what their groups must be."""

    series: Floats
    """One row for each series, all values finite."""
    k: int
    """Fewest series with one envelope."""
    P: int
    """Fewest series with one envelope and word; at most k."""
    max_level: int
    """Highest level of a word."""
    objective: Objective
    """What decides the level of a P-subgroup."""
    place: Array
    """A different number for each series, which decides ties."""
    diversity: Diversity | None = None
    """What each P-subgroup must hold of the sensitive values, if anything."""
    shapes: Floats | None = None
    """The series whose patterns are published, if they are not the ones whose values are."""
    tree_level: int | None = None
    """Highest level at which words part series; that of a word if not given."""
    cells: int | None = None
    """Fewest series of a cell, if series are parted by value before they are by word."""
    lengths: Array | None = None
    """How many times each segment with a letter has, if there is not one for every time."""

    def __post_init__(self) -> None:
        if not 1 <= self.P <= self.k:
            raise ValueError("P is from 1 to k")
        if len(self.series) < self.k:
            raise ValueError("there are fewer than k series")

    @cached_property
    def z(self) -> Floats:
        """The normalised series of the patterns: a column for each letter."""
        return normalised(self._shapes, self.lengths)

    @cached_property
    def whole(self) -> Whole | None:
        """The series of the patterns, if letters are those of segments."""
        if self.lengths is None:
            return None
        return Whole(self._shapes, self.lengths)

    @property
    def _shapes(self) -> Floats:
        return self.series if self.shapes is None else self.shapes


@dataclass(frozen=True, eq=False)
class Planned:
    """The k-group, the P-subgroup and the level of each series."""

    task: Task
    group: Array
    """Number of the k-group; −1 if suppressed."""
    subgroup: Array
    """Number of the P-subgroup, through all groups; −1 if suppressed."""
    level: Array
    """Level of the published word; 0 if suppressed."""
    bad: int
    """Series that a bad leaf held, before recycling or post-processing."""

    @property
    def kept(self) -> Array:
        """The series that are published."""
        return np.flatnonzero(self.group >= 0)

    def costs(self) -> Costs:
        """Measure what is lost by this plan."""
        lost = pattern_losses(self.task.z, self.level, self.task.whole)[self.kept]
        return costs(self.task.series, self.group, int(self.subgroup.max(initial=-1)) + 1, lost)
