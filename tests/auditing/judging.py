"""What a verdict says, in short."""

from __future__ import annotations

import re

from anachron.auditing.verdict import Verdict

_PLACE = re.compile(r"release \d{4}(, group -?\d+)?")


def failing(verdict: Verdict) -> set[str]:
    """The names of the checks that fail."""
    return {check.name for check in verdict.failures}


def assert_holds(verdict: Verdict) -> None:
    """Everything holds, or what does not is told."""
    assert verdict.holds, [str(check) for check in verdict.failures]


def assert_witnesses(verdict: Verdict) -> None:
    """Witnesses are at most five places, each once, and only where something fails."""
    for check in verdict.checks:
        assert len(set(check.witnesses)) == len(check.witnesses) <= 5
        assert all(_PLACE.fullmatch(place) for place in check.witnesses)
        assert not check.witnesses or not check.holds, check.name
