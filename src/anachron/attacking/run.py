"""Carry out all attacks that apply to a release."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Protocol, cast

import duckdb
import pyarrow as pa

from anachron.attacking.finding import Finding
from anachron.attacking.known import Known
from anachron.errors import InputError, ReleaseError
from anachron.progress import Tell, silent
from anachron.published.strict import Misfit
from anachron.registry import METHODS

__all__ = ["ATTACKS", "Attack", "applying", "attack_all", "left_out"]

ATTACKS = (
    "intersection",
    "swap",
    "equivalence",
    "plausibility",
    "cumulative",
    "learning",
    "composition",
    "share",
    "homogeneity",
    "uniqueness",
    "cover",
    "continuation",
    "corners",
    "order",
)
"""By the names of their modules, in the order in which they are told."""


class Attack(Protocol):
    """What the module of an attack offers."""

    NEEDS: str
    """What it cannot do without: ``"release"``, ``"microdata"`` or ``"ledger"``, or in words."""

    def attack(self, known: Known) -> Finding | None:
        """Try it; None if not enough is known."""


def applying(methods: Collection[str], names: Collection[str] = ()) -> tuple[str, ...]:
    """Name the attacks that apply to a release of these methods; of those asked for, if any are.

    Raises
    ------
    InputError
        If one is asked for that there is not, or that does not apply.
    """
    known = frozenset().union(*(METHODS[method].attacks for method in methods))
    apply = tuple(name for name in ATTACKS if name in known)
    for name in names:
        if name not in ATTACKS:
            near = get_close_matches(name, ATTACKS, 1)
            meant = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(ATTACKS)}."
            raise InputError(f"there is no attack {name!r}; {meant}")
        if name not in apply:
            raise InputError(
                f"the attack {name!r} does not apply to this release; {', '.join(apply)} do."
            )
    return tuple(name for name in apply if not names or name in names)


def attack_all(
    known: Known, names: Collection[str] = (), tell: Tell = silent
) -> tuple[Finding, ...]:
    """Try all attacks that apply and for which enough is known.

    Parameters
    ----------
    known
        The release, and all that is known of it.
    names
        Only these attacks; without any, all.
    tell
        Hears what is being tried, and the share of the attacks that is done.
    """
    chosen = applying(known.methods, names)
    found: list[Finding] = []
    for place, name in enumerate(chosen):
        tell(f"trying {name}", place / len(chosen))
        try:
            finding = _module(name).attack(known)
        except (pa.ArrowException, duckdb.Error, Misfit):
            # Not chained: what the readers say may quote cells.
            raise ReleaseError(f"{known.release.place} cannot be read as a release.") from None
        if finding is not None:
            found.append(finding)
    return tuple(found)


def left_out(
    methods: Collection[str], found: Iterable[Finding], names: Collection[str] = ()
) -> Sequence[tuple[str, str]]:
    """Name the attacks that apply but could not be tried, each with what it needs."""
    tried = {finding.attack for finding in found}
    return [(name, _module(name).NEEDS) for name in applying(methods, names) if name not in tried]


def _module(name: str) -> Attack:
    return cast("Attack", import_module(f"anachron.attacking.{name}"))
