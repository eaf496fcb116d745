"""What a plan is made from: a snapshot, and the parameters of the promise."""

from __future__ import annotations

from dataclasses import dataclass

from anachron.arrays import Array, Bytes, Flags, Floats
from anachron.guarantees.invariance import BALANCE, INELIGIBLE, MODES
from anachron.methods.invariance.changes import Transitions

__all__ = ["Rule", "Snapshot"]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """T(n) as arrays, one place for each person."""

    subjects: Bytes
    """Pseudonyms, an (n, 32) array of bytes. Nobody is there twice."""
    values: Array
    """Sensitive values, as codes that mean the same in all releases."""
    quasi: Floats
    """Quasi values, an (n, d) array; categories by their place in the hierarchy's order."""
    changed: Flags | None = None
    """Who was last published with another sensitive value; None if that is not known."""
    known: Array | None = None
    """The place of each in the memory, if it was looked up before."""


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
