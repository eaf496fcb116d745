"""Which role each column should have: in doubt quasi, or at home, never as it is.

*Quasi* is what outsiders may know of a person. *Sensitive* is published as it is, so only what the
table is about, by its name, and what makes hardly anybody unique by itself. *Home* is what never
leaves; a person who knows the table may give it another role.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from anachron.proposing.columns import Facts
from anachron.proposing.contents import TELLING
from anachron.proposing.uniqueness import People
from anachron.proposing.words import says

__all__ = [
    "MANY",
    "Confidence",
    "Name",
    "Role",
    "Weighed",
    "best_known",
    "few_quasi",
    "few_sensitive",
    "find_time",
    "role_of",
]

Name = Literal["subject", "time", "quasi", "sensitive", "series", "home"]
Confidence = Literal["sure", "likely", "doubtful"]

MANY = 1_000
"""More different values than this are too many to publish without a ladder."""
_TELLING = 0.05
"""By sensitive columns, alone or all together, no more than this share of people may be unique."""
_QUASI = 6
"""With more quasi columns than this, hardly any group is large enough."""
_SENSITIVE = 12
"""More columns than this are not proposed to be published as they are."""


@dataclass(frozen=True)
class Role:
    """What a column is proposed to be, and why."""

    column: str
    name: Name
    reason: str
    confidence: Confidence = "likely"


@dataclass(frozen=True)
class Weighed:
    """What is known of a column beside its values."""

    evidence: Facts
    varying: int | None
    """People with several values in it; none if nobody has several rows."""
    unique: float
    """The share of people who are unique by it alone."""


def find_time(columns: Sequence[Facts], taken: Iterable[str]) -> Facts | None:
    """Find the column that looks most like the time of an event."""
    used = set(taken)
    free = [
        c for c in columns if c.may_be_time and c.name not in used and not says(c.name, "birth")
    ]
    # Whole numbers are times only if their name says so.
    sure = [c for c in free if c.is_time or says(c.name, "time")]
    # A finer time says more than the year or the month beside it, and a full column more than one
    # with gaps.
    return max(
        sure,
        key=lambda c: (c.filled, c.is_time, says(c.name, "time"), c.different),
        default=None,
    )


def role_of(seen: Weighed) -> Role:
    """Give a column a role by what its name says and by what its values do."""
    of = seen.evidence
    for reason, confidence in _at_home(seen):
        return Role(of.name, "home", reason, confidence)
    values = f"{of.different:,} different values"
    if says(of.name, "place") and of.kind == "number":
        return Role(of.name, "quasi", f"{values}: a place on the map, which outsiders may know")
    if says(of.name, "quasi", "birth"):
        return _known(seen, f"{values}: the name says that outsiders may know it", "likely")
    if says(of.name, "secret"):
        return _secret(seen, values)
    if seen.varying == 0:
        return _known(
            seen, f"{values}, the same in all rows of a person: outsiders may know it", "doubtful"
        )
    return Role(
        of.name,
        "home",
        f"{values}: nothing tells what it is; make it quasi if outsiders may know it",
        "doubtful",
    )


def _at_home(seen: Weighed) -> Iterable[tuple[str, Confidence]]:
    """Why a column should never leave, if it should not."""
    of = seen.evidence
    if of.kind == "other":
        yield "cannot be published as it is", "sure"
    if of.different < 2:
        yield "the same wherever it is filled in: it tells nothing", "sure"
    if of.looks in TELLING:
        yield f"holds {of.looks}", "sure"
    if of.looks is not None:
        yield f"holds {of.looks}, which others may have too", "likely"
    if says(of.name, "direct"):
        yield "the name says that it may identify or describe a person directly", "likely"
    if of.is_time:
        yield "another column that tells a time would undo the granularity", "likely"
    if says(of.name, "time") and not says(of.name, "birth", "quasi"):
        yield "another column that tells a time would undo the granularity", "doubtful"
    if seen.unique > 0.5 and not of.is_number:
        yield f"{seen.unique:.0%} of the people are unique by it alone", "likely"


def _known(seen: Weighed, reason: str, confidence: Confidence) -> Role:
    of = seen.evidence
    if of.is_number or of.different <= MANY:
        return Role(of.name, "quasi", reason, confidence)
    return Role(of.name, "home", f"{reason}, and they are too many: make classes of them", "likely")


def _secret(seen: Weighed, values: str) -> Role:
    of = seen.evidence
    if seen.unique <= _TELLING and of.different <= MANY:
        reason = f"{values}: the name says that it is what the table is about; published as it is"
        return Role(of.name, "sensitive", reason)
    alone = f"as it is, {seen.unique:.0%} of the people would be unique by it alone"
    if of.is_number:
        return Role(of.name, "quasi", f"{values}: {alone}, so it is made coarser", "likely")
    return Role(of.name, "home", f"{values}: {alone}; make classes of them", "likely")


def best_known(columns: Iterable[str], different: Mapping[str, int]) -> list[str]:
    """Put columns in the order in which outsiders are likely to know them, the likeliest first."""
    return sorted(columns, key=lambda c: (not says(c, "core"), not says(c, "quasi"), different[c]))


def few_quasi(roles: Sequence[Role], different: Mapping[str, int]) -> tuple[Role, ...]:
    """Keep the few quasi columns with which groups can be large; the others stay at home."""
    quasi = [role for role in roles if role.name == "quasi" and role.confidence != "sure"]
    said = sum(role.name == "quasi" for role in roles) - len(quasi)
    kept = best_known([role.column for role in quasi], different)
    rest = {*kept[max(0, _QUASI - said) :]}
    return tuple(
        replace(
            role,
            name="home",
            reason=f"{role.reason}; at home, so that groups stay large",
            confidence="doubtful",
        )
        if role.column in rest
        else role
        for role in roles
    )


def few_sensitive(who: People, roles: Sequence[Role]) -> tuple[Role, ...]:
    """Keep as sensitive only what, all together, makes few people unique."""
    kept = [r.column for r in roles if r.name == "sensitive" and r.confidence == "sure"]
    result = []
    for role in roles:
        if role.name == "sensitive" and role.confidence != "sure":
            reason = _too_telling(who, kept, role.column)
            if reason is None:
                kept.append(role.column)
            else:
                role = Role(role.column, "home", reason, "doubtful")
        result.append(role)
    return tuple(result)


def _too_telling(who: People, kept: Sequence[str], column: str) -> str | None:
    """Why a column should not be published as it is beside those that are, if it should not."""
    if not kept:
        return None
    if len(kept) >= _SENSITIVE:
        return f"{len(kept)} columns are published as they are already"
    share = who.unique([*kept, column]).share
    if share <= _TELLING:
        return None
    return f"with {', '.join(kept)} beside it, {share:.0%} of the people would be unique"
