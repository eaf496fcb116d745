"""What a plan is made from: a snapshot, and the parameters of the promise."""

from __future__ import annotations

from dataclasses import dataclass

from anachron.engines.base import Rows
from anachron.guarantees.invariance import BALANCE, INELIGIBLE, MODES
from anachron.methods.invariance.changes import Transitions

__all__ = ["Rule", "Snapshot"]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """T(n), one row for each person, held by an engine.

    ==============  ==================================================================
    ``who``         pseudonym, 32 bytes
    ``value``       sensitive value, as a code that means the same in all releases
    ``quasi``       quasi values; categories by their place in the hierarchy's order
    ``known``       the person's place in the memory, or ``NEW``
    ``signature``   the latest one of a known person, or ``NEW``
    ``standing``    in sticky mode, the group in which a known person stands
    ``changed``     whether they were last published with another sensitive value
    ==============  ==================================================================
    """

    rows: Rows
    tells_changes: bool = True
    """Whether there is a column ``changed``."""


@dataclass(frozen=True)
class Rule:
    """The parameters of the promise; ``plan`` says what the modes are."""

    m: int
    domain: int
    """Number of value codes: signatures are made of codes below it."""
    mode: str = "paper"
    balance: str = "exact"
    when_ineligible: str = "refuse"
    new_may_wait: bool = False
    """Whether new people of whom too many have the same value are held back all the same."""
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None
    """The declared domain of each quasi column; without it, what the snapshot spans."""
    transitions: Transitions | None = None
    constant: bool = False
    """Whether it is declared that no value ever becomes another."""
    declared: tuple[int, ...] | None = None
    """In modes that draw: the codes that a signature can be made of beside what was published
    before; without it, all."""

    @property
    def draws(self) -> bool:
        """Whether signatures are drawn by lot, so that who knows the algorithm learns nothing."""
        return self.mode != "paper"

    @property
    def pools(self) -> bool:
        """Whether new people join signatures that others have, before further ones are opened."""
        return self.balance == "pooled"

    @property
    def apart(self) -> bool:
        """Whether nobody may be seen to have the same value as another whose value changed."""
        return self.mode == "sticky" and self.transitions is not None

    def __post_init__(self) -> None:
        if self.m < 2:
            raise ValueError("m must be at least 2")
        for given, allowed in (
            (self.mode, MODES),
            (self.balance, BALANCE),
            (self.when_ineligible, INELIGIBLE),
        ):
            if given not in allowed:
                raise ValueError(f"expected one of {', '.join(allowed)}")
        if self.balance == "pooled" and self.mode != "transparent":
            raise ValueError("pooling is for mode transparent")
