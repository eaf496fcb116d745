"""How privacy bugs are seeded into a good release of a register."""

from __future__ import annotations

from collections.abc import Callable

from tests.auditing.invariance_draft import Draft

Bug = Callable[[Draft], None]
BUGS: list[tuple[str, Bug]] = []
"""The check that must fail, and what spoils the release."""
REFUSED: list[Bug] = []
"""What makes it no release at all."""


def caught_by(check: str) -> Callable[[Bug], Bug]:
    """Seed a bug that this check must catch."""

    def keep(bug: Bug) -> Bug:
        BUGS.append((check, bug))
        return bug

    return keep


def refused(bug: Bug) -> Bug:
    """Seed a bug for which the reader must refuse the description, before any audit."""
    REFUSED.append(bug)
    return bug
