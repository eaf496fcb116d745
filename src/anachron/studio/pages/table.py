"""Table: drop or choose a file, see the shapes of its columns, say who is the person and when."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from starlette.responses import Response

from anachron.errors import AnachronError, InputError
from anachron.plan.source import ending
from anachron.registry import METHODS
from anachron.studio.asked import Asked, of_file, of_plan, opened, wish_of
from anachron.studio.commands import Doing
from anachron.studio.editing import begun
from anachron.studio.view import View, Visit

if TYPE_CHECKING:
    from anachron.proposing.watched import Watched

__all__ = ["VIEWS"]

FORMATS = ("%d.%m.%Y", "%d.%m.%Y %H:%M", "%d/%m/%Y", "%m/%d/%Y", "%m/%d/%Y %I:%M %p", "%Y%m%d")
"""Ways in which times are often written; any other can be typed."""


def show(visit: Visit) -> Response:
    """The table of a plan, a file that was chosen, or the choice."""
    if visit.said("plan"):
        known = opened(visit)
        asked = of_plan(visit, known)
        assert known.plan is not None  # noqa: S101
        seen = asked.look(visit, known.plan.ledger)
        return _shown(visit, asked, seen, project=known)
    if not visit.said("file"):
        return visit.page("choose.html", tables=visit.studio.folder.tables())
    try:
        asked = of_file(visit)
        seen = asked.look(visit, _ledger(visit))
    except InputError as error:
        # How it is read, or who is the person, may have to be said otherwise.
        return _corrected(visit, error)
    return _shown(visit, asked, seen)


def take(visit: Visit) -> Response:
    """Write the plan that is proposed, in a folder of its own."""
    asked = of_file(visit)
    seen = asked.look(visit, _ledger(visit), 600.0)
    if seen is None:
        raise InputError("the table is still being looked at. Try again in a moment.")
    try:
        name = begun(visit.studio.folder, visit.said("name"), asked.source, seen.proposal)
    except AnachronError as error:
        return _shown(visit, asked, seen, problem=error, status=422)
    schema = seen.proposal.schema
    if schema is not None:
        visit.studio.tables.share(wish_of(asked.source, schema), seen)
    return visit.see("/roles", plan=name)


def _shown(
    visit: Visit, asked: Asked, seen: Watched | None, status: int = 200, **more: Any
) -> Response:
    if seen is None:
        return visit.page("looking.html", shown=asked.shown)
    name = visit.said("name") or _free_name(visit, asked.shown)
    known = more.get("project")
    doing = asked.doing(name) if known is None else Doing(
        f"anachron init {asked.shown}", f"an.propose({asked.shown!r})"
    )  # fmt: skip
    return visit.page(
        "table.html", doing, status=status,
        **{"project": None, "problem": None, **more},
        asked=asked, seen=seen, found=seen.proposal, name=name, **_offered(visit, asked),
    )  # fmt: skip


def _corrected(visit: Visit, error: InputError) -> Response:
    """The form again, with what is wrong, although nothing could be seen of the table."""
    name = visit.said("file")
    return visit.page(
        "table.html", status=422, project=None, problem=error, seen=None, found=None,
        asked=None, name="", shown=name, **_offered(visit, None),
    )  # fmt: skip


def _offered(visit: Visit, asked: Asked | None) -> dict[str, Any]:
    """What the form offers, and what was said with it."""
    kind = ending(asked.shown if asked else visit.said("file"))
    return {
        "methods": METHODS,
        "formats": FORMATS,
        "zones": sorted(available_timezones()),
        "is_sheet": kind in (".xlsx", ".xlsm", ".ods"),
        "is_text": kind in (".csv", ".tsv", ".txt"),
        "is_labelled": kind in (".dta", ".sav", ".zsav"),
        "file": visit.said("file"),
        "given": {
            "subject": visit.several("subject"),
            **{one: visit.said(one) for one in (
                "sheet", "header", "encoding", "decimal", "labels", "time", "time_format",
                "time_zone", "stored_zone", "method", "k",
            )},
        },
    }  # fmt: skip


def _free_name(visit: Visit, shown: str) -> str:
    """A name for the project that is not taken: that of the table, and a number if need be."""
    stem = re.sub(r"[^\w-]+", "-", Path(shown).name.partition(".")[0]).strip("-") or "project"
    root = visit.studio.folder.root
    names = (stem, *(f"{stem}-{number}" for number in range(2, 1_000)))
    return next(name for name in names if not (root / name).exists())


def _ledger(visit: Visit) -> Path:
    return visit.studio.folder.root / "ledger"


VIEWS = (View("/table", show, take),)
