"""What the command line tells and proposes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anachron.cli.answer import aligned
from anachron.proposing.promises import Promising
from anachron.release import Release
from tests.house.toy.promise import Frequent


def summary(release: Release, told: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Say who was published."""
    people = told["people"]
    facts = [("People", f"{people:,} with at least {release.guarantee['n']} rows")]
    return {"people": people}, aligned(facts)


PROPOSAL = Promising(
    lambda _k, _draft: Frequent(n=2),
    {"n": "Whoever has fewer rows is left out."},
    has_time=False,
)
