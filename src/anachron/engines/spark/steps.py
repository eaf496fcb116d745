"""What is done to rows in one place, batch by batch: in a worker, as the local engine does it.

Steps that follow each other are one task. Which columns a kernel asks for, and which kinds it
makes, it shows on the driver, on no rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anachron.engines.base import Batch, Column, Kernel
from anachron.engines.local.rows import LocalRows
from anachron.engines.spark.columns import Carried, kind_of

__all__ = ["Chosen", "Found", "Mapped", "Step", "needed", "shown"]


@dataclass(frozen=True, eq=False)
class Mapped:
    """Add columns, or replace them."""

    kernel: Kernel
    reads: frozenset[str]
    makes: frozenset[str]

    def __call__(self, rows: LocalRows) -> LocalRows:
        """Let the kernel see a batch."""
        return rows.map(self.kernel)


@dataclass(frozen=True)
class Chosen:
    """Keep the rows of which a column is true."""

    flag: str
    makes: frozenset[str] = frozenset()

    @property
    def reads(self) -> frozenset[str]:
        """The column that tells."""
        return frozenset((self.flag,))

    def __call__(self, rows: LocalRows) -> LocalRows:
        """Keep some rows of a batch."""
        return rows.where(self.flag)


@dataclass(frozen=True, eq=False)
class Found:
    """Add columns of a few other rows by equal keys."""

    others: Batch
    on: Sequence[str]

    @property
    def reads(self) -> frozenset[str]:
        """The keys."""
        return frozenset(self.on)

    @property
    def makes(self) -> frozenset[str]:
        """What is looked up."""
        return frozenset(self.others) - self.reads

    def __call__(self, rows: LocalRows) -> LocalRows:
        """Look up the keys of a batch."""
        return rows.join(self.others, self.on)


Step = Mapped | Chosen | Found


class _Watched(dict[str, Column]):
    """Columns without rows that remember which of them were looked at."""

    def __init__(self, columns: Mapping[str, Column]) -> None:
        super().__init__(columns)
        self.seen: set[str] = set()

    def __getitem__(self, name: str) -> Column:
        self.seen.add(name)
        return super().__getitem__(name)


def shown(
    kernel: Kernel, kinds: Mapping[str, Carried]
) -> tuple[frozenset[str], dict[str, Carried]]:
    """Let a kernel show on no rows what it reads, and what it makes."""
    watched = _Watched({name: kind.empty() for name, kind in kinds.items()})
    made = kernel(watched)
    return frozenset(watched.seen), {name: kind_of(column) for name, column in made.items()}


def needed(
    steps: Sequence[Step], wanted: frozenset[str]
) -> tuple[tuple[Step, ...], frozenset[str]]:
    """The steps without which some columns cannot be made, and the columns they begin with."""
    kept: list[Step] = []
    for step in reversed(steps):
        if isinstance(step, Chosen) or step.makes & wanted:
            kept.append(step)
            wanted = (wanted - step.makes) | step.reads
    return tuple(kept[::-1]), wanted
