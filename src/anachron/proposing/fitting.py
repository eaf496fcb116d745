"""Roles that a method can publish: what it cannot stays at home, or is refused if you said it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from anachron.errors import InputError, Problem
from anachron.proposing.columns import Facts, one
from anachron.proposing.look import Look
from anachron.proposing.promises import Promising
from anachron.proposing.roles import Name, Role
from anachron.proposing.words import says
from anachron.registry import METHODS
from anachron.schema import Schema
from anachron.source.base import quoted

__all__ = ["fitted", "kept_roles", "refuse_gaps"]


def kept_roles(method: str, schema: Schema) -> tuple[tuple[str, Name], ...]:
    """Roles that a schema has and that another method can publish, too."""
    promising: Promising = METHODS[method].proposal.load()
    time: tuple[tuple[str, Name], ...] = ()
    if schema.time and promising.has_time:
        time = ((schema.time, "time"),)
    quasi = schema.quasi if promising.has_quasi else ()
    return (
        *time,
        *((column, "quasi") for column in quasi),
        *((column, "sensitive") for column in schema.sensitive),
    )


def fitted(look: Look, promising: Promising, said: Mapping[str, Name]) -> Look:
    """Give the roles as this method can publish them."""
    if promising.has_series and not look.named("series"):
        look = _with_series(look, said)
    wide = len(look.named("series")) > 1
    roles, problems = [], []
    content = _content(look, promising, said)
    for role in look.roles:
        reason = _unfit(look, promising, role)
        if role.name == "series" and not promising.has_series:
            reason = "numbers of a series, which this method does not publish"
        if role.name == "quasi" and not promising.has_quasi:
            reason = "series are published without what outsiders know"
        if role.name == "time" and not promising.has_time:
            reason = "this method has no time: its releases have"
        if role.name == "time" and promising.has_series and wide:
            reason = "the values of a person stand side by side, so their times are the columns"
        other = role.name == "sensitive" and role.column != content
        if other and promising.one_sensitive and reason is None:
            reason = "this method has one sensitive column; make it quasi if outsiders may know it"
        if reason is not None and role.column in said:
            problems.append(Problem(f"cannot be {role.name}: {reason}.", look.name, role.column))
        roles.append(role if reason is None else Role(role.column, "home", reason))
    if problems:
        raise InputError(problems)
    return replace(look, roles=tuple(roles))


def _unfit(look: Look, promising: Promising, role: Role) -> str | None:
    """Why the cells of a column would be refused in its role, if they would."""
    column = look.columns[role.column]
    if role.name in promising.full and (empty := look.empty(column)):
        return f"empty in {empty:,} rows, which this method refuses: fill them in"
    if role.name == "quasi" and column.odd:
        return f"not a finite number in {column.odd:,} rows, which are refused: empty those cells"
    if role.name == "quasi" and promising.on_axes and column.form == "other":
        return "neither numbers nor texts, of which this method makes intervals: write it as text"
    return None


def _content(look: Look, promising: Promising, said: Mapping[str, Name]) -> str | None:
    """The one sensitive column, if there may be only one: the one that you said, or the first."""
    named = [role for role in look.roles if role.name == "sensitive"]
    fit = [role.column for role in named if _unfit(look, promising, role) is None]
    fit.sort(key=lambda column: not look.even(look.columns[column]))
    return next((role.column for role in named if role.column in said), next(iter(fit), None))


def _with_series(look: Look, said: Mapping[str, Name]) -> Look:
    """Find values of series where names do not count: one column if people have several rows."""
    found = [column for column in look.columns.values() if _is_series(look, column, said)]
    if look.person.count < look.rows:
        found.sort(key=lambda c: (not says(c.name, "secret"), -look.varying.get(c.name, 0)))
        found = found[:1]
    reasons = {c.name: f"numbers, {c.different:,} different values" for c in found}
    roles = (
        Role(role.column, "series", reasons[role.column]) if role.column in reasons else role
        for role in look.roles
    )
    return replace(look, roles=tuple(roles))


def _is_series(look: Look, column: Facts, said: Mapping[str, Name]) -> bool:
    """Numbers that vary, and that no name explains as something else."""
    if column.name in said or column.name in look.person.columns or column is look.time:
        return False
    named = says(column.name, "quasi", "birth", "direct", "place", "order")
    return column.is_number and column.different > 1 and not named


def refuse_gaps(look: Look) -> None:
    """Ask for what every method asks for: that each row says whose it is, and when it was."""
    problems = []
    for column in (*look.named("subject"), *look.named("time")):
        it = f"CAST({quoted(column.name)} AS VARCHAR)"
        missing, first = one(
            look.con,
            f"SELECT count(*), min(rowid) FROM {look.relation} "
            f"WHERE {it} IS NULL OR trim({it}) = ''",
        )
        if missing:
            problems.append(
                Problem(
                    f"is empty in {missing:,} row{'s' * (missing > 1)}, and every row needs it.",
                    look.name,
                    column.name,
                    row=first + 1,
                    remedy="Fill it in, or leave those rows out; or name another column.",
                )
            )
    if problems:
        raise InputError(problems)
