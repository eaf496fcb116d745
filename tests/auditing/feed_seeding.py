"""How privacy bugs are seeded into a good release of a feed."""

from __future__ import annotations

from collections.abc import Callable

from tests.auditing.feed_draft import Draft

Bug = Callable[[Draft], None]
BOTH = ("anatomy", "generalize")
BUGS: list[tuple[str, str, Bug]] = []
"""How it is published, the check that must fail, and what spoils the release."""
REFUSED: list[tuple[str, Bug]] = []
"""How it is published, and what makes it no release at all."""


def caught_by(check: str, *then: str) -> Callable[[Bug], Bug]:
    """Seed a bug that this check must catch, however snapshots are published or in one way."""

    def keep(bug: Bug) -> Bug:
        BUGS.extend((how, check, bug) for how in then or BOTH)
        return bug

    return keep


def refused(*then: str) -> Callable[[Bug], Bug]:
    """Seed a bug for which the reader must refuse the description, before any audit."""

    def keep(bug: Bug) -> Bug:
        REFUSED.extend((how, bug) for how in then or BOTH)
        return bug

    return keep
