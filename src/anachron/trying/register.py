"""What the next release of a register comes to."""

from __future__ import annotations

from dataclasses import dataclass

from anachron.trying.figures import Figures, Trying, cost, risk
from anachron.trying.rehearsing import Rehearsed, rehearsing

__all__ = ["REGISTER", "RegisterFigures"]


@dataclass(frozen=True)
class RegisterFigures(Figures):
    """What the next release of a register comes to."""

    fewest_values: int = risk("fewest values")
    """Sensitive values that remain possible for everyone, at least."""
    chance: float = risk("chance", share=True)
    """To know somebody's value, at most."""
    published: int = cost("people")
    """People in the release."""
    counterfeits: int = cost("counterfeits")
    """Rows of nobody."""
    counterfeit_share: float = cost("share", share=True)
    """Of the rows of the release."""
    held_back: int = cost("held back")
    """New people who are left out until there are others enough."""
    left_out: int = cost("left out")
    """Known people whose value would narrow them down."""
    groups: int = cost("groups")
    sets: int = cost("sets", narrow=False)
    """Different sets of possible values."""


def _figures(rehearsed: Rehearsed) -> RegisterFigures:
    told = rehearsed[0][-1]
    fake, people = told["counterfeits"], told["subjects"] - told["held"] - told["refused"]
    fewest = told["smallest_signature"]
    return RegisterFigures(
        fewest_values=fewest,
        chance=1 / max(fewest, 1),
        published=people,
        counterfeits=fake,
        counterfeit_share=fake / max(people + fake, 1),
        held_back=told["held"],
        left_out=told["refused"],
        groups=told["groups"],
        sets=told["signatures"],
    )


REGISTER = Trying(RegisterFigures, rehearsing(_figures))
