"""From what a page is asked with to a table to look at, and to what a person would type for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from anachron.errors import InputError, Refusal
from anachron.plan import Source
from anachron.plan.source import Encoding
from anachron.registry import METHODS, MethodName
from anachron.schema import Schema
from anachron.studio.commands import Doing, call, typed
from anachron.studio.folder import NotChosen
from anachron.studio.projects import Project, project
from anachron.studio.tables import Wish
from anachron.studio.view import Visit

if TYPE_CHECKING:
    from anachron.proposing.roles import Name
    from anachron.proposing.watched import Watched

__all__ = ["Asked", "of_file", "of_plan", "opened", "refuse_reading", "wish_of"]


@dataclass(frozen=True)
class Asked:
    """A table that a page is about."""

    source: Source
    wish: Wish
    shown: str
    """Where it is, as the page says it."""

    def look(self, visit: Visit, ledger: Path, patience: float = 0.5) -> Watched | None:
        """Give what can be seen of it; None while it is still looked at."""
        visit.studio.folder.check(self.source.table)
        return visit.studio.tables.look(self.wish, ledger, patience)

    def doing(self, name: str) -> Doing:
        """What a person would type to begin a project of it."""
        wish, said = self.wish, dict(self.wish.said)
        time = next((column for column, role in said.items() if role == "time"), None)
        told = {"subject": list(wish.subject), "time": time, "time_format": wish.time_format,
                "time_zone": None if wish.time_zone == "UTC" else wish.time_zone,
                "stored_zone": wish.stored_zone, "k": None if wish.k == 5 else wish.k}  # fmt: skip
        options: dict[str, Any] = {**self.source.options, "for": wish.method, **told}
        command = typed("init", self.shown, **options, output=f"{name}/plan.toml")
        table = (
            f"an.Source({self.shown!r}, "
            + ", ".join(f"{n}={v!r}" for n, v in self.source.options.items()) + ")"
            if self.source.options else repr(self.shown)
        )  # fmt: skip
        python = call("an.propose", None, method=wish.method, **told).replace("None", table, 1)
        return Doing(command, f"found = {python}\nplan = found.plan()")


def of_file(visit: Visit) -> Asked:
    """The file that an address names, read as it says."""
    name = visit.said("file")
    path = str(visit.studio.folder.file(name))
    encoding, decimal = visit.said("encoding") or "utf-8", visit.said("decimal") or "."
    if encoding not in get_args(Encoding) or decimal not in (".", ","):
        raise InputError("that is no way to read a file.")
    source = Source(
        path, visit.said("sheet") or None, visit.number("header", 1) or 1,
        cast("Any", encoding), cast("Any", decimal), bool(visit.said("labels")),
    )  # fmt: skip
    method = visit.said("method")
    time = visit.said("time")
    wish = Wish(
        source,
        cast("MethodName", method) if method in METHODS else None,
        tuple(one for one in visit.several("subject") if one),
        ((time, "time"),) if time else (),
        visit.said("time_zone") or "UTC",
        max(visit.number("k", 5), 2),
        visit.said("time_format") or None,
        visit.said("stored_zone") or None,
    )
    return Asked(source, wish, visit.studio.folder.shown(path))


def of_plan(visit: Visit, known: Project) -> Asked:
    """The table of a plan, with what the plan says of its columns."""
    assert known.plan is not None  # noqa: S101 - see opened
    plan = known.plan
    shown = visit.studio.folder.shown(plan.source.table)
    return Asked(plan.source, wish_of(plan.source, plan.schema), shown)


def wish_of(source: Source, schema: Schema) -> Wish:
    """What is said beforehand of the table of a plan: who, when, and by which clock."""
    said: tuple[tuple[str, Name], ...] = ((schema.time, "time"),) if schema.time else ()
    subject = schema.subject_columns or (() if not schema.each_row else (str(schema.subject),))
    return Wish(
        source, None, tuple(subject), said, schema.time_zone, 5,
        schema.time_format, schema.stored_zone,
    )  # fmt: skip


def opened(visit: Visit) -> Project:
    """The project that a page is about, which can be read."""
    known = project(visit.studio.folder, visit.said("plan"))
    if known.plan is None:
        raise InputError(known.problem)
    if known.outside:
        raise NotChosen(known.outside)
    return known


def refuse_reading(visit: Visit) -> None:
    """Refuse to write where the page only reads."""
    if visit.studio.read_only:
        raise Refusal("This page only reads: it was started with --read-only.")
