"""How smugglers are listed: what they leave in a release, and for which releases they work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECRET = "Ann Onymous,1961-02-03,asthma"
"""What is smuggled: a row of the table that nobody may see."""
Smuggle = Callable[[Path], object]


@dataclass(frozen=True)
class Smuggler:
    """A way to hide something in the folder of a release."""

    name: str
    hide: Smuggle
    place: str
    """What the refusal must say, as a regular expression."""
    csv: bool
    """Whether it needs a release with CSV files."""


SMUGGLERS: list[Smuggler] = []


def smuggler(place: str, *, csv: bool = False) -> Callable[..., Any]:
    """Keep smugglers, given by name or decorated, with the place that the refusal must name."""

    def keep(hide: Smuggle | None = None, /, **named: Smuggle) -> Smuggle | None:
        if hide is not None:
            named[hide.__name__] = hide
        SMUGGLERS.extend(Smuggler(name, one, place, csv) for name, one in named.items())
        return hide

    return keep
