"""What the command line tells and proposes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from anachron.cli.answer import aligned
from anachron.cli.proposals import Given, Proposing
from anachron.release import Release
from anachron.source.propose import Proposal, propose
from tests.house.toy.promise import Frequent


def summary(release: Release, told: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Say who was published."""
    people = told["people"]
    facts = [("People", f"{people:,} with at least {release.guarantee['n']} rows")]
    return {"people": people}, aligned(facts)


def _look(given: Given) -> Proposal:
    """Give each column the role that it has among events; a time has none."""
    found = propose(given.table, given.subject, given.time, given.quasi, given.sensitive)
    return replace(found, time="")


PROPOSAL = Proposing(
    _look,
    lambda _k, _found: Frequent(n=2),
    {"n": "Whoever has fewer rows is left out."},
)
