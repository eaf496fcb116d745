"""Roles: what each column is, and at once who would be unique by it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from anachron.errors import AnachronError, InputError
from anachron.plan import Plan
from anachron.schema import Schema
from anachron.studio.asked import of_plan, opened
from anachron.studio.commands import Doing, typed
from anachron.studio.editing import changed, refitted, state_of
from anachron.studio.projects import Project
from anachron.studio.view import View, Visit

if TYPE_CHECKING:
    from anachron.proposing.columns import Facts
    from anachron.proposing.roles import Name, Role
    from anachron.proposing.uniqueness import Unique
    from anachron.proposing.watched import Watched

__all__ = ["VIEWS"]

NAMES: tuple[Name, ...] = ("subject", "time", "quasi", "sensitive", "series", "home")


@dataclass(frozen=True)
class Card:
    """A column as the page shows it."""

    number: int
    facts: Facts
    proposed: Role
    role: Name
    alone: Unique | None
    """Who is unique by it by itself; none if it cannot be counted."""


def show(visit: Visit) -> Response:
    """All columns as cards, with the roles of the plan."""
    known = opened(visit)
    seen = _seen(visit, known)
    if seen is None:
        return visit.page("looking.html", shown=known.name)
    assert known.plan is not None  # noqa: S101
    return _page(visit, known, seen, _roles_of(known.plan.schema, seen))


def take(visit: Visit) -> Response:
    """Write the roles into the plan, if a plan can have them."""
    known = opened(visit)
    seen = _seen(visit, known, 600.0)
    if seen is None or known.plan is None:
        raise InputError("the table is still being looked at. Try again in a moment.")
    roles = _chosen(visit, seen)
    try:
        plan = _with_roles(known.plan, roles, seen)
        changed(known, visit.said("state"), plan)
    except AnachronError as error:
        return _page(visit, known, seen, roles, problem=error, status=422)
    return visit.see("/promise", plan=known.name)


def unique(visit: Visit) -> Response:
    """The part of the page that tells who is unique, for the roles as they are chosen now."""
    known = opened(visit)
    seen = _seen(visit, known, 600.0)
    if seen is None:
        raise InputError("the table is still being looked at. Try again in a moment.")
    return visit.part("unique.html", **_counts(seen, _chosen(visit, seen)))


def _seen(visit: Visit, known: Project, patience: float = 0.5) -> Watched | None:
    assert known.plan is not None  # noqa: S101
    return of_plan(visit, known).look(visit, known.plan.ledger, patience)


def _page(
    visit: Visit, known: Project, seen: Watched, roles: dict[str, Name],
    problem: AnachronError | None = None, status: int = 200,
) -> Response:  # fmt: skip
    cards = [
        Card(
            number, seen.columns[role.column], role, roles[role.column],
            seen.unique([role.column]) if role.column in seen.numbered.columns else None,
        )
        for number, role in enumerate(seen.proposal.roles)
        if role.column in seen.columns
    ]  # fmt: skip
    said = {name: [c for c, role in roles.items() if role == name] for name in NAMES}
    doing = Doing(
        typed("init", of_plan(visit, known).shown, subject=said["subject"], time=said["time"],
              quasi=said["quasi"], sensitive=said["sensitive"]),
        f"plan = an.Plan.read({known.name!r})\nplan.schema",
    )  # fmt: skip
    return visit.page(
        "roles.html", doing, status=status, project=known, seen=seen, found=seen.proposal,
        cards=cards, names=NAMES, problem=problem, state=state_of(known.file),
        **_counts(seen, roles),
    )  # fmt: skip


def _counts(seen: Watched, roles: dict[str, Name]) -> dict[str, Any]:
    """Who is unique by what outsiders know, with the time, and by all that would be published."""
    quasi = [column for column, role in roles.items() if role == "quasi"]
    time = [column for column, role in roles.items() if role == "time"]
    content = [column for column, role in roles.items() if role == "sensitive"]
    return {
        "by_quasi": seen.unique(quasi),
        "by_time": seen.unique([*quasi, *time]) if time else None,
        "by_all": seen.unique([*quasi, *content]) if content else None,
        "identifying": seen.identifying([*quasi, *content]),
    }


def _roles_of(schema: Schema, seen: Watched) -> dict[str, Name]:
    roles: dict[str, Name] = dict.fromkeys(seen.columns, "home")
    told: tuple[tuple[Name, tuple[str, ...]], ...] = (
        ("subject", schema.subject_columns), ("time", (schema.time,)), ("quasi", schema.quasi),
        ("sensitive", schema.sensitive), ("series", schema.series),
    )  # fmt: skip
    return roles | {c: name for name, columns in told for c in columns if c in roles}


def _chosen(visit: Visit, seen: Watched) -> dict[str, Name]:
    """The roles that the form says, by the place of a column: names may hold anything."""
    roles: dict[str, Name] = {}
    for number, role in enumerate(seen.proposal.roles):
        given = visit.said(f"role-{number}")
        if role.column in seen.columns:
            roles[role.column] = given if given in NAMES else "home"
    return roles


def _with_roles(plan: Plan, roles: dict[str, Name], seen: Watched) -> Plan:
    def of(name: Name) -> tuple[str, ...]:
        return tuple(column for column, role in roles.items() if role == name)

    if len(of("time")) > 1:
        raise InputError("only one column can be the time of the event.")
    before = plan.schema
    schema = replace(
        before,
        subject=of("subject") or (before.subject if before.each_row else ()),
        time="".join(of("time")),
        quasi=of("quasi"),
        sensitive=of("sensitive"),
        series=of("series"),
    )
    return replace(plan, schema=schema, guarantee=refitted(plan.guarantee, schema, seen.columns))


VIEWS = (View("/roles", show, take), View("/roles/unique", take=unique, writes=False))
